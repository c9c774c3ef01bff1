//! The agents that are known without a configuration file, as data.

use super::{AgentConfig, ModeLaunch, PromptDelivery};
use crate::adapter::StreamFormat;
use std::collections::BTreeMap;

/// The agent of a run where nobody names one.
pub(super) const DEFAULT_AGENT: &str = "claude_code";

struct BuiltIn {
    name: &'static str,
    command: &'static str,
    own_command: bool,
    interactive: Launch,
    headless: Launch,
    stream: StreamFormat,
    install_hint: Option<&'static str>,
}

struct Launch {
    args: &'static [&'static str],
    prompt: Prompt,
}

/// [`PromptDelivery`] in a form that constants can hold.
#[derive(Clone, Copy)]
enum Prompt {
    Stdin,
    Argument,
    File,
    Flag(&'static str),
}

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: DEFAULT_AGENT,
        command: "claude",
        own_command: false,
        interactive: Launch { args: &[], prompt: Prompt::Argument },
        headless: Launch { args: &["-p", "--output-format", "stream-json", "--verbose"], prompt: Prompt::Stdin },
        stream: StreamFormat::Claude,
        install_hint: Some("npm install -g @anthropic-ai/claude-code"),
    },
    BuiltIn {
        name: "codex",
        command: "codex",
        own_command: false,
        interactive: Launch { args: &[], prompt: Prompt::Argument },
        headless: Launch { args: &["exec", "--json", "-"], prompt: Prompt::Stdin },
        stream: StreamFormat::Codex,
        install_hint: Some("npm install -g @openai/codex"),
    },
    BuiltIn {
        name: "gemini",
        command: "gemini",
        own_command: false,
        interactive: Launch { args: &[], prompt: Prompt::Flag("--prompt-interactive") },
        headless: Launch { args: &["-o", "stream-json", "-p", ""], prompt: Prompt::Stdin },
        stream: StreamFormat::Gemini,
        install_hint: Some("npm install -g @google/gemini-cli"),
    },
    BuiltIn {
        name: "opencode",
        command: "opencode",
        own_command: false,
        interactive: Launch { args: &[], prompt: Prompt::Flag("--prompt") },
        headless: Launch { args: &["run", "--format", "json"], prompt: Prompt::Stdin },
        stream: StreamFormat::Opencode,
        install_hint: Some("npm install -g opencode-ai"),
    },
    BuiltIn {
        name: "cursor",
        command: "cursor-agent",
        own_command: false,
        interactive: Launch { args: &[], prompt: Prompt::Argument },
        headless: Launch { args: &["-p", "--output-format", "stream-json"], prompt: Prompt::Argument },
        stream: StreamFormat::Claude,
        install_hint: Some("see Cursor's own documentation of its command line"),
    },
    BuiltIn {
        name: "scripted",
        command: "agency",
        own_command: true,
        interactive: Launch { args: &["scripted"], prompt: Prompt::File },
        headless: Launch { args: &["scripted"], prompt: Prompt::File },
        stream: StreamFormat::Text,
        install_hint: None,
    },
];

/// The built-in agents by name.
pub(super) fn agents() -> BTreeMap<String, AgentConfig> {
    BUILT_IN.iter().map(|built_in| (built_in.name.to_owned(), built_in.agent())).collect()
}

impl BuiltIn {
    fn agent(&self) -> AgentConfig {
        AgentConfig {
            command: self.command.to_owned(),
            own_command: self.own_command,
            args: Vec::new(),
            env: BTreeMap::new(),
            interactive: self.interactive.mode_launch(),
            headless: self.headless.mode_launch(),
            stream: self.stream,
            built_in: true,
            install_hint: self.install_hint,
        }
    }
}

impl Launch {
    fn mode_launch(&self) -> ModeLaunch {
        ModeLaunch {
            args: self.args.iter().map(|&arg| arg.to_owned()).collect(),
            prompt: match self.prompt {
                Prompt::Stdin => PromptDelivery::Stdin,
                Prompt::Argument => PromptDelivery::Argument,
                Prompt::File => PromptDelivery::File,
                Prompt::Flag(flag) => PromptDelivery::Flag(flag.to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_AGENT, agents};
    use crate::config::agent_name::{is_valid, normalised};

    #[test]
    fn names_are_valid_and_spelled_the_one_right_way() {
        for name in agents().keys() {
            assert!(is_valid(name), "{name}");
            assert_eq!(&normalised(name), name);
        }
    }

    #[test]
    fn the_default_agent_is_one_of_them() {
        assert!(agents().contains_key(DEFAULT_AGENT));
    }

    #[test]
    fn every_way_of_starting_is_as_written_down() {
        let lines: Vec<String> = agents()
            .into_iter()
            .map(|(name, agent)| {
                format!(
                    "{name}: {} {:?} {} | {:?} {}",
                    agent.command,
                    agent.interactive.args,
                    agent.interactive.prompt,
                    agent.headless.args,
                    agent.headless.prompt
                )
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        claude_code: claude [] argument | ["-p", "--output-format", "stream-json", "--verbose"] stdin
        codex: codex [] argument | ["exec", "--json", "-"] stdin
        cursor: cursor-agent [] argument | ["-p", "--output-format", "stream-json"] argument
        gemini: gemini [] flag:--prompt-interactive | ["-o", "stream-json", "-p", ""] stdin
        opencode: opencode [] flag:--prompt | ["run", "--format", "json"] stdin
        scripted: agency ["scripted"] file | ["scripted"] file
        "#);
    }
}
