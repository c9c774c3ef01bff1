//! How each agent is started to answer: it can read, it cannot change anything, and no MCP server is there.
//!
//! A command of the user's own is started to the letter, and nothing is added to it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use crate::agent_files::listed_servers;
use crate::config::{AgentConfig, CommandTemplate, Form, PromptDelivery, ScreenSource, TemplatePaths};
use crate::runs::create::{CreateError, SearchPath, find_program};
use agency_adapters::{
    AdapterError, AgentAdapter, ReadOnlyEntry, ReadOnlyMode, ReadOnlyRequest, ReadOnlySource, SourcesBelow,
    StreamFormat,
};
use agency_system::process::ASK_VARIABLE;
use agency_workspace::{Scratch, ScratchEntry, Workspace};

/// Whether the agent answers alone or talks with the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Ask,
    Chat,
}

/// An agent that is ready to be started on sources.
pub(super) struct Reader {
    /// Its executable.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Variables beside the caller's.
    pub(super) env: BTreeMap<String, String>,
    /// What it prints.
    pub(super) stream: StreamFormat,
    /// Whether it reads the prompt on its standard input.
    pub(super) on_stdin: bool,
    /// What it needs in its scratch directory.
    pub(super) entries: Vec<(String, ScratchEntry)>,
    /// Where it finds the sources.
    pub(super) sources_below: SourcesBelow,
    adapter: &'static dyn AgentAdapter,
}

/// What is asked about, and where.
pub(super) struct Subject<'a> {
    pub(super) scratch: &'a Scratch,
    pub(super) purpose: Purpose,
    pub(super) search_path: &'a SearchPath<'a>,
}

impl Reader {
    /// How the agent of that name is started.
    pub(super) fn new(name: &str, agent: &AgentConfig, subject: &Subject<'_>) -> Result<Self, CreateError> {
        let own = match subject.purpose {
            Purpose::Ask => &agent.ask,
            Purpose::Chat => &agent.chat,
        };
        let mut reader = match own {
            Some(template) => Self::by_template(name, agent, template, subject)?,
            None => Self::read_only(name, agent, subject)?,
        };
        reader.env.insert(ASK_VARIABLE.to_owned(), "1".to_owned());
        Ok(reader)
    }

    fn by_template(
        name: &str,
        agent: &AgentConfig,
        template: &CommandTemplate,
        subject: &Subject<'_>,
    ) -> Result<Self, CreateError> {
        let (prompt_file, mcp_config) = (subject.scratch.prompt_file(), subject.scratch.mcp_config());
        let (program, args) = template.filled(TemplatePaths { prompt_file: &prompt_file, mcp_config: &mcp_config });
        let program = find_program(OsStr::new(&program), subject.search_path).map_err(|why| CreateError::Runner {
            message: format!("the command of {name}, '{program}', {why}"),
            hint: format!("correct `ask` and `chat` of [agents.{name}] in the configuration"),
        })?;
        let (env, stream) = (agent.env.clone(), StreamFormat::Text);
        Ok(Self {
            program,
            args,
            env,
            stream,
            on_stdin: false,
            entries: vec![],
            sources_below: SourcesBelow::Here,
            adapter: agency_adapters::CUSTOM,
        })
    }

    fn read_only(name: &str, agent: &AgentConfig, subject: &Subject<'_>) -> Result<Self, CreateError> {
        let mode: ReadOnlyMode = agent.adapter.read_only().ok_or_else(|| {
            let key = if subject.purpose == Purpose::Ask { "ask" } else { "chat" };
            CreateError::Runner {
                message: format!("{name} has no known read-only mode"),
                hint: format!("write its command into the configuration: [agents.{name}] {key} = \"…\""),
            }
        })?;
        let program =
            find_program(OsStr::new(&agent.command), subject.search_path).map_err(|why| CreateError::Runner {
                message: format!("the command of {name}, '{}', {why}", agent.command),
                hint: agent.adapter.install_hint().map_or_else(
                    || format!("correct [agents.{name}] command in the configuration"),
                    |install| format!("install it ({install}), or choose another agent with --runner"),
                ),
            })?;
        let mut environment = subject.search_path.environment.clone();
        environment.extend(agent.env.iter().map(|(name, value)| (name.into(), value.into())));
        let sources: Vec<ReadOnlySource> = subject.scratch.links().iter().map(source).collect();
        let listed = mode.servers.and_then(|listing| listed_servers(&listing, &program, &environment));
        let launch = (mode.launch)(&ReadOnlyRequest {
            one_question: subject.purpose == Purpose::Ask,
            directory: subject.scratch.directory(),
            mcp_config: &subject.scratch.mcp_config(),
            sources: &sources,
            environment: &environment,
            listed_servers: listed.as_ref(),
        })
        .map_err(refused)?;
        let env = agent.env.clone().into_iter().chain(launch.env).collect();
        Ok(Self {
            program,
            args: launch.args,
            env,
            stream: launch.stream,
            on_stdin: true,
            entries: launch.entries.into_iter().map(|(name, needed)| (name, entry(needed))).collect(),
            sources_below: launch.sources_below,
            adapter: agent.adapter,
        })
    }

    /// The agent in the form that answers.
    pub(super) fn agent(&self, agent: &AgentConfig) -> AgentConfig {
        let prompt = if self.on_stdin { PromptDelivery::Stdin } else { PromptDelivery::File };
        let form = Form { args: self.args.clone(), prompt, stream: self.stream, resume: None };
        AgentConfig {
            env: self.env.clone(),
            // The arguments of runs could take back what keeps it to reading.
            args: vec![],
            one_shot: Some(form),
            screen: ScreenSource::None,
            adapter: self.adapter,
            ..agent.clone()
        }
    }
}

/// A source as the adapter needs to know it.
fn source((name, target): &(String, PathBuf)) -> ReadOnlySource {
    let path = target.canonicalize().unwrap_or_else(|_| target.clone());
    ReadOnlySource { name: name.clone(), is_directory: path.is_dir(), path }
}

/// What the scratch directory gets.
fn entry(needed: ReadOnlyEntry) -> ScratchEntry {
    match needed {
        ReadOnlyEntry::File(text) => ScratchEntry::File(text),
        ReadOnlyEntry::Directory => ScratchEntry::Directory,
        ReadOnlyEntry::Copy(file) => ScratchEntry::Copy(file),
        ReadOnlyEntry::LinkToFirst(files) => {
            let found = files.into_iter().find(|file| file.is_file());
            found.map_or_else(|| ScratchEntry::File(String::new()), ScratchEntry::Link)
        }
    }
}

fn refused(error: AdapterError) -> CreateError {
    match error {
        AdapterError::ReadOnly { message, hint } => CreateError::Runner { message, hint },
        AdapterError::NoResume { .. } | AdapterError::NoOneShot | AdapterError::Settings => {
            CreateError::Runner { message: error.to_string(), hint: "choose another agent with --runner".to_owned() }
        }
    }
}
