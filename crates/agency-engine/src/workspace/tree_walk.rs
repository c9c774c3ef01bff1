//! Walks a working tree without git.
//!
//! The one rule: links are not followed and nothing is opened, so that nothing an agent left there can stop the walk.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::nested::Nested;

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

/// The directories below the top of a working tree that hold something named `.git`, although git takes them for no
/// repository: it saves their other files and passes `.git` over. Paths in `ignored` are not looked at.
pub(super) fn unrecognised_repositories(work_tree: &Path, nested: &Nested, ignored: &[PathBuf]) -> Vec<PathBuf> {
    let known = nested.all();
    let left_out: HashSet<&Path> = ignored.iter().chain(&known).map(PathBuf::as_path).collect();
    let is_left_out = |path: &Path| left_out.contains(path.strip_prefix(work_tree).unwrap_or(path));
    let mut found = vec![];
    walk(work_tree, is_left_out, |path, kind| {
        let holder = path.parent().and_then(|holder| holder.strip_prefix(work_tree).ok());
        let is_empty = || kind.is_dir() && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        match holder {
            Some(holder) if path.ends_with(".git") && !holder.as_os_str().is_empty() && !is_empty() => {
                found.push(holder.to_owned());
            }
            Some(_) | None => {}
        }
    });
    found
}
