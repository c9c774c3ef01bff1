//! Walks a working tree without git.
//!
//! The one rule: links are not followed and nothing is opened, so that nothing an agent left there can stop the walk.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Calls `visit` with every entry below `top` and its kind. Enters no directory that is named `.git`, or for which `skip`
/// holds. What cannot be read is passed over.
pub(super) fn walk(top: &Path, skip: impl Fn(&Path) -> bool, mut visit: impl FnMut(&Path, FileType)) {
    let mut directories = vec![top.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if skip(&path) {
                continue;
            }
            visit(&path, kind);
            if kind.is_dir() && entry.file_name() != OsStr::new(".git") {
                directories.push(path);
            }
        }
    }
}

/// What a directory has in it, by kind.
#[derive(Default)]
pub(super) struct Listing {
    /// Whether something is named `.git` that is not an empty directory.
    pub(super) has_dot_git: bool,
    /// Whether it is itself a git directory: it has HEAD, objects and refs.
    pub(super) is_git_dir: bool,
    /// Whether git would wait for its attributes, since they are a pipe.
    pub(super) has_attribute_pipe: bool,
    /// The directories in it, without `.git`.
    pub(super) directories: Vec<PathBuf>,
}

impl Listing {
    /// Lists a directory. What cannot be read is passed over.
    pub(super) fn of(directory: &Path) -> Self {
        let mut found = Self::default();
        let (mut head, mut inner) = (false, 0);
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if name == OsStr::new(".git") {
                found.has_dot_git = !(kind.is_dir() && is_empty(&entry.path()));
                continue;
            }
            found.has_attribute_pipe |= kind.is_fifo() && name == OsStr::new(".gitattributes");
            head |= name == OsStr::new("HEAD") && !kind.is_dir();
            if kind.is_dir() {
                inner += usize::from(name == OsStr::new("objects") || name == OsStr::new("refs"));
                found.directories.push(entry.path());
            }
        }
        found.is_git_dir = head && inner == 2;
        found
    }
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}
