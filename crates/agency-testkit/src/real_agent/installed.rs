//! Where `scripts/agents` put the agents.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use agency_adapters::AGENT_VERSIONS;

/// Names the directory of the agents' commands, if it is not the one beside the test's own build.
const VARIABLE: &str = "AGENCY_TEST_AGENTS";

/// The directory with the commands of the agents; panics with what to do unless the right ones are there.
#[track_caller]
pub(super) fn directory() -> PathBuf {
    let commands = env::var_os(VARIABLE).map(PathBuf::from).or_else(beside_the_test).unwrap_or_default();
    // The script leaves a copy of what it installed two directories above the commands.
    let stamp = commands.join("../../installed.toml");
    match fs::read_to_string(&stamp) {
        Ok(installed) if installed == AGENT_VERSIONS => commands,
        Ok(_) => panic!("the agents in {} are not those of this version: run scripts/agents", commands.display()),
        Err(_) => panic!("the real agents are not installed: run scripts/agents, or leave out the feature real-agents"),
    }
}

/// The directory of the protocol's own TypeScript SDK; panics with what to do unless it is there.
#[track_caller]
pub fn mcp_sdk() -> PathBuf {
    let commands = directory();
    // Beside the agents, in a tree of its own.
    let place = commands.parent().and_then(Path::parent).unwrap_or(Path::new("")).join("mcp-sdk");
    let sdk = place.join("node_modules/@modelcontextprotocol/sdk");
    assert!(sdk.join("package.json").is_file(), "the MCP SDK is not installed: run scripts/agents");
    sdk
}

/// The version of a built-in agent by its name.
#[track_caller]
pub(super) fn version(runner: &str) -> String {
    let table = AGENT_VERSIONS.split(&format!("[{runner}]\n")).nth(1).unwrap();
    let version = table.lines().find_map(|line| line.strip_prefix("version = ")).unwrap();
    version.trim_matches('"').to_owned()
}

/// In the target directory, which the test's program is in.
fn beside_the_test() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let places = program.ancestors().map(|directory| directory.join("agents/node_modules/.bin"));
    places.into_iter().find(|place| place.is_dir())
}

#[cfg(test)]
mod tests {
    use crate::RealAgent;
    use agency_adapters::AGENT_VERSIONS;

    #[test]
    fn every_agent_has_a_version() {
        for agent in RealAgent::ALL {
            assert!(AGENT_VERSIONS.contains(&format!("\n[{}]\ncommand = ", agent.runner())), "{agent:?}");
        }
    }
}
