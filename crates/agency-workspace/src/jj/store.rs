//! The git repository behind a jj repository that git does not find by itself, since it is not colocated.
//!
//! The one rule: bookmarks are handed to git before it reads its branches, and taken back after it moved one.

use std::path::Path;

use super::command::{JjCommand, jj_version};
use super::lock::RepoLock;
use super::{JjError, link};
use crate::repository::check_directory;
use crate::{Commit, Repository, Result, branch};

/// What git calls HEAD is the revision below the one that jj works on.
const BELOW_WORKING_COPY: &str = "@-";
/// What the bookmarks of runs begin with.
const OF_RUNS: &str = "agency/";
/// The revisions with the bookmarks that are nearest to the working copy, but for those of runs.
const NEAREST_BOOKMARKS: &str = r#"heads(::@ & bookmarks(~glob:"agency/*"))"#;
const NAMES: &str = r#"local_bookmarks.map(|bookmark| bookmark.name() ++ "\n").join("")"#;

impl Repository {
    /// The repository around a path whose git directory only jj knows, if it is such a one. Only looks at files.
    pub(in super::super) fn hidden_around(path: &Path) -> Option<Self> {
        link::workspace_around(path).filter(|root| link::hidden_git_store(root).is_some()).map(Self::from_root)
    }

    /// The same with the commit of a ref: `HEAD` as git has it in a colocated repository, a commit, or a revset.
    pub(in super::super) fn hidden_at(path: &Path, base_ref: &str) -> Result<Option<(Self, Commit)>> {
        check_directory(path)?;
        let Some(repository) = Self::hidden_around(path) else { return Ok(None) };
        let store = repository.common_dir()?;
        // What git calls so needs no jj.
        if (base_ref.starts_with("refs/") || base_ref.parse::<Commit>().is_ok())
            && let Some(commit) = branch::commit_of(&store, base_ref)?
        {
            return Ok(Some((repository, commit)));
        }
        jj_version()?;
        let _lock = RepoLock::take(repository.root());
        let meant = if matches!(base_ref, "HEAD" | "@") { BELOW_WORKING_COPY } else { base_ref };
        let commit = repository.revision(meant)?;
        Ok(Some((repository, commit)))
    }

    /// Whether only jj knows the git directory of the repository.
    #[must_use]
    pub fn has_hidden_git_store(&self) -> bool {
        link::hidden_git_store(self.root()).is_some()
    }

    /// The branch that work is merged into unless one is named: the one that is checked out. A user of jj has none
    /// checked out; there it is the nearest bookmark, if there is one alone.
    pub fn branch_to_merge_into(&self) -> Result<Option<String>> {
        let hidden = link::hidden_git_store(self.root()).is_some();
        let checked_out = if hidden { None } else { self.current_branch()? };
        if checked_out.is_some() || Self::kept_by_jj(self.root()).is_none() {
            return Ok(checked_out);
        }
        let jj = JjCommand::reading(self.root()).run(["log", "--no-graph", "--template", NAMES]);
        let printed = match jj.arg(format!("--revisions={NEAREST_BOOKMARKS}")).read() {
            Ok(printed) => printed,
            // A colocated repository can be used without jj.
            Err(crate::WorkspaceError::Jj(JjError::Missing)) if !hidden => return Ok(None),
            Err(error) => return Err(error),
        };
        // A run that has committed nothing has its bookmark beside that of its user.
        let mut names = printed.lines().filter(|name| !name.starts_with(OF_RUNS));
        Ok(names.next().filter(|_| names.next().is_none()).map(str::to_owned))
    }

    /// Lets git see the bookmarks of jj as its branches, where it does not by itself.
    pub fn bookmarks_to_git(&self) -> Result<()> {
        self.exchange("export")
    }

    /// Lets jj see the branches of git as its bookmarks, where it does not by itself.
    pub fn branches_to_jj(&self) -> Result<()> {
        self.exchange("import")
    }

    fn exchange(&self, direction: &str) -> Result<()> {
        if link::hidden_git_store(self.root()).is_none() {
            return Ok(());
        }
        let _lock = RepoLock::take(self.root());
        JjCommand::reading(self.root()).run(["git"]).arg(direction).read().map(drop)
    }
}
