//! The prompt in a worktree, which git ignores: if an agent or a user changed it, it is saved in the run directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::home::{Home, HomeError, read_whole, write_atomically};
use crate::store::RunRow;
use agency_workspace::WorkspaceError;

/// Where the prompt is in a worktree.
const IN_WORKTREE: &str = ".agency/prompt.md";
/// Its name in the run directory.
const SAVED_AS: &str = "prompt.edited.md";
/// A larger one is named and not saved.
const MAX_PROMPT_BYTES: u64 = 16 * 1024 * 1024;

/// A prompt that differs from the one of the run.
#[derive(Debug)]
pub(super) struct EditedPrompt {
    /// `None` if it cannot be saved: it is too large, or the run directory is gone.
    text: Option<Vec<u8>>,
    target: PathBuf,
}

impl EditedPrompt {
    /// Looks for one in the worktree of a run. A link is not followed.
    pub(super) fn find(home: &Home, row: &RunRow) -> Option<Self> {
        let path = Path::new(row.worktree_path.as_deref()?).join(IN_WORKTREE);
        let is_directory = path.parent()?.symlink_metadata().is_ok_and(|found| found.is_dir());
        let found = fs::symlink_metadata(&path).ok().filter(|found| is_directory && found.is_file())?;
        let target = home.run(&row.id).file(SAVED_AS);
        if found.len() > MAX_PROMPT_BYTES || !home.run(&row.id).path().is_dir() {
            return Some(Self { text: None, target });
        }
        let text = read_whole(&path).ok()?;
        let is_given = |id| read_whole(&home.run(id).file("prompt.md")).is_ok_and(|given| given == text);
        let is_known = is_given(&row.id) || is_given(&row.worktree_owner());
        (!is_known).then_some(Self { text: Some(text), target })
    }

    /// Writes it to the run directory.
    pub(super) fn save(&self) -> Result<(), WorkspaceError> {
        let unsaved = |HomeError { action, path, source }| WorkspaceError::Io { action, path, source };
        self.text.as_ref().map_or(Ok(()), |text| write_atomically(&self.target, text)).map_err(unsaved)
    }

    /// What happens to it, as text.
    pub(super) fn note(&self) -> String {
        match &self.text {
            Some(_) => format!("{IN_WORKTREE}, which git ignores, is saved as {}", self.target.display()),
            None => {
                format!("{IN_WORKTREE}, which git ignores, is not saved: it is too large, or the run directory is gone")
            }
        }
    }
}
