//! How one process of an agent is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agency_model::Mode;

use super::agent_adapter::AgentAdapter;
use super::{Form, LaunchFile, McpRequest, Opening, PromptDelivery, StreamFormat, mcp};

/// What is to be started.
#[derive(Debug, Clone, Copy)]
pub struct LaunchRequest<'a> {
    /// Whether it runs on a terminal or on pipes.
    pub mode: Mode,
    /// Whether it is to ask nothing.
    pub one_shot: bool,
    /// The prompt.
    pub prompt: Option<Prompt<'a>>,
    /// Further arguments of this run.
    pub extra_args: &'a [String],
    /// Where it works.
    pub directory: &'a Path,
    /// The agent's own id of the conversation to resume.
    pub resume: Option<&'a str>,
    /// The id that a new conversation is to have, if the agent lets us choose.
    pub session: Option<&'a str>,
    /// Whether it is to trust the directory without asking.
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

/// The first input of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstInput {
    /// The keyboard, or nothing where there is no terminal.
    None,
    /// A text, and then the end.
    Text(String),
    /// A conversation.
    Conversation(Opening),
}

/// Why an agent cannot be started so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// The agent cannot resume a conversation in this form.
    #[error("it cannot resume a conversation in {mode} mode")]
    NoResume {
        /// The mode.
        mode: Mode,
    },
    /// The form asks.
    #[error("it has no one-shot form")]
    NoOneShot,
    /// Settings of the user's are not understood.
    #[error("its settings are not a plain JSON object, so MCP servers cannot be added to them")]
    Settings,
    /// The agent cannot be started so that it only reads.
    #[error("{message}")]
    ReadOnly {
        /// What failed.
        message: String,
        /// What the user can do.
        hint: String,
    },
}

/// The program of an agent as the configuration describes it.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The form in which it is started.
    pub form: &'a Form,
    /// The user's arguments of the configuration.
    pub args: &'a [String],
    /// Whether it is known to end its options at `--`.
    pub ends_options: bool,
}

/// The arguments and variables of one process, which an adapter may change.
#[derive(Debug, Default)]
pub struct Adjusted {
    /// The arguments of the form; those of the user come later.
    pub args: Vec<String>,
    /// Variables.
    pub env: BTreeMap<String, String>,
}

/// Puts together how one process is started.
pub(super) fn launch_config<A: AgentAdapter + ?Sized>(
    adapter: &A,
    program: &Program<'_>,
    request: &LaunchRequest<'_>,
) -> Result<LaunchConfig, AdapterError> {
    let form = program.form;
    if request.one_shot && form.is_two_way() {
        return Err(AdapterError::NoOneShot);
    }
    let user_args: Vec<&String> = program.args.iter().chain(request.extra_args).collect();
    let mut launch = Adjusted { args: form_args(adapter, form, request)?, env: BTreeMap::new() };
    adapter.adjust_launch(request, &user_args, &mut launch);
    let Adjusted { mut args, env } = launch;
    let servers = mcp::pass(adapter.mcp_servers(), form, request.mcp)?;
    args.extend(servers.args);
    args.extend(user_args.into_iter().cloned());
    let mut first_input = FirstInput::None;
    match (&form.prompt, request.prompt) {
        (PromptDelivery::Protocol, prompt) => {
            first_input = FirstInput::Conversation(Opening {
                prompt: prompt.map(|prompt| prompt.text.to_owned()),
                directory: request.directory.to_owned(),
                resume: request.resume.map(str::to_owned),
                mcp_servers: servers.by_protocol,
            });
        }
        (_, None) => {}
        (PromptDelivery::Stdin, Some(prompt)) => first_input = FirstInput::Text(prompt.text.to_owned()),
        (PromptDelivery::Argument, Some(prompt)) => {
            if program.ends_options && prompt.text.starts_with('-') {
                args.push("--".to_owned());
            }
            args.push(prompt.text.to_owned());
        }
        (PromptDelivery::Flag(flag), Some(prompt)) => args.extend([flag.clone(), prompt.text.to_owned()]),
        (PromptDelivery::File, Some(prompt)) => args.push(prompt.file.to_owned()),
    }
    Ok(LaunchConfig { args, env, stream: form.stream, first_input, mcp_env: servers.env, files: servers.files })
}

/// The arguments of the form: of a new conversation, named where the agent takes a name, or of one that is resumed.
fn form_args<A: AgentAdapter + ?Sized>(
    adapter: &A,
    form: &Form,
    request: &LaunchRequest<'_>,
) -> Result<Vec<String>, AdapterError> {
    let mode = request.mode;
    if let Some(session) = request.resume {
        let resumed = form.resume.as_ref().ok_or(AdapterError::NoResume { mode })?;
        return Ok(resumed.iter().map(|arg| arg.replace("{session}", session)).collect());
    }
    let mut args = form.args.clone();
    if let (Mode::Interactive, Some(session), Some(named)) = (mode, request.session, adapter.session_args()) {
        args.extend(named.iter().map(|arg| arg.replace("{session}", session)));
    }
    Ok(args)
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
