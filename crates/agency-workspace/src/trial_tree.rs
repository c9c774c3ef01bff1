//! A working tree of agency's own with the files of one commit, for commands that check a merge before it is visible.
//!
//! The one rule: tracked files are those of the commit, and files that are neither tracked nor ignored are gone. Ignored
//! files stay from one check to the next, so that a build need not begin anew.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use agency_system::fault;
use agency_system::lock::Lock;

use super::checkout::Checkout;
use super::head::Head;
use super::private_git::{Objects, PrivateGit};
use super::user_settings::RepositoryConfig;
use super::{Commit, MergeError, Repository, WorkspaceError, trash};

/// Its part that a command sees.
const TREE: &str = "tree";
/// Git's directory for those who run git in the tree.
const VISIBLE_GIT: &str = "git";
/// Git's directory for us, which commands in the tree are not led to.
const OWN_GIT: &str = "private";

/// A tree that is ours alone until it is dropped.
#[derive(Debug)]
pub struct TrialTree {
    directory: PathBuf,
    common_dir: PathBuf,
    _lock: Lock,
}

impl TrialTree {
    /// Opens the tree below a directory that only we can write; `None` if another process uses it for longer than
    /// `patience`.
    pub fn open(directory: &Path, repository: &Path, patience: Duration) -> Result<Option<Self>, MergeError> {
        trash::make_private(directory)?;
        let common_dir = Repository::from_root(repository.to_owned()).common_dir()?;
        let taken = Lock::take(&directory.join("lock"), patience)?;
        Ok(taken.map(|lock| Self { directory: directory.to_owned(), common_dir, _lock: lock }))
    }

    /// What only this tree has, for a variable by which the processes in it are found.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the files are.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join(TREE)
    }

    /// Deletes all files, the ignored ones too.
    pub fn clear(&self) -> Result<(), MergeError> {
        for part in [TREE, VISIBLE_GIT, OWN_GIT] {
            trash::discard(&self.directory.join(part))?;
        }
        Ok(())
    }

    /// Deletes the files of a tree that no process uses; whether they are gone. Its directory stays, with the lock: a
    /// process may have opened that already.
    pub fn clear_unused(directory: &Path) -> Result<bool, MergeError> {
        let Some(_lock) = Lock::take(&directory.join("lock"), Duration::ZERO)? else { return Ok(false) };
        // First, so that a tree of which a part is gone is made anew.
        for part in [OWN_GIT, TREE, VISIBLE_GIT] {
            trash::discard(&directory.join(part))?;
        }
        Ok(true)
    }

    /// When the tree below a directory was used last; `None` where it has no files. Commands in the tree do not get to
    /// the directory whose time it is.
    #[must_use]
    pub fn last_used(directory: &Path) -> Option<SystemTime> {
        let of = |path: PathBuf| path.symlink_metadata().and_then(|found| found.modified()).ok();
        let own = directory.join(OWN_GIT);
        let newest = of(own.clone()).max(of(own.join("index")));
        newest.or_else(|| of(directory.join(TREE)))
    }

    /// Makes the files those of a commit.
    pub fn check_out(&self, commit: &Commit) -> Result<(), MergeError> {
        let (tree, own) = (self.path(), self.directory.join(OWN_GIT));
        let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !own.join("index").exists() || !is_directory(&tree) || !is_directory(&own) {
            // Which files were tracked is not known.
            self.clear()?;
        }
        for part in [&tree, &own] {
            trash::make_private(part)?;
        }
        // A killed git left it; no other one is at work here.
        let _ = fs::remove_file(own.join("index.lock"));
        let git = PrivateGit::make(&own, &self.checkout(commit), Objects::Repository)?;
        git.git().run(["read-tree", "--reset", "-u"]).arg(commit.as_str()).read()?;
        fault::point("trial.checked_out");
        git.git().run(["clean", "-ffdq"]).read()?;
        self.show_git(commit)
    }

    /// Lets commands that run git in the tree find the repository, with this commit checked out.
    fn show_git(&self, commit: &Commit) -> Result<(), MergeError> {
        let visible = self.directory.join(VISIBLE_GIT);
        trash::discard(&visible)?;
        trash::make_private(&visible)?;
        let write =
            |path: PathBuf, content: &[u8]| fs::write(&path, content).map_err(WorkspaceError::io("write", &path));
        write(visible.join("commondir"), &[self.common_dir.as_os_str().as_bytes(), b"\n"].concat())?;
        write(visible.join("HEAD"), format!("{commit}\n").as_bytes())?;
        let index = self.directory.join(OWN_GIT).join("index");
        fs::copy(&index, visible.join("index")).map_err(WorkspaceError::io("copy", &index))?;
        let link = self.path().join(".git");
        trash::discard(&link)?;
        Ok(write(link, &[b"gitdir: ", visible.as_os_str().as_bytes(), b"\n"].concat())?)
    }

    fn checkout(&self, commit: &Commit) -> Checkout {
        Checkout {
            work_tree: self.path(),
            common_dir: self.common_dir.clone(),
            admin_dir: None,
            head: Head::Detached(commit.clone()),
            is_jj: false,
            config: RepositoryConfig::Used,
            kept: None,
            settings: Arc::default(),
        }
    }
}
