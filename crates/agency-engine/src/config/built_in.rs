//! The agents that are known without a configuration file: each adapter has its entry of one.

use super::resolve::overlay;
use super::{AgentConfig, ScreenSource, document};
use std::collections::BTreeMap;
use std::path::Path;

use agency_adapters::AgentAdapter;

/// The name of a workflow's driver in its run.
pub(crate) const WORKFLOW_DRIVER: &str = "workflow";

/// The built-in agents by name.
pub(super) fn agents() -> BTreeMap<String, AgentConfig> {
    let mut agents = agents_of(agency_adapters::built_in());
    let others = agency_adapters::registered().into_iter();
    agents.extend(others.filter_map(|adapter| Some((adapter.name().to_owned(), registered(adapter)?))));
    agents
}

/// The adapters of the built-in agents and of the program's own.
fn adapters() -> impl Iterator<Item = &'static dyn AgentAdapter> {
    agency_adapters::built_in().chain(agency_adapters::registered())
}

/// The names of all agents that are known without a configuration file.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    adapters().map(AgentAdapter::name)
}

/// One of these agents.
pub(super) fn find(name: &str) -> Option<AgentConfig> {
    if let Some(adapter) = agency_adapters::built_in().find(|adapter| adapter.name() == name) {
        return agent(adapter);
    }
    agency_adapters::registered().into_iter().find(|adapter| adapter.name() == name).and_then(registered)
}

/// The agent of an adapter of the program's own. Of its program nothing is known but what the adapter says.
pub(super) fn registered(adapter: &'static dyn AgentAdapter) -> Option<AgentConfig> {
    Some(AgentConfig { built_in: false, ..agent(adapter)? })
}

pub(super) fn agents_of(adapters: impl Iterator<Item = &'static dyn AgentAdapter>) -> BTreeMap<String, AgentConfig> {
    adapters.filter_map(|adapter| Some((adapter.name().to_owned(), agent(adapter)?))).collect()
}

/// The driver of a workflow.
pub(crate) fn driver() -> AgentConfig {
    agent(agency_adapters::WORKFLOW_DRIVER).unwrap_or_else(|| AgentConfig::new(String::new()))
}

/// The agent of an adapter, by its own entry of a configuration; a test reads every one of them.
fn agent(adapter: &'static dyn AgentAdapter) -> Option<AgentConfig> {
    let path = Path::new(adapter.name());
    let (mut file, _) = document::parse(path, adapter.defaults()).ok()?;
    let written = file.agents.remove(adapter.name())?;
    let mut agent = AgentConfig::new(written.command.clone()?);
    overlay(&mut agent, written, path);
    agent.own_command = adapter.is_own_program();
    agent.screen = ScreenSource::BuiltIn(adapter.name().to_owned());
    agent.adapter = adapter;
    agent.built_in = true;
    Some(agent)
}

#[cfg(test)]
mod tests {
    use agency_adapters::DEFAULT_AGENT;

    use super::{WORKFLOW_DRIVER, agent, agents};
    use crate::config::Form;
    use crate::config::agent_name::{is_valid, normalised};

    #[test]
    fn names_are_valid_and_spelled_the_one_right_way() {
        for name in agents().keys() {
            assert!(is_valid(name), "{name}");
            assert_eq!(&normalised(name), name);
        }
    }

    #[test]
    fn every_entry_is_read_by_the_reader_of_the_configuration() {
        for adapter in agency_adapters::built_in().chain([agency_adapters::WORKFLOW_DRIVER]) {
            let text = adapter.defaults();
            let path = std::path::Path::new(adapter.name());
            let (file, _) = crate::config::document::parse(path, text).map_err(|error| error.to_string()).unwrap();
            assert_eq!(file.agents.keys().map(String::as_str).collect::<Vec<_>>(), [adapter.name()]);
            assert!(agent(adapter).is_some(), "{adapter:?}");
        }
        assert_eq!(agency_adapters::WORKFLOW_DRIVER.name(), WORKFLOW_DRIVER);
    }

    #[test]
    fn the_default_agent_is_one_of_them() {
        assert!(agents().contains_key(DEFAULT_AGENT.name()));
    }

    #[test]
    fn the_tested_versions_are_those_that_the_tests_install() {
        let pinned: toml::Table = agency_adapters::AGENT_VERSIONS.parse().unwrap();
        for (name, agent) in agents() {
            let pin = pinned.get(&name).and_then(|pin| pin.get("version")).and_then(toml::Value::as_str);
            assert_eq!(agent.adapter.tested_version(), pin, "{name}");
        }
    }

    // proves P3
    #[test]
    fn every_way_of_starting_is_as_written_down() {
        let form = |form: &Form| {
            let resume = form.resume.as_ref().map_or_else(|| "-".to_owned(), |resume| resume.join(" "));
            format!("{} [{}, {}] resume: {resume}", form.args.join(" "), form.prompt, form.stream)
        };
        let lines: Vec<String> = agents()
            .into_iter()
            .map(|(name, agent)| {
                let one_shot = agent.one_shot.as_ref().map_or_else(|| "-".to_owned(), form);
                format!(
                    "{name}: {}\n  interactive: {}\n  headless: {}\n  one_shot: {one_shot}",
                    agent.command,
                    form(&agent.interactive),
                    form(&agent.headless),
                )
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        claude_code: claude
          interactive:  [argument, text] resume: --resume {session}
          headless: -p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio [protocol, claude] resume: -p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio --resume {session}
          one_shot: -p --output-format stream-json --verbose [stdin, claude] resume: -p --output-format stream-json --verbose --resume {session}
        codex: codex
          interactive: --no-daemon [argument, text] resume: resume --no-daemon {session}
          headless: app-server -c approval_policy="on-request" -c sandbox_mode="workspace-write" [protocol, codex] resume: app-server -c approval_policy="on-request" -c sandbox_mode="workspace-write"
          one_shot: exec --json - [stdin, codex] resume: exec resume --json {session} -
        cursor: cursor-agent
          interactive:  [argument, text] resume: --resume {session}
          headless: -p --output-format stream-json [argument, claude] resume: -p --output-format stream-json --resume {session}
          one_shot: -
        gemini: gemini
          interactive:  [flag:--prompt-interactive, text] resume: --resume {session}
          headless: --acp [protocol, acp] resume: --acp
          one_shot: -o stream-json -p  [stdin, gemini] resume: -o stream-json -p  --resume {session}
        opencode: opencode
          interactive:  [flag:--prompt, text] resume: -s {session}
          headless: acp [protocol, acp] resume: acp
          one_shot: run --format json [stdin, opencode] resume: run --format json -s {session}
        scripted: agency
          interactive: scripted [file, text] resume: -
          headless: scripted [file, text] resume: -
          one_shot: -
        "#);
    }
}
