//! How an agent is started: the contract that every adapter keeps, and the one implementation by data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agency_model::Mode;

use super::{LaunchFile, McpRequest, Opening, StreamFormat, codex, mcp};
use crate::config::{AgentConfig, PromptDelivery, Seclusion, Trust};

/// How an agent is started, continued and understood.
pub trait AgentAdapter {
    /// The command line, the variables and the first words for one process of the agent.
    fn launch_config(&self, request: &LaunchRequest<'_>) -> Result<LaunchConfig, AdapterError>;
}

/// What is to be started.
#[derive(Debug, Clone, Copy)]
pub struct LaunchRequest<'a> {
    /// What the agent talks to.
    pub mode: Mode,
    /// Whether it is to ask nothing.
    pub one_shot: bool,
    /// What it is told first.
    pub prompt: Option<Prompt<'a>>,
    /// Further arguments of this run.
    pub extra_args: &'a [String],
    /// Where it works.
    pub directory: &'a Path,
    /// The agent's own id of a conversation that is to go on.
    pub resume: Option<&'a str>,
    /// The id that a new conversation is to have, if the agent lets us choose.
    pub session: Option<&'a str>,
    /// Whether it is told that it may trust the directory.
    pub trusted: bool,
    /// The MCP servers that it gets.
    pub mcp: &'a McpRequest,
    /// Directories outside the workspace that a commit writes to, for agents that have a sandbox of their own.
    pub commit_roots: &'a [PathBuf],
}

/// A prompt, in both ways in which agents take it.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The words.
    pub text: &'a str,
    /// A file that holds them, as the agent finds it.
    pub file: &'a str,
}

/// How one process of an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchConfig {
    /// All its arguments.
    pub args: Vec<String>,
    /// Variables beside those it inherits.
    pub env: BTreeMap<String, String>,
    /// What it prints.
    pub stream: StreamFormat,
    /// What it reads first.
    pub first_input: FirstInput,
    /// Variables that even those of its configuration do not replace.
    pub mcp_env: BTreeMap<String, String>,
    /// Files that have to be there before it starts.
    pub files: Vec<LaunchFile>,
}

/// What an agent reads first on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstInput {
    /// What somebody types, or nothing where there is no terminal.
    None,
    /// A text, and then the end.
    Text(String),
    /// A conversation.
    Conversation(Opening),
}

/// Why an agent cannot be started so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// The agent cannot go on with a conversation in this form.
    #[error("it cannot go on with a conversation in {mode} mode")]
    NoResume {
        /// The mode.
        mode: Mode,
    },
    /// The form asks.
    #[error("it has no one-shot form")]
    NoOneShot,
    /// Settings of the user's are not understood.
    #[error("its settings are no plain JSON object, so MCP servers cannot be added to them")]
    Settings,
}

