//! How one process of an agent is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agency_model::Mode;

use super::{AdapterError, Form, LaunchFile, McpRequest, Opening, PassServers, PromptDelivery, StreamFormat, mcp};

/// What to start.
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

/// What the start of an agent depends on beside its form.
pub(super) struct LaunchHabits<'a> {
    /// The arguments that name a new conversation, with `{session}` for the name.
    pub(super) session_args: Option<&'static [&'static str]>,
    /// How it is given MCP servers where its protocol does not carry them.
    pub(super) mcp_servers: Option<PassServers>,
    /// Changes the arguments and variables, given the arguments of the user.
    pub(super) adjust: &'a dyn Fn(&[&String], &mut Adjusted),
}

/// Puts together how one process is started.
pub(super) fn launch_config(
    habits: &LaunchHabits<'_>,
    program: &Program<'_>,
    request: &LaunchRequest<'_>,
) -> Result<LaunchConfig, AdapterError> {
    let form = program.form;
    if request.one_shot && form.is_two_way() {
        return Err(AdapterError::NoOneShot);
    }
    let user_args: Vec<&String> = program.args.iter().chain(request.extra_args).collect();
    let mut launch = Adjusted { args: form_args(habits.session_args, form, request)?, env: BTreeMap::new() };
    (habits.adjust)(&user_args, &mut launch);
    let Adjusted { mut args, env } = launch;
    let servers = mcp::pass(habits.mcp_servers, form, request.mcp)?;
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
fn form_args(
    session_args: Option<&[&str]>,
    form: &Form,
    request: &LaunchRequest<'_>,
) -> Result<Vec<String>, AdapterError> {
    let mode = request.mode;
    if let Some(session) = request.resume {
        let resumed = form.resume.as_ref().ok_or(AdapterError::NoResume { mode })?;
        return Ok(resumed.iter().map(|arg| arg.replace("{session}", session)).collect());
    }
    let mut args = form.args.clone();
    if let (Mode::Interactive, Some(session), Some(named)) = (mode, request.session, session_args) {
        args.extend(named.iter().map(|arg| arg.replace("{session}", session)));
    }
    Ok(args)
}
