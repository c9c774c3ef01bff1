//! Asks an agent's program for a list: of its MCP servers, or of its conversations.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agency_adapters::{ServerListing, Variables};
use agency_system::process::output_with_timeout;
use serde_json::Value;

/// How long an agent may take to print its list.
const LISTING_TIMEOUT: Duration = Duration::from_secs(60);
/// A list is never longer.
const MAX_OUTPUT_BYTES: u64 = 16 * 1024 * 1024;

/// What the program prints when it is started in a directory; none where it fails.
#[expect(clippy::disallowed_methods, reason = "an agent is asked for its settings and conversations")]
pub(super) fn output(program: &Path, args: &[&str], directory: &Path, environment: &Variables) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(args).current_dir(directory).env_clear().envs(environment);
    output_with_timeout(&mut command, LISTING_TIMEOUT, MAX_OUTPUT_BYTES)
}

/// Asks an agent which MCP servers it would start. It runs in the root directory, where no project is.
#[must_use]
pub fn listed_servers(listing: &ServerListing, program: &Path, environment: &Variables) -> Option<Value> {
    let mut environment = environment.clone();
    environment.extend(listing.env.iter().map(|(name, value)| (name.into(), value.into())));
    serde_json::from_slice(&output(program, listing.args, Path::new("/"), &environment)?).ok()
}
