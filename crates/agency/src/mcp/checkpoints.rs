//! The tools `list_checkpoints` and `restore_checkpoint`.

use agency_workspace::RestoreRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::runs::One;
use super::tool::Call;
use crate::problem::Problem;
use crate::view::{Checkpoints, RestoredCheckpoint};

/// What `restore_checkpoint` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Restoring {
    /// The run: its id, the beginning of its id, or its name.
    run: String,
    /// Which checkpoint; 0 is the start.
    number: u32,
}

/// The checkpoints of a run, the last one first.
pub(super) fn list(call: &Call) -> Result<Reply, Problem> {
    let One { run } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select(&mut agency, &run)?;
    Reply::new(&Checkpoints::new(&row, agency.checkpoint_sizes(&row)?))
}

/// Changes the files of a run at rest to what a checkpoint has.
pub(super) fn restore(call: &Call) -> Result<Reply, Problem> {
    let Restoring { run, number } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select(&mut agency, &run)?;
    let restored = agency.restore_checkpoint(&row, RestoreRequest { number, commits: false }, false)?;
    Reply::new(&RestoredCheckpoint::new(&agency, &row, number, &restored))
}
