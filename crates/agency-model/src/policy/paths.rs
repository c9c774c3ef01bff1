//! The paths that a tool would touch, and whether they are in the workspace.
//!
//! The one rule: a path counts as inside only if it is there both by its words and by where its symlinks lead, however
//! a tool reads it.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::command::DIRECTORIES;
use super::glob::Case;
use super::pattern::PathPattern;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathKind {
    /// Something that leads nowhere else, or nothing at all.
    Plain,
    /// A symlink, with what it holds.
    Link(PathBuf),
    /// It cannot be determined.
    Unknown,
}

/// Where an agent works, and how to find out about symlinks there; this crate itself reads no files.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The workspace, absolute.
    pub workspace: &'a Path,
    /// Returns what is at an absolute path.
    pub look: &'a dyn Fn(&Path) -> PathKind,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathTarget {
    /// Into the workspace: its parts below it in each way of reading it.
    Inside(Vec<Vec<String>>),
    /// Elsewhere.
    Outside,
    /// It cannot be determined.
    Unknown,
}

/// As many symlinks as Linux follows.
const MAX_LINKS: usize = 40;
/// The longest path of Linux.
const MAX_PATH_BYTES: usize = 4096;
/// The maximum number of paths that are read from one input.
const MAX_PATHS: usize = 1000;

