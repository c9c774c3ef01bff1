//! What git is in the middle of in a working tree.

use std::fs;
use std::path::Path;

/// Files that git leaves in the git directory of a working tree, and what it is then in the middle of.
const SIGNS: [(&str, &str); 5] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

/// What is going on in the working tree with this git directory.
pub(super) fn in_progress(git_dir: &Path) -> Option<&'static str> {
    let sign = SIGNS.iter().find(|(file, _)| git_dir.join(file).symlink_metadata().is_ok());
    sign.map(|(_, operation)| *operation)
}

/// Whether the working tree with this git directory is rebasing a branch, which it then does not have checked out.
pub(super) fn is_rebasing(git_dir: &Path, full_ref: &str) -> bool {
    let names = ["rebase-merge/head-name", "rebase-apply/head-name"];
    names.iter().any(|name| fs::read(git_dir.join(name)).is_ok_and(|text| text.trim_ascii() == full_ref.as_bytes()))
}
