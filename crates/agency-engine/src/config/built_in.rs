//! The agents that are known without a configuration file, as data.

use super::{AgentConfig, Form, KeepsConversations, McpPassing, PromptDelivery, ScreenSource, Seclusion, Trust};
use crate::adapter::StreamFormat;
use std::collections::BTreeMap;

/// The agent of a run where nobody names one.
pub(super) const DEFAULT_AGENT: &str = "claude_code";
/// What drives a workflow is called so in its run.
pub(crate) const WORKFLOW_DRIVER: &str = "workflow";

struct BuiltIn {
    name: &'static str,
    command: &'static str,
    own_command: bool,
    interactive: Start,
    headless: Start,
    one_shot: Option<Start>,
    trust: Trust,
    tested_version: Option<&'static str>,
    install_hint: Option<&'static str>,
}

/// A [`Form`] that constants can hold.
struct Start {
    args: &'static [&'static str],
    prompt: Prompt,
    stream: StreamFormat,
    resume: Option<&'static [&'static str]>,
}

/// [`PromptDelivery`] in a form that constants can hold.
#[derive(Clone, Copy)]
enum Prompt {
    Stdin,
    Argument,
    File,
    Flag(&'static str),
    Protocol,
}

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: DEFAULT_AGENT,
        command: "claude",
        own_command: false,
        interactive: on_screen(&[], Prompt::Argument, Some(&["--resume", "{session}"])),
        headless: Start {
            args: &[
                "-p",
                "--input-format",
                "stream-json",
                "--output-format",
                "stream-json",
                "--verbose",
                "--permission-prompt-tool",
                "stdio",
            ],
            prompt: Prompt::Protocol,
            stream: StreamFormat::Claude,
            resume: Some(&[
                "-p",
                "--input-format",
                "stream-json",
                "--output-format",
                "stream-json",
                "--verbose",
                "--permission-prompt-tool",
                "stdio",
                "--resume",
                "{session}",
            ]),
        },
        one_shot: Some(Start {
            args: &["-p", "--output-format", "stream-json", "--verbose"],
            prompt: Prompt::Stdin,
            stream: StreamFormat::Claude,
            resume: Some(&["-p", "--output-format", "stream-json", "--verbose", "--resume", "{session}"]),
        }),
        trust: Trust::ClaudeProjects,
        tested_version: Some("2.1.325"),
        install_hint: Some("npm install -g @anthropic-ai/claude-code"),
    },
    BuiltIn {
        name: "codex",
        command: "codex",
        own_command: false,
        interactive: on_screen(&["--no-daemon"], Prompt::Argument, Some(&["resume", "--no-daemon", "{session}"])),
        headless: Start {
            args: CODEX_SERVER,
            prompt: Prompt::Protocol,
            stream: StreamFormat::Codex,
            resume: Some(CODEX_SERVER),
        },
        one_shot: Some(Start {
            args: &["exec", "--json", "-"],
            prompt: Prompt::Stdin,
            stream: StreamFormat::Codex,
            resume: Some(&["exec", "resume", "--json", "{session}", "-"]),
        }),
        trust: Trust::CodexArgument,
        tested_version: Some("0.166.0"),
        install_hint: Some("npm install -g @openai/codex"),
    },
    BuiltIn {
        name: "gemini",
        command: "gemini",
        own_command: false,
        interactive: on_screen(&[], Prompt::Flag("--prompt-interactive"), Some(&["--resume", "{session}"])),
        headless: acp(&["--acp"]),
        one_shot: Some(Start {
            args: &["-o", "stream-json", "-p", ""],
            prompt: Prompt::Stdin,
            stream: StreamFormat::Gemini,
            resume: Some(&["-o", "stream-json", "-p", "", "--resume", "{session}"]),
        }),
        trust: Trust::GeminiVariable,
        tested_version: Some("0.61.0"),
        install_hint: Some("npm install -g @google/gemini-cli"),
    },
    BuiltIn {
        name: "opencode",
        command: "opencode",
        own_command: false,
        interactive: on_screen(&[], Prompt::Flag("--prompt"), Some(&["-s", "{session}"])),
        headless: acp(&["acp"]),
        one_shot: Some(Start {
            args: &["run", "--format", "json"],
            prompt: Prompt::Stdin,
            stream: StreamFormat::Opencode,
            resume: Some(&["run", "--format", "json", "-s", "{session}"]),
        }),
        trust: Trust::NotAsked,
        tested_version: Some("1.18.33"),
        install_hint: Some("npm install -g opencode-ai"),
    },
    BuiltIn {
        name: "cursor",
        command: "cursor-agent",
        own_command: false,
        interactive: on_screen(&[], Prompt::Argument, Some(&["--resume", "{session}"])),
        headless: Start {
            args: &["-p", "--output-format", "stream-json"],
            prompt: Prompt::Argument,
            stream: StreamFormat::Claude,
            resume: Some(&["-p", "--output-format", "stream-json", "--resume", "{session}"]),
        },
        one_shot: None,
        trust: Trust::NotAsked,
        tested_version: None,
        install_hint: Some("see Cursor's own documentation of its command line"),
    },
    BuiltIn {
        name: "scripted",
        command: "agency",
        own_command: true,
        interactive: on_screen(&["scripted"], Prompt::File, None),
        headless: on_screen(&["scripted"], Prompt::File, None),
        one_shot: None,
        trust: Trust::NotAsked,
        tested_version: None,
        install_hint: None,
    },
];

