//! What differs between a commit and the files of a workspace.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use agency_model::run::{ChangeStatus, ChangedPath};

/// What differs between the base commit and the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Every file that differs, in the order of their paths.
    pub files: Vec<ChangedFile>,
    /// Git repositories inside the workspace, whose content git cannot record.
    pub nested: Vec<PathBuf>,
    /// Ignored files and directories; a removal does not save them.
    pub ignored: Vec<PathBuf>,
    /// What git said of each directory that it could not open: its files are not listed.
    pub unread: Vec<String>,
}

/// How many of the lines around each change a patch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchContext {
    /// Three, as usual.
    Usual,
    /// All lines of each file that differs.
    Whole,
}

/// The differences between the base commit and the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// The unified diff.
    pub text: Vec<u8>,
    /// What git said of each directory that it could not open: its files are not in the diff.
    pub unread: Vec<String>,
}

/// One file that differs from the base commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path below the workspace.
    pub path: PathBuf,
    /// What happened to the file.
    pub status: FileStatus,
    /// How many lines came and went; `None` for a binary file.
    pub lines: Option<ChangedLines>,
}

impl ChangedFile {
    /// The file as `done.json` and answers name it.
    #[must_use]
    pub fn noted(&self) -> ChangedPath {
        let status = match self.status {
            FileStatus::Added => ChangeStatus::Added,
            FileStatus::Modified => ChangeStatus::Modified,
            FileStatus::Deleted => ChangeStatus::Deleted,
            FileStatus::Renamed { .. } => ChangeStatus::Renamed,
            FileStatus::TypeChanged => ChangeStatus::TypeChanged,
        };
        ChangedPath {
            added: self.lines.map(|lines| lines.added),
            removed: self.lines.map(|lines| lines.removed),
            ..ChangedPath::new(self.path.as_os_str().as_bytes(), status)
        }
    }
}

/// What happened to a file since the base commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// It is new.
    Added,
    /// Its content or mode is different.
    Modified,
    /// It is gone.
    Deleted,
    /// It was called something else before.
    Renamed {
        /// The path it had in the base commit.
        from: PathBuf,
    },
    /// It became a file of another kind, as a symlink.
    TypeChanged,
}

/// How many lines of a file came and went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedLines {
    /// Lines that are new.
    pub added: u64,
    /// Lines that are gone.
    pub removed: u64,
}
