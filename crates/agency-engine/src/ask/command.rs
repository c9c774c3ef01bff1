//! How each agent is started to answer: it can read, it cannot change anything, and no MCP server is there.
//!
//! A command of the user's own is started to the letter, and nothing is added to it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::servers;
use crate::adapter::StreamFormat;
use crate::config::{
    AgentConfig, CommandTemplate, Form, PromptDelivery, ScreenSource, Seclusion, TemplatePaths, Trust,
};
use crate::create::{CreateError, Place, find_program};
use crate::process::ASK_VARIABLE;
use crate::workspace::{Scratch, Workspace};

/// What an agent may use, and nothing else, in the names of Claude Code.
const READING: &str = "Read,Grep,Glob";
/// What it may not use even if a setting of the user's allows it.
const CHANGING: &str = "Bash,Edit,MultiEdit,Write,NotebookEdit,Task,Agent,WebFetch,WebSearch";

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
    trust: Trust,
}

/// What is asked about, and where.
pub(super) struct Subject<'a> {
    pub(super) scratch: &'a Scratch,
    pub(super) purpose: Purpose,
    pub(super) place: &'a Place<'a>,
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
            None => Self::secluded(name, agent, subject)?,
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
        let program = find_program(OsStr::new(&program), subject.place).map_err(|why| CreateError::Runner {
            message: format!("the command of {name}, '{program}', {why}"),
            hint: format!("correct `ask` and `chat` of [agents.{name}] in the configuration"),
        })?;
        let (env, stream) = (agent.env.clone(), StreamFormat::Text);
        Ok(Self { program, args, env, stream, on_stdin: false, trust: Trust::NotAsked })
    }

    fn secluded(name: &str, agent: &AgentConfig, subject: &Subject<'_>) -> Result<Self, CreateError> {
        if agent.seclusion == Seclusion::Unknown {
            let word = if subject.purpose == Purpose::Ask { "ask" } else { "chat" };
            return Err(CreateError::Runner {
                message: format!("nobody knows how {name} is kept from changing anything and from MCP servers"),
                hint: format!("write its command into the configuration: [agents.{name}] {word} = \"…\""),
            });
        }
        let program = find_program(OsStr::new(&agent.command), subject.place).map_err(|why| CreateError::Runner {
            message: format!("the command of {name}, '{}', {why}", agent.command),
            hint: agent.install_hint.map_or_else(
                || format!("correct [agents.{name}] command in the configuration"),
                |install| format!("install it ({install}), or choose another agent with --runner"),
            ),
        })?;
        let mut environment = subject.place.environment.clone();
        environment.extend(agent.env.iter().map(|(name, value)| (name.into(), value.into())));
        let secluded = Secluded { subject, environment, program: program.clone() };
        let (mut args, env) = match agent.seclusion {
            Seclusion::Claude => (secluded.claude(), BTreeMap::new()),
            Seclusion::Codex => (secluded.codex()?, BTreeMap::new()),
            Seclusion::Gemini => (secluded.gemini(), BTreeMap::new()),
            Seclusion::Opencode => secluded.opencode()?,
            Seclusion::Unknown => (vec![], BTreeMap::new()),
        };
        if subject.purpose == Purpose::Chat {
            args.extend(agent.args.iter().cloned());
        }
        let stream = match agent.seclusion {
            Seclusion::Claude => StreamFormat::Claude,
            Seclusion::Codex => StreamFormat::Codex,
            Seclusion::Gemini => StreamFormat::Gemini,
            Seclusion::Opencode => StreamFormat::Opencode,
            Seclusion::Unknown => StreamFormat::Text,
        };
        let env = agent.env.clone().into_iter().chain(env).collect();
        Ok(Self { program, args, env, stream, on_stdin: true, trust: agent.trust })
    }

    /// The agent in the form that answers.
    pub(super) fn agent(&self, agent: &AgentConfig) -> AgentConfig {
        let prompt = if self.on_stdin { PromptDelivery::Stdin } else { PromptDelivery::File };
        let form = Form { args: self.args.clone(), prompt, stream: self.stream, resume: None };
        AgentConfig {
            env: self.env.clone(),
            args: if self.on_stdin { agent.args.clone() } else { vec![] },
            one_shot: Some(form),
            screen: ScreenSource::None,
            trust: self.trust,
            ..agent.clone()
        }
    }
}

