//! Rebuilds a row without `meta.json`: from `spec.json`, the other files, and the repository.

use std::path::Path;

use agency_model::spec::RunSpec;
use agency_model::{RunId, RunKind, Vcs, VcsChoice, WorkspaceKind};
use agency_workspace::{Repository, WorkspaceError};
use jiff::Timestamp;

use super::history::History;
use super::snapshot::{MAX_FILE_BYTES, RowError, SnapshotError, check, is_worktree_of, read_json};
use crate::home::{Home, RunDirectory, read_private_file};
use crate::runs::user_repository::users;
use crate::store::RunRow;

/// Why a row cannot be rebuilt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RebuildError {
    #[error(transparent)]
    Spec(#[from] SnapshotError),
    #[error("its base was not found: {0}")]
    Base(#[from] WorkspaceError),
    #[error(transparent)]
    Row(#[from] RowError),
}

/// The row as far as the other files define it, or why they do not.
pub(super) fn rebuild(home: &Home, id: &RunId, history: &History) -> Result<RunRow, RebuildError> {
    let directory = home.run(id);
    let spec: RunSpec = read_json(&directory, "spec.json")?;
    let (repository, base) = Repository::open_at(&users(home, spec.repo.as_ref())?, &spec.base_ref)?;
    let worktree = line_of(&directory, "worktree_path.txt").filter(|path| is_worktree_of(home, Path::new(path)));
    let is_ask = directory.file("sources.json").exists();
    let created_at = history.created_at.unwrap_or_else(|| created(id));
    let own_branch = spec.workspace == WorkspaceKind::Worktree;
    let row = RunRow {
        repo_fingerprint: repository.fingerprint(),
        base_commit: base.as_str().to_owned(),
        new_branch: spec.new_branch.clone().or_else(|| own_branch.then(|| id.default_branch())),
        worktree_path: worktree,
        kind: if is_ask { RunKind::Ask } else { RunKind::Run },
        vcs: if spec.vcs == VcsChoice::Jj { Vcs::Jj } else { Vcs::Git },
        ..RunRow::queued(id.clone(), created_at, &spec)
    };
    Ok(check(home, id, row)?)
}

fn line_of(directory: &RunDirectory, name: &str) -> Option<String> {
    let text = read_private_file(&directory.file(name), MAX_FILE_BYTES).ok()?;
    String::from_utf8(text).ok().map(|text| text.trim_end().to_owned())
}

/// The moment that an id names.
fn created(id: &RunId) -> Timestamp {
    let ulid = id.as_str().strip_prefix("r_").and_then(|text| ulid::Ulid::from_string(text).ok());
    let moment = ulid.and_then(|ulid| i64::try_from(ulid.timestamp_ms()).ok());
    moment.and_then(|moment| Timestamp::from_millisecond(moment).ok()).unwrap_or(Timestamp::UNIX_EPOCH)
}