impl AgentAdapter for AgentConfig {
    fn launch_config(&self, request: &LaunchRequest<'_>) -> Result<LaunchConfig, AdapterError> {
        let LaunchRequest {
            mode,
            one_shot,
            prompt,
            extra_args,
            directory,
            resume,
            session,
            trusted,
            mcp,
            commit_roots,
        } = *request;
        let form = self.form(mode, one_shot);
        if one_shot && form.is_two_way() {
            return Err(AdapterError::NoOneShot);
        }
        let mut args = match resume {
            None => form.args.clone(),
            Some(session) => {
                let resumed = form.resume.as_ref().ok_or(AdapterError::NoResume { mode })?;
                resumed.iter().map(|arg| arg.replace("{session}", session)).collect()
            }
        };
        if let (Mode::Interactive, None, Some(session), Some(named)) = (mode, resume, session, self.names_conversation)
        {
            args.extend(named.iter().map(|arg| arg.replace("{session}", session)));
        }
        let mut env = BTreeMap::new();
        match (self.trust, trusted, mode) {
            (Trust::CodexArgument, true, _) => {
                let directory = toml::Value::String(directory.display().to_string());
                args.extend(["-c".to_owned(), format!("projects={{{directory}={{trust_level=\"trusted\"}}}}")]);
            }
            (Trust::GeminiVariable, true, _) => {
                env.insert("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned());
            }
            // Without it there is nobody to ask, and it ends at once.
            (Trust::GeminiVariable, false, Mode::Headless) => args.push("--skip-trust".to_owned()),
            (Trust::GeminiVariable, false, Mode::Interactive)
            | (Trust::CodexArgument, false, _)
            | (Trust::NotAsked | Trust::ClaudeProjects, _, _) => {}
        }
        if self.seclusion == Seclusion::Codex {
            let own: Vec<&String> = self.args.iter().chain(extra_args).collect();
            codex::without_doubled_flags(&mut args, &own);
            args.extend(codex::writable_roots(commit_roots, &own).into_iter().flatten());
        }
        if (self.trust, mode) == (Trust::GeminiVariable, Mode::Interactive) {
            // Inside another Gemini it is set, and then an answer to the trust question ends this one.
            env.insert("GEMINI_CLI_NO_RELAUNCH".to_owned(), String::new());
        }
        let mcp = mcp::pass(self.mcp, form, mcp)?;
        args.extend(mcp.args);
        args.extend(self.args.iter().chain(extra_args).cloned());
        let mut first_input = FirstInput::None;
        match (&form.prompt, prompt) {
            (PromptDelivery::Protocol, prompt) => {
                let opening = Opening {
                    prompt: prompt.map(|prompt| prompt.text.to_owned()),
                    directory: directory.to_owned(),
                    resume: resume.map(str::to_owned),
                    mcp_servers: mcp.by_protocol,
                };
                first_input = FirstInput::Conversation(opening);
            }
            (_, None) => {}
            (PromptDelivery::Stdin, Some(prompt)) => first_input = FirstInput::Text(prompt.text.to_owned()),
            (PromptDelivery::Argument, Some(prompt)) => {
                // The built-in agents all end their options at `--`; of others we do not know.
                if self.built_in && prompt.text.starts_with('-') {
                    args.push("--".to_owned());
                }
                args.push(prompt.text.to_owned());
            }
            (PromptDelivery::Flag(flag), Some(prompt)) => args.extend([flag.clone(), prompt.text.to_owned()]),
            (PromptDelivery::File, Some(prompt)) => args.push(prompt.file.to_owned()),
        }
        Ok(LaunchConfig { args, env, stream: form.stream, first_input, mcp_env: mcp.env, files: mcp.files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn launched(agent: &str, change: impl FnOnce(&mut LaunchRequest<'_>)) -> Result<LaunchConfig, AdapterError> {
        let config = Config::default();
        let (_, agent) = config.agent(agent).unwrap();
        let extra_args = ["--fast".to_owned()];
        let mut request = LaunchRequest {
            mode: Mode::Headless,
            one_shot: false,
            prompt: Some(Prompt { text: "do it", file: "./p.md" }),
            extra_args: &extra_args,
            directory: Path::new("/w \"x\""),
            resume: None,
            session: None,
            trusted: false,
            mcp: &McpRequest::default(),
            commit_roots: &[],
        };
        change(&mut request);
        agent.launch_config(&request)
    }

    // proves P3
    #[test]
    fn unified_launch_configuration() {
        let headless = launched("codex", |_| {}).unwrap();
        let interactive = launched("codex", |request| request.mode = Mode::Interactive).unwrap();
        assert_eq!(headless.args[0], "app-server");
        assert_eq!(interactive.args, ["--no-daemon", "--fast", "do it"]);
    }

    // proves P3
    #[test]
    fn a_conversation_takes_its_prompt_by_the_protocol_and_the_arguments_of_the_run_come_last() {
        let launch = launched("claude-code", |_| {}).unwrap();
        assert_eq!(launch.args.last().unwrap(), "--fast");
        assert!(!launch.args.contains(&"do it".to_owned()));
        let (prompt, directory) = (Some("do it".to_owned()), "/w \"x\"".into());
        let opening = Opening { prompt, directory, resume: None, mcp_servers: vec![] };
        assert_eq!(launch.first_input, FirstInput::Conversation(opening));
    }

    #[test]
    fn a_one_shot_reads_its_prompt_and_the_end() {
        let launch = launched("codex", |request| request.one_shot = true).unwrap();
        assert_eq!(launch.args, ["exec", "--json", "-", "--fast"]);
        assert_eq!(launch.first_input, FirstInput::Text("do it".to_owned()));
    }

    #[test]
    fn a_screen_gets_the_prompt_by_argument_and_trust_only_where_it_was_asked_for() {
        let interactive = |agent, trusted| {
            launched(agent, |request| {
                request.mode = Mode::Interactive;
                request.trusted = trusted;
            })
            .unwrap()
        };
        assert_eq!(interactive("codex", false).args, ["--no-daemon", "--fast", "do it"]);
        let trusted = interactive("codex", true).args;
        assert_eq!(trusted[2], r#"projects={'/w "x"'={trust_level="trusted"}}"#);
        assert_eq!(interactive("gemini", false).args, ["--fast", "--prompt-interactive", "do it"]);
        assert_eq!(interactive("gemini", true).env["GEMINI_CLI_TRUST_WORKSPACE"], "true");
        assert_eq!(interactive("gemini", false).env["GEMINI_CLI_NO_RELAUNCH"], "");
        assert_eq!(launched("gemini", |_| {}).unwrap().args, ["--acp", "--skip-trust", "--fast"]);
    }

    #[test]
    fn codex_may_write_what_a_commit_writes_in_every_form() {
        let roots: &'static [PathBuf] = vec![PathBuf::from("/repo/.git/objects")].leak();
        let setting = r#"sandbox_workspace_write.writable_roots=["/repo/.git/objects"]"#;
        for (mode, one_shot) in [(Mode::Headless, false), (Mode::Headless, true), (Mode::Interactive, false)] {
            let launch = launched("codex", |request| {
                (request.mode, request.one_shot, request.commit_roots) = (mode, one_shot, roots);
            });
            let args = launch.unwrap().args;
            assert!(args.windows(2).any(|pair| pair == ["-c", setting]), "{args:?}");
            let other = launched("claude_code", |request| request.commit_roots = roots).unwrap().args;
            assert!(!other.iter().any(|arg| arg.contains("objects")), "{other:?}");
        }
    }

    #[test]
    fn a_conversation_on_a_screen_is_named_where_the_agent_takes_a_name() {
        let named = |agent, mode| {
            let launch = launched(agent, |request| {
                request.mode = mode;
                request.session = Some("s1");
            });
            launch.unwrap().args.windows(2).any(|pair| pair == ["--session-id", "s1"])
        };
        for (agent, takes_a_name) in [("claude_code", true), ("gemini", false), ("codex", false), ("opencode", false)] {
            assert_eq!(named(agent, Mode::Interactive), takes_a_name, "{agent}");
            assert!(!named(agent, Mode::Headless), "{agent}");
        }
    }

    #[test]
    fn a_conversation_goes_on_by_its_id_or_says_that_it_cannot() {
        let resumed = |agent, one_shot| {
            launched(agent, |request| {
                request.resume = Some("s1");
                request.one_shot = one_shot;
            })
        };
        let claude = resumed("claude_code", false).unwrap().args;
        assert!(claude.windows(2).any(|pair| pair == ["--resume", "s1"]), "{claude:?}");
        assert_eq!(resumed("codex", true).unwrap().args, ["exec", "resume", "--json", "s1", "-", "--fast"]);
        let FirstInput::Conversation(opening) = resumed("opencode", false).unwrap().first_input else { panic!() };
        assert_eq!(opening.resume.as_deref(), Some("s1"));
        assert_eq!(resumed("scripted", false), Err(AdapterError::NoResume { mode: Mode::Headless }));
    }
}