impl Ground<'_> {
    /// Where a path leads that a tool was given.
    pub(super) fn place(&self, text: &str) -> PathTarget {
        // Some tools expand these, others take them as they are.
        let odd = text.starts_with('~') || text.contains(['$', '\0']) || is_url(text) || text.trim() != text;
        if odd || text.is_empty() || text.len() > MAX_PATH_BYTES {
            return PathTarget::Unknown;
        }
        let path = self.workspace.join(text);
        let written = plain(&path);
        // Some tools take `..` out before they follow symlinks, others leave that to the system.
        let (Some(home), Some(real), Some(real_of_written)) =
            (self.real(self.workspace), self.real(&path), self.real(&written))
        else {
            return PathTarget::Unknown;
        };
        let below = |path: &Path, home: &Path| path.strip_prefix(home).ok().map(parts);
        let written = below(&written, &plain(self.workspace)).or_else(|| below(&written, &home));
        let readings: Option<Vec<Vec<String>>> =
            [written, below(&real, &home), below(&real_of_written, &home)].into_iter().collect();
        readings.map_or(PathTarget::Outside, PathTarget::Inside)
    }

    /// Where the symlinks of an absolute path lead; none if that cannot be determined.
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
                        PathKind::Plain => at = next,
                        PathKind::Unknown => return None,
                        PathKind::Link(target) => {
                            links += 1;
                            if links > MAX_LINKS {
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
    pub(super) fn is(&self, place: &PathTarget) -> bool {
        match (self, place) {
            (Self::Inside, PathTarget::Inside(_)) | (Self::Outside, PathTarget::Outside) => true,
            (Self::Below(below), PathTarget::Inside(readings)) => {
                readings.iter().all(|path| below.fits(path, Case::Exact))
            }
            (Self::Inside | Self::Outside | Self::Below(_), _) => false,
        }
    }

    /// Whether a path may be such a one.
    pub(super) fn may_be(&self, place: &PathTarget) -> bool {
        match (self, place) {
            (Self::Inside, PathTarget::Inside(_)) | (Self::Outside, PathTarget::Outside) | (_, PathTarget::Unknown) => {
                true
            }
            (Self::Below(below), PathTarget::Inside(readings)) => {
                readings.iter().any(|path| below.fits(path, Case::Any))
            }
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
    "instruction",
    "instructions",
    "prompt",
    "plan",
    "query",
    "message",
    "title",
    "reason",
];
/// Endings of the names under which tools are given one of a few words.
const CHOICES: &[&str] = &["type", "kind", "mode", "format", "encoding", "language", "id"];
/// Names under which tools are given what they search for, which is a path only if it has the look of one.
const SEARCHES: &[&str] = &["pattern", "regex", "regexp", "search"];

/// Where everything is that a tool would touch, as far as what it is given says so. What a command touches is not known.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// What is given under the name of a path, or has the look of one.
    certain: Vec<PathTarget>,
    /// Other texts that a tool may take for a path.
    possible: Vec<PathTarget>,
    /// Whether one of those may lead anywhere.
    unclear: bool,
    /// What the agent names as the reason why it asks.
    blocked: Vec<PathTarget>,
}

impl Places {
    /// The paths in what a tool is given.
    pub(super) fn of(input: &Map<String, Value>, has_command: bool, ground: &Ground<'_>) -> Self {
        let mut places = Self::default();
        let mut words = vec![];
        for (key, value) in input {
            if !DIRECTORIES.contains(&key.as_str()) {
                places.collect(key, value, ground, &mut words);
            } else if !has_command {
                // That a tool works in the workspace does not say that it stays there.
                let mut directories = Self::default();
                directories.collect(key, value, ground, &mut words);
                let outside = directories.certain.into_iter().filter(|place| !matches!(place, PathTarget::Inside(_)));
                places.certain.extend(outside);
            }
        }
        // A tool that is given no path may be given words that have nothing to do with files.
        let names_a_path = !places.certain.is_empty();
        for word in words.into_iter().filter(|word| names_a_path || word.contains(['/', '\\', '.'])) {
            places.consider(word, ground);
        }
        places
    }

    /// Adds the path for which the agent asks.
    pub(super) fn block(&mut self, path: Option<&Value>, ground: &Ground<'_>) {
        match path {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.blocked.extend(readings(text).map(|text| ground.place(&text))),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.blocked.push(PathTarget::Unknown);
            }
        }
    }

    /// Whether the agent does not ask for a path outside of the workspace.
    pub(super) fn blocks_nothing_outside(&self) -> bool {
        self.blocked.iter().all(|place| matches!(place, PathTarget::Inside(_)))
    }

    /// Whether all of them are such paths for certain, and there is one.
    pub(super) fn are(&self, pattern: &PathPattern) -> bool {
        let mut all = self.certain.iter().chain(&self.possible).chain(&self.blocked);
        !self.unclear && !self.certain.is_empty() && all.all(|place| pattern.is(place))
    }

    /// Whether one of them may be such a path.
    pub(super) fn may_be(&self, pattern: &PathPattern) -> bool {
        self.certain.iter().chain(&self.possible).chain(&self.blocked).any(|place| pattern.may_be(place))
    }

    fn collect<'a>(&mut self, key: &'a str, value: &'a Value, ground: &Ground<'_>, words: &mut Vec<&'a str>) {
        if self.certain.len() + words.len() >= MAX_PATHS {
            // More than the limit, so where they lead cannot be determined.
            self.certain.truncate(MAX_PATHS);
            self.certain.push(PathTarget::Unknown);
            return;
        }
        // Some tools are given a table whose keys are paths.
        if key.contains('/') {
            self.certain.push(ground.place(key));
        }
        let name = key.replace(['_', '-'], "").to_lowercase();
        let ends_like_one_of = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        match value {
            Value::String(_) if TEXTS.contains(&name.as_str()) => {}
            // The text of a patch names files of its own.
            Value::String(_) if name == "patch" => self.certain.push(PathTarget::Unknown),
            Value::String(text) if ends_like_one_of(PATHS) || looks_like_a_path(text) => {
                self.certain.extend(readings(text).map(|text| ground.place(&text)));
            }
            Value::String(_) if ends_like_one_of(CHOICES) => {}
            Value::String(text) if SEARCHES.contains(&name.as_str()) && !text.contains(['/', '\\']) => {}
            Value::String(text) => words.extend(may_be_a_path(text).then_some(text.as_str())),
            Value::Array(items) => items.iter().for_each(|item| self.collect(key, item, ground, words)),
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| self.collect(key, value, ground, words));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn consider(&mut self, word: &str, ground: &Ground<'_>) {
        for reading in readings(word) {
            match ground.place(&reading) {
                PathTarget::Unknown if !reading.contains('/') => self.unclear = true,
                place @ (PathTarget::Inside(_) | PathTarget::Outside | PathTarget::Unknown) => {
                    self.possible.push(place);
                }
            }
        }
    }
}

/// A path as it is written, and as a tool reads it that takes `\` for `/`.
fn readings(text: &str) -> impl Iterator<Item = String> {
    let other = text.contains('\\').then(|| text.replace('\\', "/"));
    [Some(text.to_owned()), other].into_iter().flatten()
}

fn is_url(text: &str) -> bool {
    text.contains("://") || is_file_url(text)
}

/// Whether this names a file by a URL, which has no `//` if it has no host.
fn is_file_url(text: &str) -> bool {
    text.get(.."file:".len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Whether a text leads out of where one is, under whatever name it is given.
fn looks_like_a_path(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['/', '~']) || is_file_url(text) || text.split(['/', '\\']).any(|part| part == "..")
}

/// Whether a text may be a path although neither its name nor its look says so. Several lines and URLs are none.
fn may_be_a_path(text: &str) -> bool {
    let words = text.trim();
    !words.is_empty() && words.len() <= MAX_PATH_BYTES && !words.contains(['\n', '\r']) && !words.contains("://")
}
