//! Git repositories inside a working tree, whose content git records as a link only.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::Result;
use super::checkout::Checkout;
use super::git_command::{Finished, GitCommand};

/// What would be lost with a working tree although all of it was added.
#[derive(Debug, Clone, Default)]
pub(super) struct Nested {
    /// Repositories that git does not track; it cannot even be asked to add one without a commit.
    pub(super) untracked: Vec<PathBuf>,
    /// Submodules with changes, or with commits that no remote has.
    pub(super) submodules: Vec<PathBuf>,
}

impl Nested {
    /// All of them, below the working tree.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.untracked.iter().chain(&self.submodules).cloned().collect()
    }
}

/// Finds the repositories inside a working tree, except in what is ignored.
pub(super) fn find(checkout: &Checkout) -> Result<Nested> {
    let listed = checkout.git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read()?;
    // Git names files; what it names as a directory is a repository that it does not look into.
    let untracked = listed.split(|byte| *byte == 0).filter_map(|name| name.strip_suffix(b"/")).map(to_path).collect();
    let mut submodules = Vec::new();
    for path in links(checkout)? {
        if has_unsaved_work(&checkout.work_tree.join(&path))? {
            submodules.push(path);
        }
    }
    Ok(Nested { untracked, submodules })
}

/// The paths that the index records as links to commits of other repositories.
fn links(checkout: &Checkout) -> Result<Vec<PathBuf>> {
    let listed = checkout.git().run(["ls-files", "-z", "--stage"]).read()?;
    let entries = listed.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 "));
    let paths = entries.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1)).map(to_path);
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.dedup();
    Ok(paths)
}

/// Whether a submodule's directory holds anything that its remote does not.
fn has_unsaved_work(submodule: &Path) -> Result<bool> {
    if submodule.join(".git").symlink_metadata().is_err() {
        // A submodule that was never checked out is an empty directory; git would not look at files in it.
        return Ok(submodule.read_dir().is_ok_and(|mut files| files.next().is_some()));
    }
    let changed = GitCommand::at(submodule).run(["status", "--porcelain", "-z"]).finish()?;
    let ahead = GitCommand::at(submodule)
        .run(["rev-list", "--max-count=1", "HEAD", "--branches", "--glob=refs/stash", "--not", "--remotes"])
        .finish()?;
    // What git cannot read is not known to be saved.
    let saved = |asked: &Finished| asked.success && asked.stdout.is_empty();
    Ok(!(saved(&changed) && saved(&ahead)))
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}
