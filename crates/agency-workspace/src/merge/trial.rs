//! A working tree with the files of a merge, for hooks that look at them. It lives only as long as the merge is made.

use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::user_settings::UserSettings;
use super::super::{Commit, GitWorktree, WorkspaceError, trash};
use super::MergeError;
use super::context::MergeContext;
use agency_system::fault;

/// A working tree at the target's commit, whose index and files are those of the merge.
pub(super) struct Trial {
    common_dir: PathBuf,
    pub(super) path: PathBuf,
}

impl Trial {
    /// Checks out a tree next to the worktree. What a merge that was killed left there is cleared away.
    pub(super) fn make(
        place: &MergeContext,
        worktree: &GitWorktree,
        at: &Commit,
        tree: &str,
    ) -> Result<Self, MergeError> {
        let parent = worktree.path.parent().unwrap_or(&worktree.worktrees_root);
        trash::make_private(parent)?;
        let path = parent.join(format!(".merging-{}", worktree.run));
        trash::discard(&path)?;
        let trial = Self { common_dir: place.common_dir.clone(), path };
        GitCommand::on(&place.common_dir)
            // Twice: the entry of one that was killed may be there, and locked.
            .run(["worktree", "add", "--quiet", "--force", "--force", "--detach", "--no-checkout", "--"])
            .arg(&trial.path)
            .arg(at.as_str())
            .read()?;
        let files = UserSettings::of_new_tree(&place.common_dir)?
            .set(GitCommand::at(&trial.path))
            .config("core.hooksPath=/dev/null");
        files.run(["read-tree", "--reset", "-u"]).arg(tree).read()?;
        fault::point("merge.tried");
        Ok(trial)
    }

    /// The index of the working tree.
    pub(super) fn index(&self) -> Result<PathBuf, MergeError> {
        let printed = GitCommand::at(&self.path).run(["rev-parse", "--path-format=absolute", "--git-path", "index"]);
        Ok(PathBuf::from(printed.read_line()?))
    }

    /// The tree of the index, which a hook may have changed.
    pub(super) fn tree(&self) -> Result<String, MergeError> {
        Ok(GitCommand::at(&self.path).run(["write-tree"]).read_line()?)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        // What stays is cleared away by the next merge.
        let _ = remove(&self.common_dir, &self.path);
    }
}

fn remove(common_dir: &Path, path: &Path) -> Result<(), WorkspaceError> {
    let git = GitCommand::on(common_dir).run(["worktree", "remove", "--force", "--force", "--"]);
    git.arg(path).read()?;
    trash::discard(path)
}
