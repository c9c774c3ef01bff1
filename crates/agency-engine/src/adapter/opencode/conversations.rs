//! The conversations of opencode: what `opencode session list` prints.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::adapter::Search;
use crate::process::output_with_timeout;

/// How long it may take for its list, and how much it may print.
const LISTING_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_OUTPUT_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Deserialize)]
struct Listed {
    id: String,
    directory: PathBuf,
    updated: u64,
}

/// The id of the newest conversation in a directory.
pub(super) fn newest(search: &Search<'_>) -> Option<String> {
    let mut command = Command::new(search.program);
    command.args(["session", "list", "--format", "json"]).current_dir(search.directory);
    command.env_clear().envs(search.environment);
    let output = output_with_timeout(&mut command, LISTING_TIMEOUT, MAX_OUTPUT_BYTES)?;
    let listed: Vec<Listed> = serde_json::from_slice(&output).ok()?;
    let here = listed.into_iter().filter(|listed| listed.directory == search.directory);
    here.max_by_key(|listed| listed.updated).map(|listed| listed.id)
}
