//! A working tree, and what is recorded about it.
//!
//! The one rule: nothing that the working tree or git's entry for it says leads git anywhere. The repository is the
//! recorded one; of git's entry, the files HEAD and `index` are read and checked, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::head::Head;
use super::user_settings::{RepositoryConfig, SettingsOf, UserSettings};
use super::{Commit, Repository, Result, link};

/// What is needed to look at a working tree.
#[derive(Debug, Clone)]
pub(super) struct Checkout {
    /// The top of the working tree.
    pub(super) work_tree: PathBuf,
    /// The git directory of the repository, as recorded.
    pub(super) common_dir: PathBuf,
    /// Git's directory for this working tree, which an agent can write: `<common>/worktrees/<id>`. `None` when it is
    /// gone, or where git does not know the working tree.
    pub(super) admin_dir: Option<PathBuf>,
    /// What is checked out.
    pub(super) head: Head,
    /// Whether the working tree is jj's, which keeps its own files there.
    pub(super) is_jj: bool,
    /// Whether settings of the repository apply.
    pub(super) config: RepositoryConfig,
    /// Where a look is kept for the next one; `None` where nothing is kept.
    pub(super) kept: Option<PathBuf>,
    /// The user's settings, once they are known.
    pub(super) settings: Arc<OnceLock<UserSettings>>,
}

impl Checkout {
    /// The worktree of a run, whatever the state of its `.git` file and of git's entry for it. Where HEAD cannot be read,
    /// `otherwise` is taken to be checked out.
    pub(super) fn of_worktree(common_dir: &Path, work_tree: &Path, admin_dir: Option<&Path>, otherwise: Head) -> Self {
        let head = admin_dir.and_then(|admin_dir| Head::read(admin_dir, common_dir));
        Self {
            work_tree: work_tree.to_owned(),
            common_dir: common_dir.to_owned(),
            admin_dir: admin_dir.map(Path::to_owned),
            head: head.unwrap_or(otherwise),
            is_jj: false,
            config: RepositoryConfig::Used,
            kept: None,
            settings: Arc::default(),
        }
    }

    /// The checkout whose top is the root of a repository.
    pub(super) fn of_root(root: &Path, otherwise: &Commit) -> Result<Self> {
        let common_dir = Repository::from_root(root.to_owned()).common_dir()?;
        let admin_dir = link::git_dir(root);
        let head = admin_dir.as_deref().and_then(|git_dir| Head::read(git_dir, &common_dir));
        Ok(Self {
            work_tree: root.to_owned(),
            admin_dir,
            head: head.unwrap_or_else(|| Head::Detached(otherwise.clone())),
            common_dir,
            is_jj: false,
            config: RepositoryConfig::Used,
            kept: None,
            settings: Arc::default(),
        })
    }

    /// A working tree of jj, as if `commit` were checked out in it with an index of its own.
    pub(super) fn of_jj(git_store: &Path, work_tree: &Path, commit: &Commit) -> Self {
        Self {
            work_tree: work_tree.to_owned(),
            common_dir: git_store.to_owned(),
            admin_dir: None,
            head: Head::Detached(commit.clone()),
            is_jj: true,
            config: RepositoryConfig::Used,
            kept: None,
            settings: Arc::default(),
        }
    }

    /// Keeps looks in a directory, so that the next one need not read everything again.
    pub(super) fn keeping(mut self, directory: Option<&Path>) -> Self {
        self.kept = directory.map(Path::to_owned);
        self
    }

    /// The user's settings as they hold in this working tree. Git is asked once.
    pub(super) fn user_settings(&self) -> Result<UserSettings> {
        if let Some(known) = self.settings.get() {
            return Ok(known.clone());
        }
        let found = UserSettings::of(SettingsOf {
            common_dir: &self.common_dir,
            admin_dir: self.admin_dir.as_deref(),
            config: self.config,
        })?;
        Ok(self.settings.get_or_init(|| found).clone())
    }

    /// The index that the agent works with, which is read only.
    pub(super) fn index(&self) -> Option<PathBuf> {
        self.admin_dir.as_ref().map(|admin_dir| admin_dir.join("index"))
    }
}
