//! Reads the files by which a jj workspace and its repository find each other, without starting jj.

use std::fs;
use std::path::{Path, PathBuf};

use crate::link::{self, Identity};

/// The field of jj's `checkout` file that holds the operation: number 2, with a length.
const OPERATION_FIELD: u8 = 0x12;

/// The directory at or above a path that jj would take for the workspace, unless a plain git repository is nearer.
pub(super) fn workspace_around(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let holds = |directory: &Path, name: &str| directory.join(name).symlink_metadata().is_ok();
    let nearest = path.ancestors().find(|directory| holds(directory, ".jj") || holds(directory, ".git"))?;
    holds(nearest, ".jj").then(|| nearest.to_owned())
}

/// The directory that all workspaces of a repository share.
pub(super) fn repository_of(workspace: &Path) -> Option<PathBuf> {
    let inner = workspace.join(".jj");
    let place = inner.join("repo");
    if place.is_dir() {
        return fs::canonicalize(place).ok();
    }
    fs::canonicalize(inner.join(link::path_in(&link::read_small(&place).ok()?))).ok()
}

/// The git directory that keeps the revisions of a workspace's repository.
pub(super) fn git_store_of(workspace: &Path) -> Option<PathBuf> {
    let store = repository_of(workspace)?.join("store");
    let named = link::read_small(&store.join("git_target")).ok()?;
    fs::canonicalize(store.join(link::path_in(&named))).ok().filter(|git_dir| git_dir.is_dir())
}

/// The git directory of a repository whose root only jj knows; `None` where git finds one there by itself.
pub(super) fn hidden_git_store(root: &Path) -> Option<PathBuf> {
    if root.join(".git").symlink_metadata().is_ok() {
        return None;
    }
    git_store_of(root)
}

/// Whether two workspaces share a repository.
pub(super) fn share_repository(one: &Path, other: &Path) -> bool {
    let identity = |workspace: &Path| repository_of(workspace).as_deref().and_then(Identity::of);
    identity(one).is_some() && identity(one) == identity(other)
}

/// The operation whose files a workspace shows, which is not the last one while the workspace is stale.
pub(super) fn shown_operation(workspace: &Path) -> Option<String> {
    let content = link::read_small(&workspace.join(".jj/working_copy/checkout")).ok()?;
    let (head, rest) = content.split_at_checked(2)?;
    let id = rest.get(..usize::from(head[1]))?;
    let hexadecimal = || id.iter().map(|byte| format!("{byte:02x}")).collect();
    // A longer length has its first bit set, and is not an operation.
    (head[0] == OPERATION_FIELD && !id.is_empty() && head[1] < 0x80).then(hexadecimal)
}
