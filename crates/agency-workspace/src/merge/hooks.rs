//! Runs the hooks of a repository that `git merge` and `git commit` would run.
//!
//! The one rule: a hook is looked for where a user would merge, and refuses by its exit code.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::super::WorkspaceError;
use super::super::git_command::GitCommand;
use super::MergeError;
use super::combine::{MessageFile, message_file};
use super::context::{MergeContext, main_tree};

/// The hooks of a repository, and what they receive about the merge.
pub(super) struct Hooks<'a> {
    place: &'a MergeContext,
    directory: PathBuf,
    /// What git notes in `GIT_REFLOG_ACTION`.
    action: String,
}

/// One call of a hook.
pub(super) struct Call<'a> {
    pub(super) hook: &'static str,
    pub(super) arguments: &'a [OsString],
    /// The index with what is merged.
    pub(super) index: Option<&'a Path>,
}

/// The hooks of the repository's own working tree, or of its git directory where it has none. A relative
/// `core.hooksPath` means a directory there, never one in the worktree of a run.
pub(in super::super) fn hooks_directory(common_dir: &Path) -> Result<PathBuf, MergeError> {
    directory_at(&main_tree(common_dir)?.unwrap_or_else(|| common_dir.to_owned()))
}

/// The directory in which git looks for hooks when it runs somewhere.
pub(super) fn directory_at(top: &Path) -> Result<PathBuf, MergeError> {
    let mut printed = GitCommand::at(top).run(["rev-parse", "--git-path", "hooks"]).read()?;
    printed.truncate(printed.trim_ascii_end().len());
    Ok(top.join(OsString::from_vec(printed)))
}

impl<'a> Hooks<'a> {
    /// Finds the directory of the hooks.
    pub(super) fn of(place: &'a MergeContext, branch: &str) -> Result<Self, MergeError> {
        let directory = directory_at(&place.top)?;
        Ok(Self { place, directory, action: format!("merge {branch}") })
    }

    /// Whether there is such a hook, which git runs only if it is executable.
    pub(super) fn has(&self, hook: &str) -> bool {
        let found = fs::metadata(self.directory.join(hook));
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }

    /// Runs a hook, if there is one, where a user would merge.
    pub(super) fn run(&self, call: &Call<'_>) -> Result<(), MergeError> {
        self.run_in(&self.place.top, call)
    }

    /// Runs a hook in another working tree of the repository.
    pub(super) fn run_in(&self, directory: &Path, call: &Call<'_>) -> Result<(), MergeError> {
        if !self.has(call.hook) {
            return Ok(());
        }
        // The hooks may lie at a path that is relative to where a user would merge.
        let git = GitCommand::at(directory).config(&format!("core.hooksPath={}", self.directory.display()));
        // As git does when no editor is opened.
        let git = git.in_users_language().env("GIT_EDITOR", ":").env("GIT_REFLOG_ACTION", &self.action);
        let git = match call.index {
            Some(index) => git.env("GIT_INDEX_FILE", index),
            None => git,
        };
        let git = git.run(["hook", "run", "--ignore-missing", call.hook, "--"]).args(call.arguments);
        let finished = git.finish_despite_hooks()?;
        if finished.success {
            return Ok(());
        }
        Err(MergeError::HookRefused { hook: call.hook, message: finished.stderr })
    }

    /// Lets the hooks write and check the message of a commit, and returns what it is then.
    pub(super) fn message(&self, message: &str, kind: &str, index: Option<&Path>) -> Result<MessageFile, MergeError> {
        let unusable = |source| WorkspaceError::io("keep the message in", &std::env::temp_dir())(source);
        let file = message_file(format!("{}\n", message.trim_end()).as_bytes())?;
        let path = file.path().as_os_str().to_owned();
        self.run(&Call { hook: "prepare-commit-msg", arguments: &[path.clone(), kind.into()], index })?;
        self.run(&Call { hook: "commit-msg", arguments: &[path], index })?;
        let written = fs::File::open(file.path()).map_err(unusable)?;
        let clean = self.place.git().run(["stripspace"]).input(written).read()?;
        if clean.is_empty() {
            let message = "the message of the commit is empty".to_owned();
            return Err(MergeError::HookRefused { hook: "commit-msg", message });
        }
        // A hook may have put another file in its place.
        fs::write(file.path(), clean).map_err(unusable)?;
        Ok(file)
    }
}