/// What drives a workflow: our own program, which speaks as Claude Code does. No name leads to it.
const DRIVER: BuiltIn = BuiltIn {
    name: WORKFLOW_DRIVER,
    command: "agency",
    own_command: true,
    interactive: on_screen(&["drive"], Prompt::File, None),
    headless: Start { args: &["drive"], prompt: Prompt::Protocol, stream: StreamFormat::Claude, resume: None },
    one_shot: None,
    trust: Trust::NotAsked,
    tested_version: None,
    install_hint: None,
};

/// Codex asks before it leaves its sandbox, as it does on its own screen; what the user says after this wins.
const CODEX_SERVER: &[&str] =
    &["app-server", "-c", "approval_policy=\"on-request\"", "-c", "sandbox_mode=\"workspace-write\""];

/// A form whose output is for eyes.
const fn on_screen(args: &'static [&'static str], prompt: Prompt, resume: Option<&'static [&'static str]>) -> Start {
    Start { args, prompt, stream: StreamFormat::Text, resume }
}

/// A form that speaks the Agent Client Protocol, which knows by itself how to go on.
const fn acp(args: &'static [&'static str]) -> Start {
    Start { args, prompt: Prompt::Protocol, stream: StreamFormat::Acp, resume: Some(args) }
}

/// The built-in agents by name.
pub(super) fn agents() -> BTreeMap<String, AgentConfig> {
    BUILT_IN.iter().map(|built_in| (built_in.name.to_owned(), built_in.agent())).collect()
}

/// What drives a workflow.
pub(crate) fn driver() -> AgentConfig {
    DRIVER.agent()
}

impl BuiltIn {
    fn agent(&self) -> AgentConfig {
        AgentConfig {
            command: self.command.to_owned(),
            own_command: self.own_command,
            args: Vec::new(),
            env: BTreeMap::new(),
            interactive: self.interactive.form(),
            headless: self.headless.form(),
            one_shot: self.one_shot.as_ref().map(Start::form),
            ask: None,
            chat: None,
            seclusion: match self.name {
                DEFAULT_AGENT => Seclusion::Claude,
                "codex" => Seclusion::Codex,
                "gemini" => Seclusion::Gemini,
                "opencode" => Seclusion::Opencode,
                _ => Seclusion::Unknown,
            },
            screen: ScreenSource::BuiltIn(self.name.to_owned()),
            trust: self.trust,
            names_conversation: (self.name == DEFAULT_AGENT).then_some(&["--session-id", "{session}"]),
            keeps_conversations: match self.name {
                "codex" => KeepsConversations::CodexFiles,
                "opencode" => KeepsConversations::OpencodeList,
                "gemini" => KeepsConversations::GeminiFiles,
                _ => KeepsConversations::Unknown,
            },
            mcp: match self.name {
                DEFAULT_AGENT => McpPassing::ClaudeFile,
                "codex" => McpPassing::CodexArguments,
                "gemini" => McpPassing::GeminiHome,
                "opencode" => McpPassing::OpencodeVariable,
                _ => McpPassing::Unknown,
            },
            // Gemini CLI names the file of a conversation by the minute, and begins it anew when it loads it.
            forgets_within_a_minute: self.name == "gemini",
            built_in: true,
            tested_version: self.tested_version,
            install_hint: self.install_hint,
        }
    }
}

impl Start {
    fn form(&self) -> Form {
        let owned = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect();
        Form {
            args: owned(self.args),
            prompt: match self.prompt {
                Prompt::Stdin => PromptDelivery::Stdin,
                Prompt::Argument => PromptDelivery::Argument,
                Prompt::File => PromptDelivery::File,
                Prompt::Flag(flag) => PromptDelivery::Flag(flag.to_owned()),
                Prompt::Protocol => PromptDelivery::Protocol,
            },
            stream: self.stream,
            resume: self.resume.map(owned),
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
    fn the_tested_versions_are_those_that_the_tests_install() {
        let pinned: toml::Table = include_str!("../../data/agent-versions.toml").parse().unwrap();
        for (name, agent) in agents() {
            let pin = pinned.get(&name).and_then(|pin| pin.get("version")).and_then(toml::Value::as_str);
            assert_eq!(agent.tested_version, pin, "{name}");
        }
    }

    // proves P3
    #[test]
    fn every_way_of_starting_is_as_written_down() {
        let form = |form: &super::Form| {
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
