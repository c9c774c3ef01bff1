//! Finds files in the place of those that a restore would add, which no checkpoint holds.
//!
//! The one rule: git takes ignored files for worthless and would replace them, so it must not come that far.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::super::tree_walk::walk;
use super::super::files_index::as_path;

/// Those of the paths at which something is that `recorded` does not have.
pub(super) fn in_the_way(work_tree: &Path, added: &[Vec<u8>], recorded: &HashSet<Vec<u8>>) -> Vec<Vec<u8>> {
    added.iter().filter(|path| is_taken(work_tree, path, recorded)).cloned().collect()
}

fn is_taken(work_tree: &Path, path: &[u8], recorded: &HashSet<Vec<u8>>) -> bool {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    for end in ends {
        let above = &path[..end];
        match fs::symlink_metadata(work_tree.join(as_path(above))) {
            Ok(found) if found.is_dir() => {}
            // What is recorded goes with the restore.
            Ok(_) => return !recorded.contains(above),
            Err(_) => return false,
        }
    }
    match fs::symlink_metadata(work_tree.join(as_path(path))) {
        Ok(found) if found.is_dir() => holds_more(work_tree, as_path(path), recorded),
        Ok(_) => !recorded.contains(path),
        Err(_) => false,
    }
}

/// Whether a directory holds a file that is not recorded.
fn holds_more(work_tree: &Path, directory: &Path, recorded: &HashSet<Vec<u8>>) -> bool {
    let mut found = false;
    walk(
        &work_tree.join(directory),
        |_| false,
        |path, kind| {
            let below = path.strip_prefix(work_tree).unwrap_or(path);
            // A repository may hold nothing but commits.
            let is_repository = path.file_name().is_some_and(|name| name == ".git");
            found |= is_repository || !kind.is_dir() && !recorded.contains(below.as_os_str().as_bytes());
        },
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_recorded_is_in_the_way() {
        let tree = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = tree.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for name in ["ignored", "recorded", "mixed/ignored", "mixed/recorded", "whole/recorded"] {
            write(name);
        }
        fs::create_dir(tree.path().join("empty")).unwrap();
        std::os::unix::fs::symlink("whole", tree.path().join("link")).unwrap();
        let path = |name: &str| name.as_bytes().to_vec();
        let recorded = ["recorded", "mixed/recorded", "whole/recorded"].map(path).into();
        let taken = |name: &str| !in_the_way(tree.path(), &[path(name)], &recorded).is_empty();
        for name in ["ignored", "ignored/below", "mixed", "link", "link/recorded"] {
            assert!(taken(name), "{name}");
        }
        for name in ["new", "new/below", "recorded/below", "whole", "empty", "whole/new"] {
            assert!(!taken(name), "{name}");
        }
    }
}
