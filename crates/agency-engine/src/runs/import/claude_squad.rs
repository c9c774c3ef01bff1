//! The instances of claude-squad: a JSON file with a list.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use super::{Found, ImportError};

/// No state file is longer: it holds the diffs of all instances.
const MAX_STATE_BYTES: u64 = 256 * 1024 * 1024;

#[derive(Deserialize)]
struct SquadState {
    #[serde(default)]
    instances: Option<Vec<Instance>>,
}

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    title: String,
    #[serde(default)]
    branch: String,
    #[serde(default)]
    program: String,
    created_at: Option<String>,
    #[serde(default)]
    worktree: InstanceWorktree,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct InstanceWorktree {
    repo_path: PathBuf,
    worktree_path: PathBuf,
    branch_name: String,
    base_commit_sha: String,
}

/// Reads the state file.
pub(super) fn read(path: &Path) -> Result<Vec<Found>, ImportError> {
    let mut text = vec![];
    let file = File::open(path).map_err(|error| ImportError::unreadable(path, &error))?;
    file.take(MAX_STATE_BYTES).read_to_end(&mut text).map_err(|error| ImportError::unreadable(path, &error))?;
    let state: SquadState = serde_json::from_slice(&text).map_err(|error| ImportError::unreadable(path, &error))?;
    Ok(state.instances.unwrap_or_default().into_iter().map(found).collect())
}

fn found(instance: Instance) -> Found {
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    Found {
        branch: given(instance.worktree.branch_name).or(given(instance.branch)),
        title: instance.title,
        repo: instance.worktree.repo_path,
        worktree: instance.worktree.worktree_path,
        base: given(instance.worktree.base_commit_sha),
        agent: given(instance.program),
        created_at: instance.created_at.and_then(|at| at.parse::<Timestamp>().ok()),
    }
}
