//! Makes the commit to which the target will move. It changes nothing visible.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::temporary::TemporaryDirectory;
use super::super::{Commit, GitWorktree, WorkspaceError};
use super::context::MergeContext;
use super::hooks::{Call, Hooks};
use super::merge_tree::{Combined, merge_tree};
use super::trial::Trial;
use super::{Conflict, MergeError, MergeRequest, MergeStrategy, check_identity, replay};

/// One merge to make.
pub(super) struct Task<'a> {
    pub(super) worktree: &'a GitWorktree,
    pub(super) request: &'a MergeRequest,
    pub(super) place: &'a MergeContext,
    pub(super) target: &'a str,
    /// The commit of the target.
    pub(super) before: &'a Commit,
    /// The commit of the branch.
    pub(super) tip: &'a Commit,
}

/// The outcome.
pub(super) enum Made {
    /// A commit on top of the target.
    Commit(Commit),
    /// The target has it all already.
    Nothing,
    /// Some files do not merge.
    Conflicts { at: Option<Commit>, conflicts: Vec<Conflict> },
}

impl Task<'_> {
    /// Makes the commit, with the hooks that a user's merge would run.
    pub(super) fn make(&self) -> Result<Made, MergeError> {
        check_identity(|| self.place.git())?;
        let hooks = Hooks::of(self.place, &self.worktree.branch)?;
        match self.request.strategy {
            MergeStrategy::Merge => self.make_one(&hooks, "pre-merge-commit", "merge", &[self.before, self.tip]),
            MergeStrategy::Squash => self.make_one(&hooks, "pre-commit", "squash", &[self.before]),
            MergeStrategy::Rebase => {
                let arguments = [OsString::from(self.target), OsString::from(&self.worktree.branch)];
                hooks.run(&Call { hook: "pre-rebase", arguments: &arguments, index: None })?;
                replay::replay(self.place, self.before, self.tip)
            }
        }
    }

    /// Runs the hook that only informs. Git itself runs `post-merge` where it updates a checkout.
    pub(super) fn tell_hooks(&self) -> Result<(), MergeError> {
        match self.request.strategy {
            MergeStrategy::Merge | MergeStrategy::Rebase => Ok(()),
            MergeStrategy::Squash => {
                let hooks = Hooks::of(self.place, &self.worktree.branch)?;
                // The merge is made: what this hook says changes nothing.
                let _ = hooks.run(&Call { hook: "post-commit", arguments: &[], index: None });
                Ok(())
            }
        }
    }

    fn make_one(
        &self,
        hooks: &Hooks<'_>,
        files_hook: &'static str,
        kind: &str,
        parents: &[&Commit],
    ) -> Result<Made, MergeError> {
        let tree = match merge_tree(self.place, None, self.before, self.tip)? {
            Combined::Clean(tree) => tree,
            Combined::Conflicts(conflicts) => return Ok(Made::Conflicts { at: None, conflicts }),
        };
        if parents.len() == 1 && tree == tree_of(self.place, self.before)? {
            return Ok(Made::Nothing);
        }
        let trial = match hooks.has(files_hook) {
            true => Some(Trial::make(self.place, self.worktree, self.before, &tree)?),
            false => None,
        };
        let tree = match &trial {
            Some(trial) => {
                let index = trial.index()?;
                hooks.run_in(&trial.path, &Call { hook: files_hook, arguments: &[], index: Some(&index) })?;
                trial.tree()?
            }
            None => tree,
        };
        let index = match hooks.has("prepare-commit-msg") || hooks.has("commit-msg") {
            true => Some(StagedTree::of(self.place, &tree)?),
            false => None,
        };
        let message = match &self.request.message {
            Some(message) => message.clone(),
            None => self.usual_message()?,
        };
        let message = hooks.message(&message, kind, index.as_ref().map(|index| index.path.as_path()))?;
        let commit = NewCommit { tree: &tree, parents, message: message.path() };
        commit.make(self.place, self.place.git()).map(Made::Commit)
    }

    fn usual_message(&self) -> Result<String, MergeError> {
        let branch = &self.worktree.branch;
        let merging = format!("Merge branch '{branch}' into {}", self.target);
        if self.request.strategy != MergeStrategy::Squash {
            return Ok(merging);
        }
        let range = format!("{}..{}", self.before, self.tip);
        let log =
            || self.place.git().run(["log", "--no-show-signature", "--encoding=UTF-8", "--no-merges", "--reverse"]);
        let subjects = log().args(["--format=* %s", &range]).read_line()?;
        if subjects.lines().count() == 1 {
            return Ok(log().args(["--format=%B", &range]).read_line()?);
        }
        Ok(format!("{merging}\n\n{subjects}"))
    }
}

/// An index with one tree, for hooks that look at what is committed.
struct StagedTree {
    _directory: TemporaryDirectory,
    path: PathBuf,
}

impl StagedTree {
    fn of(place: &MergeContext, tree: &str) -> Result<Self, MergeError> {
        let directory = TemporaryDirectory::new()?;
        let path = directory.path().join("index");
        place.git().env("GIT_INDEX_FILE", &path).run(["read-tree"]).arg(tree).read()?;
        Ok(Self { _directory: directory, path })
    }
}

/// The tree of a commit.
pub(super) fn tree_of(place: &MergeContext, commit: &Commit) -> Result<String, MergeError> {
    Ok(place.git().run(["rev-parse", "--verify"]).arg(format!("{commit}^{{tree}}")).read_line()?)
}

/// A commit to make.
pub(super) struct NewCommit<'a> {
    pub(super) tree: &'a str,
    pub(super) parents: &'a [&'a Commit],
    /// The file with its message.
    pub(super) message: &'a Path,
}

impl NewCommit<'_> {
    /// Makes the commit with a git that knows its author, signed if the user signs commits.
    pub(super) fn make(&self, place: &MergeContext, git: GitCommand) -> Result<Commit, MergeError> {
        let signs = place.git().run(["config", "--type=bool", "--get", "commit.gpgSign"]).finish()?;
        let sign = (signs.stdout.trim_ascii_end() == b"true").then_some("-S");
        let parents = self.parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let git = git.run(["commit-tree"]).args(sign).args(parents).arg("-F").arg(self.message);
        let made = git.arg(self.tree).read_line()?;
        made.parse().map_err(|_| {
            let (command, directory) = ("commit-tree".to_owned(), place.top.clone());
            WorkspaceError::Git { command, directory, message: format!("printed '{made}'") }.into()
        })
    }
}

/// A message in a file, which `agency reconcile` deletes if the process is killed.
pub(super) struct MessageFile {
    path: PathBuf,
    _directory: TemporaryDirectory,
}

impl MessageFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a message where git can read it.
pub(super) fn message_file(message: &[u8]) -> Result<MessageFile, MergeError> {
    let unusable = |source| WorkspaceError::io("keep the message in", &std::env::temp_dir())(source);
    let directory = TemporaryDirectory::new()?;
    let path = directory.path().join("message");
    fs::write(&path, message).map_err(unusable)?;
    Ok(MessageFile { path, _directory: directory })
}
