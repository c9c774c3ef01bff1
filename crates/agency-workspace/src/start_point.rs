//! The worktree of a run as the place from which another run is asked for.
//!
//! The one rule: git looks at it as at everything that an agent can write, through a directory of our own.

use std::fs;
use std::path::Path;

use agency_model::RunId;

use super::checkout::Checkout;
use super::entry::WorktreeEntry;
use super::link::{self, Identity};
use super::private_git::{Objects, PrivateGit};
use super::temporary::TemporaryDirectory;
use super::uncommitted::WorktreeOfRun;
use super::worktree_lookup::FoundWorktree;
use super::{Commit, GitWorktree, Result, WorkspaceError, snapshot};

impl GitWorktree {
    /// The commit that a ref means here, where HEAD is that of the worktree.
    pub fn commit_of(&self, reference: &str) -> Result<Commit> {
        let (_, _, checkout) = self.as_it_was_made()?;
        let directory = TemporaryDirectory::new()?;
        let private = PrivateGit::make(directory.path(), &checkout, Objects::Private { also_from: None })?;
        // Git cannot be given this at all.
        let reference = reference.replace('\0', "\u{fffd}");
        let git = private.git().run(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let asked = git.arg(format!("{reference}^{{commit}}")).finish()?;
        let id = String::from_utf8_lossy(&asked.stdout);
        match id.trim_end().parse() {
            Ok(commit) if asked.success => Ok(commit),
            Ok(_) | Err(_) => Err(WorkspaceError::BadRef { reference, root: self.path.clone(), message: asked.stderr }),
        }
    }

    /// A commit on top of `head` with the files as they are, for a run that is to begin with them; none if nothing is
    /// uncommitted.
    pub fn snapshot_for(&self, head: &Commit, run: &RunId) -> Result<Option<Commit>> {
        let (_, _, checkout) = self.as_it_was_made()?;
        snapshot::of_files(&checkout, head, run)
    }

    /// Where a look at uncommitted files finds git's directories.
    pub fn as_run(&self) -> Result<WorktreeOfRun> {
        let (found, entry, _) = self.as_it_was_made()?;
        Ok(WorktreeOfRun { common_dir: found.common_dir, admin_dir: entry.admin_dir, branch: self.branch.clone() })
    }

    /// The checkout, if `.git` and git's entry still lead to each other.
    fn as_it_was_made(&self) -> Result<(FoundWorktree, WorktreeEntry, Checkout)> {
        let found = FoundWorktree::find(self)?;
        let checkout = found.checkout(self)?;
        let entry = found.entry.clone().filter(|entry| leads_to(&self.path, &entry.admin_dir));
        let entry = entry.ok_or_else(|| WorkspaceError::ReplacedGit { path: self.path.clone() })?;
        Ok((found, entry, checkout))
    }
}

/// Whether `.git` is a plain file that names git's entry for the worktree.
fn leads_to(work_tree: &Path, admin_dir: &Path) -> bool {
    let is_file = fs::symlink_metadata(work_tree.join(".git")).is_ok_and(|found| found.is_file());
    let entry = Identity::of(admin_dir);
    is_file && entry.is_some() && link::git_dir(work_tree).and_then(|git_dir| Identity::of(&git_dir)) == entry
}
