//! Which files a worktree would get from the checkout.
//!
//! The one rule: what is shown before is what is done after, so both ask here.

use std::path::{Path, PathBuf};

use agency_model::escaped_line;
use agency_system::beneath::{Beneath, FileKind};
use agency_workspace::{IgnoredFiles, Repository, WantedFiles, WorkspaceError};
use schemars::JsonSchema;
use serde::Serialize;

use super::WorktreeSettings;

/// How many files are copied at most.
const MAX_FILES: usize = 10_000;
/// How many warnings of one kind are given.
const MAX_WARNINGS: usize = 20;

/// A file that is copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedFile {
    /// Where it is in the checkout and the worktree.
    pub path: PathBuf,
    /// How many bytes it has.
    pub bytes: u64,
}

/// A link that is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedLink {
    /// Where it is in the worktree.
    pub path: PathBuf,
    /// Where it leads.
    pub target: PathBuf,
}

/// What a worktree gets of the checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) copies: Vec<PlannedFile>,
    pub(crate) links: Vec<PlannedLink>,
    /// What is missing or left out, and why.
    pub(crate) warnings: Vec<String>,
}

/// Looks at what the checkout has of what the settings name.
pub(crate) fn select(checkout: &Path, settings: &WorktreeSettings) -> Result<Selection, WorkspaceError> {
    let mut selection = Selection::default();
    if settings.copy.is_empty() && settings.include.is_empty() && settings.link.is_empty() {
        return Ok(selection);
    }
    let top = Beneath::open(checkout).map_err(|source| WorkspaceError::Io {
        action: "open",
        path: checkout.to_owned(),
        source,
    })?;
    let repository = Repository::from_root(checkout.to_owned());
    let found = repository.ignored_files(WantedFiles { paths: &settings.copy, patterns: &settings.include })?;
    selection.warn_of(&found);
    selection.choose_copies(&top, found.files, settings);
    for path in settings.link.iter().map(PathBuf::from) {
        match top.look(&path) {
            Ok(Some(FileKind::File(_) | FileKind::Directory)) => {
                selection.links.push(PlannedLink { target: checkout.join(&path), path });
            }
            Ok(Some(FileKind::Link)) => {
                selection.warn(format!("link: {} is a symbolic link in the checkout", shown(&path)));
            }
            Ok(Some(FileKind::Other)) => {
                selection.warn(format!("link: {} is neither a file nor a directory", shown(&path)));
            }
            Ok(None) => selection.warn(format!("link: {} is not in the checkout", shown(&path))),
            Err(error) => selection.warn(format!("link: {}: {error}", shown(&path))),
        }
    }
    Ok(selection)
}

impl Selection {
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    fn warn_of(&mut self, found: &IgnoredFiles) {
        for path in &found.missing {
            self.warn(format!("copy: no file in the checkout fits {path}"));
        }
        let plain = found.not_ignored.iter().take(MAX_WARNINGS);
        let words = "is not ignored by git and would be committed with the work, so it is not copied";
        self.warnings.extend(plain.map(|path| format!("copy: {} {words}", shown(path))));
        self.warn_of_more(found.not_ignored.len());
    }

    fn warn_of_more(&mut self, count: usize) {
        if count > MAX_WARNINGS {
            self.warn(format!("copy: {} more like the last", count - MAX_WARNINGS));
        }
    }

    fn choose_copies(&mut self, top: &Beneath, files: Vec<PathBuf>, settings: &WorktreeSettings) {
        let (mut total, mut links, mut too_large) = (0_u64, 0, 0);
        for path in files {
            let bytes = match top.look(&path) {
                Ok(Some(FileKind::File(bytes))) => bytes,
                Ok(Some(FileKind::Directory | FileKind::Other) | None) => continue,
                Ok(Some(FileKind::Link)) => {
                    links += 1;
                    if links <= MAX_WARNINGS {
                        self.warn(format!("copy: {} is a symbolic link, which is not followed", shown(&path)));
                    }
                    continue;
                }
                Err(error) => {
                    self.warn(format!("copy: {}: {error}", shown(&path)));
                    continue;
                }
            };
            if total.saturating_add(bytes) > settings.max_bytes() || self.copies.len() >= MAX_FILES {
                too_large += 1;
                continue;
            }
            total += bytes;
            self.copies.push(PlannedFile { path, bytes });
        }
        self.warn_of_more(links);
        if too_large > 0 {
            let limit = settings.max_mb;
            self.warn(format!("copy: {too_large} files are left out: worktree.max_mb is {limit}, and at most {MAX_FILES} files are copied"));
        }
    }
}

fn shown(path: &Path) -> String {
    escaped_line(&path.display().to_string())
}
