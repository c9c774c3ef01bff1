//! A built-in agent is added by a folder and a line of the registry.

use std::path::Path;

use agency_adapters::screen::{ScreenRules, ScreenText};
use agency_adapters::{Adjusted, AgentAdapter, LaunchRequest, McpRequest, Prompt};
use agency_model::{Activity, Mode};

use self::acme::Acme;
use crate::config::built_in::agents_of;

#[path = "../../../../agency-adapters/src/acme.rs"]
mod acme;

/// The files are those of "Add a built-in agent" in `docs/agents.md`, which a test of the documentation compares.
#[test]
fn a_sixth_agent_is_one_folder_and_one_entry_of_the_registry() {
    let sixth: &dyn AgentAdapter = &Acme;
    let agents = agents_of(agency_adapters::built_in().chain([sixth]));
    let acme = &agents["acme"];
    assert!(acme.built_in && !acme.own_command);
    assert_eq!((acme.command.as_str(), acme.adapter.tested_version()), ("acme", Some("1.0.0")));
    assert_eq!(acme.headless.resume.as_deref(), Some(["acp".to_owned()].as_slice()));
    assert!(acme.takes_mcp_servers(Mode::Headless, false) && !acme.takes_mcp_servers(Mode::Interactive, false));
    let launch = |mode, one_shot, resume| {
        let request = LaunchRequest {
            mode,
            one_shot,
            prompt: Some(Prompt { text: "-do it", file: "./p.md" }),
            extra_args: &[],
            directory: Path::new("/w"),
            resume,
            session: Some("s1"),
            trusted: true,
            mcp: &McpRequest::default(),
            commit_roots: &[],
        };
        acme.launch_config(&request).unwrap().args.join(" ")
    };
    assert_eq!(launch(Mode::Interactive, false, None), "--session s1 --trust -- -do it");
    assert_eq!(launch(Mode::Interactive, false, Some("s0")), "--continue s0 --trust -- -do it");
    assert_eq!(launch(Mode::Headless, false, Some("s0")), "acp --trust");
    assert_eq!(launch(Mode::Headless, true, None), "run - --trust");
    let rules = ScreenRules::parse(Path::new("acme"), sixth.screen_rules().unwrap()).unwrap();
    let asked = rules.read(&ScreenText::plain("Allow this command?\n  make\n> 1. Yes\n  2. No\n"));
    assert_eq!(asked.question.unwrap().question.detail, "make");
    assert_eq!(rules.read(&ScreenText::plain("acme> ")).activity, Activity::Idle);
}
