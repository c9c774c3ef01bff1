//! The user's jj repository: found, checked and named before anything is made.

use std::path::{Path, PathBuf};

use agency_model::RunId;

use super::JjError;
use super::command::{JjCommand, jj_version};
use super::link;
use super::lock::RepoLock;
use super::revision::{bookmarked, revisions};
use crate::repository::check_directory;
use crate::{Commit, Repository, Restored, Result, WorkspaceError, branch_changes, saved_work};

/// What git calls the commit one works on has no name of its own in jj.
const WORKING_COPY: [&str; 2] = ["HEAD", "@"];

impl Repository {
    /// The jj repository that a path lies in, if it lies in one. Only looks at files.
    #[must_use]
    pub fn kept_by_jj(path: &Path) -> Option<Self> {
        link::workspace_around(path).map(Self::from_root)
    }

    /// Opens the jj repository whose working copy holds `path` and finds the one revision of `base_ref`. Jj takes in the
    /// files of that working copy, as it does for every command of its user.
    pub fn open_with_jj(path: &Path, base_ref: &str) -> Result<(Self, Commit)> {
        check_directory(path)?;
        let no_repository = |message: String| JjError::NotARepository { path: path.to_owned(), message };
        let around = link::workspace_around(path).ok_or_else(|| no_repository(String::new()))?;
        jj_version()?;
        let _lock = RepoLock::take(&around);
        let asked = JjCommand::reading(&around).run(["workspace", "root"]).finish()?;
        let root = match asked.stdout.strip_suffix(b"\n") {
            Some(printed) if asked.success => Self::at(printed)?,
            Some(_) | None => return Err(no_repository(asked.stderr).into()),
        };
        let base = root.revision(base_ref)?;
        Ok((root, base))
    }

    /// Opens a jj repository whose root and base are known from an earlier run.
    pub fn reopen_with_jj(root: PathBuf, base: &str) -> Result<(Self, Commit)> {
        if link::git_store_of(&root).is_none() {
            return Err(JjError::NotARepository { path: root, message: String::new() }.into());
        }
        let unknown =
            |_| JjError::BadBase { revset: base.to_owned(), root: root.clone(), why: "is not a commit".to_owned() };
        let commit = base.parse().map_err(unknown)?;
        Ok((Self::from_root(root), commit))
    }

    /// Checks that a bookmark can be made.
    pub fn check_new_bookmark(&self, name: &str) -> Result<()> {
        crate::branch_changes::check_plain(name)?;
        match bookmarked(JjCommand::reading(self.root()), name)? {
            Some(_) => Err(WorkspaceError::BranchExists { name: name.to_owned() }),
            None => Ok(()),
        }
    }

    /// The one revision that a revset means, which must be usable to start from.
    pub(super) fn revision(&self, revset: &str) -> Result<Commit> {
        let root = self.root();
        let bad = |why: String| JjError::BadBase { revset: revset.to_owned(), root: root.to_owned(), why }.into();
        if link::git_store_of(root).is_none() {
            return Err(JjError::NoGitStore { path: root.to_owned() }.into());
        }
        let meant = if WORKING_COPY.contains(&revset) { "@" } else { revset };
        let mut found = match revisions(JjCommand::on(root), meant) {
            Ok(found) => found,
            Err(WorkspaceError::Jj(JjError::Command { message, .. })) => {
                return Err(bad(format!("does not resolve: {message}")));
            }
            Err(error) => return Err(error),
        };
        match (found.pop(), found.len()) {
            (None, _) => Err(bad("means no revision".to_owned())),
            (Some(_), more @ 1..) => Err(bad(format!("means {} revisions; name one", more + 1))),
            (Some(revision), 0) if revision.conflicted => {
                Err(bad(format!("is conflicted ({}); resolve it first, or name another revision", revision.commit)))
            }
            (Some(revision), 0) if revision.commit.as_str().bytes().all(|digit| digit == b'0') => {
                Err(bad("is the root of all revisions, which git does not know; name another revision".to_owned()))
            }
            (Some(revision), 0) => Ok(revision.commit),
        }
    }
}

/// Makes a new bookmark at the work that a run's bookmark keeps. That one stays, so this can be done again.
pub fn restore_with_jj(repository: &Repository, kept_by: &str, new_bookmark: &str) -> Result<Option<Restored>> {
    let root = repository.root();
    let _lock = RepoLock::take(root);
    let Some(commit) = bookmarked(JjCommand::reading(root), kept_by)? else {
        return Ok(None);
    };
    repository.check_new_bookmark(new_bookmark)?;
    JjCommand::reading(root)
        .run(["bookmark", "create"])
        .arg(format!("--revision={commit}"))
        .arg("--")
        .arg(new_bookmark)
        .read()?;
    Ok(Some(Restored { branch: new_bookmark.to_owned(), commit, other_refs: vec![] }))
}

/// Makes a new bookmark at work that was saved to a ref because jj did not know the workspace any more.
pub fn restore_ref_with_jj(repository: &Repository, run: &RunId, new_bookmark: &str) -> Result<Option<Restored>> {
    let root = repository.root();
    let _lock = RepoLock::take(root);
    let no_store = || JjError::NoGitStore { path: root.to_owned() };
    let git_store = link::git_store_of(root).ok_or_else(no_store)?;
    let Some((_, commit)) = saved_work::locate(&git_store, run)? else {
        return Ok(None);
    };
    repository.check_new_bookmark(new_bookmark)?;
    // Jj learns of the commit from the branch, which becomes a bookmark.
    branch_changes::create(&git_store, new_bookmark, &commit)?;
    JjCommand::reading(root).run(["git", "import"]).read()?;
    Ok(Some(Restored { branch: new_bookmark.to_owned(), commit, other_refs: vec![] }))
}
