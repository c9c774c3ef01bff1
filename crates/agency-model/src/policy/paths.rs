//! The paths that a tool would touch, and whether they are in the workspace.
//!
//! The one rule: a path counts as inside only if it is there both by its words and by where its symlinks lead, however
//! a tool reads it.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::command::DIRECTORIES;
use super::glob::Case;
use super::pattern::PathPattern;

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Something that leads nowhere else, or nothing at all.
    Plain,
    /// A symlink, with what it holds.
    Link(PathBuf),
    /// Nobody can tell.
    Unknown,
}

/// Where an agent works, and how to find out about symlinks there; this crate itself reads no files.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The workspace, absolute.
    pub workspace: &'a Path,
    /// Says what lies at an absolute path.
    pub look: &'a dyn Fn(&Path) -> Found,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Into the workspace: its parts below it in each way of reading it.
    Inside(Vec<Vec<String>>),
    /// Elsewhere.
    Outside,
    /// It cannot be told.
    Unknown,
}

/// As many symlinks as Linux follows.
const MOST_LINKS: usize = 40;
/// The longest path of Linux.
const LONGEST: usize = 4096;
/// More than a person would read.
const MOST_PATHS: usize = 1000;

impl Ground<'_> {
    /// Where a path leads that a tool was given.
    pub(super) fn place(&self, text: &str) -> Place {
        // Some tools expand these, others take them as they are.
        let odd = text.starts_with('~') || text.contains(['$', '\0']) || text.contains("://") || text.trim() != text;
        if odd || text.is_empty() || text.len() > LONGEST {
            return Place::Unknown;
        }
        let path = self.workspace.join(text);
        let written = plain(&path);
        // Some tools take `..` out before they follow symlinks, others leave that to the system.
        let (Some(home), Some(real), Some(real_of_written)) =
            (self.real(self.workspace), self.real(&path), self.real(&written))
        else {
            return Place::Unknown;
        };
        let below = |path: &Path, home: &Path| path.strip_prefix(home).ok().map(parts);
        let written = below(&written, &plain(self.workspace)).or_else(|| below(&written, &home));
        let readings: Option<Vec<Vec<String>>> =
            [written, below(&real, &home), below(&real_of_written, &home)].into_iter().collect();
        readings.map_or(Place::Outside, Place::Inside)
    }

    /// Where the symlinks of an absolute path lead; none if that cannot be told.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let mut left: Vec<PathBuf> = reversed(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = left.pop() {
            match part.components().next()? {
                Component::RootDir | Component::Prefix(_) => at = PathBuf::from("/"),
                Component::CurDir => {}
                Component::ParentDir => drop(at.pop()),
                Component::Normal(name) => {
                    let next = at.join(name);
                    match (self.look)(&next) {
                        Found::Plain => at = next,
                        Found::Unknown => return None,
                        Found::Link(target) => {
                            links += 1;
                            if links > MOST_LINKS {
                                return None;
                            }
                            left.extend(reversed(&target));
                        }
                    }
                }
            }
        }
        Some(at)
    }
}

fn reversed(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// An absolute path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    plain
}

fn parts(path: &Path) -> Vec<String> {
    path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

impl PathPattern {
    /// Whether a path is such a one for certain.
    pub(super) fn is(&self, place: &Place) -> bool {
        match (self, place) {
            (Self::Inside, Place::Inside(_)) | (Self::Outside, Place::Outside) => true,
            (Self::Below(below), Place::Inside(readings)) => readings.iter().all(|path| below.fits(path, Case::Exact)),
            (Self::Inside | Self::Outside | Self::Below(_), _) => false,
        }
    }

    /// Whether a path may be such a one.
    pub(super) fn may_be(&self, place: &Place) -> bool {
        match (self, place) {
            (Self::Inside, Place::Inside(_)) | (Self::Outside, Place::Outside) | (_, Place::Unknown) => true,
            (Self::Below(below), Place::Inside(readings)) => readings.iter().any(|path| below.fits(path, Case::Any)),
            (Self::Inside | Self::Outside | Self::Below(_), _) => false,
        }
    }
}

/// Endings of the names under which tools are given paths.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "dir",
    "dirs",
    "directory",
    "directories",
    "root",
    "folder",
    "cwd",
    "source",
    "src",
    "destination",
    "dest",
    "dst",
    "target",
    "uri",
    "workdir",
];
/// Names under which tools are given text.
const TEXTS: &[&str] = &[
    "content",
    "contents",
    "text",
    "filetext",
    "oldstring",
    "newstring",
    "oldtext",
    "newtext",
    "oldstr",
    "newstr",
    "newsource",
    "diff",
    "command",
    "cmd",
    "description",
    "prompt",
    "plan",
    "query",
    "message",
    "title",
    "reason",
    "type",
    "kind",
];

/// Where everything is that a tool would touch, as far as what it is given says so. What a command touches is not known.
pub(super) fn places(input: &Map<String, Value>, has_command: bool, ground: &Ground<'_>) -> Vec<Place> {
    let mut found = vec![];
    for (key, value) in input {
        if !DIRECTORIES.contains(&key.as_str()) {
            collect(key, value, ground, &mut found);
        } else if !has_command {
            // That a tool works in the workspace does not say that it stays there.
            let mut directories = vec![];
            collect(key, value, ground, &mut directories);
            found.extend(directories.into_iter().filter(|place| !matches!(place, Place::Inside(_))));
        }
    }
    found
}

fn collect(key: &str, value: &Value, ground: &Ground<'_>, found: &mut Vec<Place>) {
    if found.len() >= MOST_PATHS {
        // Nobody looks at them all, so it cannot be told where they lead.
        found.truncate(MOST_PATHS);
        found.push(Place::Unknown);
        return;
    }
    // Some tools are given a table whose keys are paths.
    if key.contains('/') {
        found.push(ground.place(key));
    }
    let name = key.replace(['_', '-'], "").to_lowercase();
    match value {
        Value::String(_) if TEXTS.contains(&name.as_str()) => {}
        // The text of a patch names files of its own.
        Value::String(_) if name == "patch" => found.push(Place::Unknown),
        Value::String(text) => {
            if PATHS.iter().any(|ending| name.ends_with(ending)) || looks_like_a_path(text) {
                found.push(ground.place(text));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, ground, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| collect(key, value, ground, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text leads out of where one is, under whatever name it is given.
fn looks_like_a_path(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['/', '~']) || text.starts_with("file:") || text.split(['/', '\\']).any(|part| part == "..")
}
