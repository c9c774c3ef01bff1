//! Whether a worktree is prepared: a file in the run directory of the run that made it.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::WorktreeSettings;
use crate::home::{HomeError, RunDirectory, read_whole};

const FILE: &str = "setup.json";

/// How far the preparation of a worktree is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PreparedState {
    /// What identifies the approved content.
    pub(crate) sha256: String,
    /// Whether it has ended well.
    pub(crate) done: bool,
}

impl PreparedState {
    /// The state of the worktree that this run made; `None` for one that is not prepared at all.
    pub(crate) fn read(owner: &RunDirectory) -> Result<Option<Self>, HomeError> {
        let path = owner.file(FILE);
        match read_whole(&path) {
            Ok(text) => {
                let state = serde_json::from_slice(&text);
                state.map(Some).map_err(|error| HomeError::new("read", path, error.into()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(HomeError::new("read", path, error)),
        }
    }

    /// Replaces the state.
    pub(crate) fn write(&self, owner: &RunDirectory) -> Result<(), HomeError> {
        owner.write_json(FILE, self)
    }
}

/// What a supervisor has to do before its agent starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeOrders {
    /// The user's own checkout.
    pub checkout: PathBuf,
    /// What was approved.
    pub settings: WorktreeSettings,
    /// What identifies it.
    pub sha256: String,
}