/// The built-in agents, kept to reading.
struct Secluded<'a> {
    subject: &'a Subject<'a>,
    environment: BTreeMap<OsString, OsString>,
    program: PathBuf,
}

impl Secluded<'_> {
    fn claude(&self) -> Vec<String> {
        let mcp_config = self.subject.scratch.mcp_config().display().to_string();
        let mut args = match self.subject.purpose {
            Purpose::Ask => words(&["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]),
            Purpose::Chat => vec![],
        };
        args.extend(words(&["--strict-mcp-config", "--mcp-config", &mcp_config]));
        if self.subject.purpose == Purpose::Ask {
            args.extend(words(&["--tools", READING, "--allowedTools", READING, "--disallowedTools", CHANGING]));
        }
        args
    }

    /// Codex reads by shell commands; its sandbox lets them write nothing and reach nobody.
    fn codex(&self) -> Result<Vec<String>, CreateError> {
        let mut args = match self.subject.purpose {
            Purpose::Ask => {
                words(&["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only"])
            }
            Purpose::Chat => words(&["--sandbox", "read-only"]),
        };
        let servers = servers::of_codex(&self.program, &self.environment)?;
        if !servers.is_empty() {
            let off = servers.into_iter().map(|name| format!("{}={{enabled=false}}", toml::Value::String(name)));
            let setting = format!("mcp_servers={{{}}}", off.collect::<Vec<_>>().join(","));
            args.extend(words(&["-c", &setting]));
        }
        if self.subject.purpose == Purpose::Ask {
            args.push("-".to_owned());
        }
        Ok(args)
    }

    /// Without an approval mode that approves, Gemini CLI does not even offer tools that change something.
    fn gemini(&self) -> Vec<String> {
        let mut args = match self.subject.purpose {
            Purpose::Ask => words(&["-o", "stream-json", "-p", ""]),
            Purpose::Chat => vec![],
        };
        // Only servers of this name may start, and nobody can have foreseen it.
        let nobody = self.subject.scratch.directory().file_name().unwrap_or_default().to_string_lossy().into_owned();
        args.extend(words(&["--approval-mode", "default", "--allowed-mcp-server-names", &nobody]));
        args.extend(words(&["--extensions", "none"]));
        // It reads only below its directory, and looks where a link leads.
        for (_, target) in self.subject.scratch.links() {
            let target = target.canonicalize().unwrap_or_else(|_| target.clone());
            let directory = if target.is_dir() { target.as_path() } else { target.parent().unwrap_or(&target) };
            args.extend(words(&["--include-directories", &directory.display().to_string()]));
        }
        args
    }

    fn opencode(&self) -> Result<(Vec<String>, BTreeMap<String, String>), CreateError> {
        let mut environment = self.environment.clone();
        let closed = [("OPENCODE_PURE", "1"), ("OPENCODE_DISABLE_PROJECT_CONFIG", "1")];
        environment.extend(closed.map(|(name, value)| (name.into(), value.into())));
        let servers = servers::of_opencode(&self.program, &environment)?;
        let given = environment.get(OsStr::new("OPENCODE_CONFIG_CONTENT")).and_then(|text| text.to_str());
        let mut config =
            given.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok()).unwrap_or_default();
        let known = config.entry("mcp").or_insert_with(|| json!({}));
        for name in servers {
            known[&name]["enabled"] = json!(false);
        }
        let permission = match self.subject.purpose {
            Purpose::Ask => json!({
                "edit": "deny", "bash": "deny", "webfetch": "deny", "websearch": "deny", "task": "deny",
                "external_directory": "allow", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow",
            }),
            Purpose::Chat => json!({ "edit": "ask", "bash": "ask", "external_directory": "allow" }),
        };
        let mut env: BTreeMap<String, String> =
            closed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        env.insert("OPENCODE_CONFIG_CONTENT".to_owned(), Value::Object(config).to_string());
        env.insert("OPENCODE_PERMISSION".to_owned(), permission.to_string());
        let args = match self.subject.purpose {
            Purpose::Ask => words(&["run", "--format", "json"]),
            Purpose::Chat => vec![],
        };
        Ok((args, env))
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
