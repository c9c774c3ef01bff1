//! Reads `meta.json`, the snapshot of a run's row, and believes only what cannot lead outside the home.

use std::io;
use std::path::{Component, Path, PathBuf};

use agency_model::{RunId, WorkspaceKind};
use agency_workspace::Commit;
use serde::de::DeserializeOwned;

use crate::home::{Home, RunDirectory, read_private_file};
use crate::store::RunRow;

/// The maximum size of a snapshot.
pub(super) const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// What the directories of questions about sources are called, before their UUID.
const SCRATCH_PREFIX: &str = "lctx-";

const SNAPSHOT: &str = "meta.json";

/// Why a file of a run does not describe its row.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    #[error("{name}: {source}")]
    Read {
        name: &'static str,
        #[source]
        source: io::Error,
    },
    #[error("{name}: {source}")]
    Parse {
        name: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("{0}: {1}")]
    Row(&'static str, RowError),
}

/// Why a row is not believed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error("it is about {0}")]
    OtherRun(RunId),
    #[error("the worktree '{worktree}' is not below {}", expected.display())]
    Worktree { worktree: String, expected: PathBuf },
    #[error("'{0}' is not an absolute path")]
    Relative(String),
    #[error("'{0}' is not a scratch directory")]
    NoScratch(String),
    #[error("'{0}' is not a commit")]
    NoCommit(String),
    #[error("a branch or ref in it has a name that git does not allow")]
    RefName,
}

/// Reads a JSON file of a run.
pub(super) fn read_json<T: DeserializeOwned>(directory: &RunDirectory, name: &'static str) -> Result<T, SnapshotError> {
    let text = read_private_file(&directory.file(name), MAX_FILE_BYTES);
    let text = text.map_err(|source| SnapshotError::Read { name, source })?;
    serde_json::from_slice(&text).map_err(|source| SnapshotError::Parse { name, source })
}

/// The row that `meta.json` holds, or why it cannot be used.
pub(super) fn read(home: &Home, id: &RunId) -> Result<RunRow, SnapshotError> {
    check(home, id, unchecked(home, id)?).map_err(|error| SnapshotError::Row(SNAPSHOT, error))
}

/// The content of `meta.json`, to be compared with a row and not to be stored.
pub(super) fn unchecked(home: &Home, id: &RunId) -> Result<RunRow, SnapshotError> {
    read_json(&home.run(id), SNAPSHOT)
}

/// The row with the paths that follow from the id, if everything else in it is plausible.
pub(super) fn check(home: &Home, id: &RunId, mut row: RunRow) -> Result<RunRow, RowError> {
    if row.id != *id {
        return Err(RowError::OtherRun(row.id));
    }
    // Where an imported run works, nothing is ever removed.
    if let Some(path) = &row.worktree_path
        && row.workspace != WorkspaceKind::None
        && !is_worktree_of(home, Path::new(path))
    {
        return Err(RowError::Worktree { worktree: path.clone(), expected: home.worktrees() });
    }
    let repository = Path::new(&row.repo_path);
    if !is_plain(repository) {
        return Err(RowError::Relative(row.repo_path));
    }
    let name = repository.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if row.workspace == WorkspaceKind::Scratch && !name.starts_with(SCRATCH_PREFIX) {
        return Err(RowError::NoScratch(row.repo_path));
    }
    if row.workspace != WorkspaceKind::Scratch && row.base_commit.parse::<Commit>().is_err() {
        return Err(RowError::NoCommit(row.base_commit));
    }
    for name in [&row.new_branch, &row.saved_ref].into_iter().flatten() {
        if name.starts_with('-') || name.chars().any(|letter| letter.is_control() || letter == ' ') {
            return Err(RowError::RefName);
        }
    }
    let directory = home.run(id);
    row.stdout_log_path = directory.stdout_log().display().to_string();
    row.stderr_log_path = directory.stderr_log().display().to_string();
    row.tmux_session_name = row.tmux_session_name.map(|_| id.tmux_session());
    if row.state.is_terminal() {
        row.ended_at = row.ended_at.or(Some(row.updated_at));
        (row.phase, row.activity, row.activity_at) = (None, None, None);
    } else {
        (row.removed_at, row.ended_at) = (None, None);
    }
    Ok(row)
}

/// Whether this is where agency makes worktrees: `worktrees/<repository>/<run>`.
pub(super) fn is_worktree_of(home: &Home, path: &Path) -> bool {
    let Some(repository) = path.parent() else { return false };
    let Some(root) = repository.parent() else { return false };
    let names_a_run = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.parse::<RunId>().is_ok());
    let same_root = root == home.worktrees()
        || root.canonicalize().is_ok_and(|root| home.worktrees().canonicalize().is_ok_and(|ours| ours == root));
    is_plain(path) && names_a_run && same_root
}

/// Whether a path is absolute and has no `..`.
fn is_plain(path: &Path) -> bool {
    path.is_absolute() && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}
