//! A made-up agent for tests; docs/agents.md builds it step by step.

use super::{Adjusted, AgentAdapter, LaunchRequest};

pub(crate) struct Acme;

impl AgentAdapter for Acme {
    fn name(&self) -> &'static str {
        "acme"
    }

    fn defaults(&self) -> &'static str {
        include_str!("acme/agent.toml")
    }

    fn tested_version(&self) -> Option<&'static str> {
        Some("1.0.0")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("npm install -g acme")
    }

    fn screen_rules(&self) -> Option<&'static str> {
        Some(include_str!("acme/screen.toml"))
    }

    fn adjust_launch(&self, request: &LaunchRequest<'_>, _user_args: &[&String], launch: &mut Adjusted) {
        if request.trusted {
            launch.args.push("--trust".to_owned());
        }
    }

    fn session_args(&self) -> Option<&'static [&'static str]> {
        Some(&["--session", "{session}"])
    }
}
