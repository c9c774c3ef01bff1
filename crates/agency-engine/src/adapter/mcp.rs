//! How each agent is told of MCP servers, in its own way.
//!
//! The one rule: the user's own settings are not changed, and no value of a variable or header is on a command line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agency_model::McpTransport;
use agent_client_protocol_schema::v1;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::AdapterError;
use crate::config::{Form, McpPassing};

/// An MCP server whose program is found and whose variables have their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyServer {
    /// The name under which the agent knows it.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
}

/// The servers of a run, and what is needed to pass them on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpRequest {
    /// The servers.
    pub servers: Vec<ReadyServer>,
    /// A directory of the run's own, in which files for the agent may be written.
    pub directory: PathBuf,
    /// The user's own settings, where ours would be read instead of them.
    pub settings: Option<String>,
    /// Everything else that lies beside those settings.
    pub beside_settings: Vec<PathBuf>,
}

/// A file that has to be there before the agent starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    /// Where.
    pub path: PathBuf,
    /// What it is.
    pub content: FileContent,
}

/// What a file is.
#[derive(Clone, PartialEq, Eq)]
pub enum FileContent {
    /// A text, which may hold secrets: it is for its owner alone.
    Text(String),
    /// A link to something of the user's.
    Link(PathBuf),
}

impl std::fmt::Debug for FileContent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(formatter, "Text({} bytes)", text.len()),
            Self::Link(target) => write!(formatter, "Link({})", target.display()),
        }
    }
}

/// How the servers are passed on.
#[derive(Default)]
pub(super) struct Passed {
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) files: Vec<LaunchFile>,
    /// Those that the protocol says.
    pub(super) by_protocol: Vec<ReadyServer>,
}

/// Decides how an agent is told of the servers when it is started in this form.
pub(super) fn pass(passing: McpPassing, form: &Form, request: &McpRequest) -> Result<Passed, AdapterError> {
    if request.servers.is_empty() {
        return Ok(Passed::default());
    }
    if form.says_mcp_servers() {
        return Ok(Passed { by_protocol: request.servers.clone(), ..Passed::default() });
    }
    match passing {
        McpPassing::Unknown => Ok(Passed::default()),
        McpPassing::ClaudeFile => Ok(by_claudes_file(request)),
        McpPassing::CodexArguments => Ok(by_codex_arguments(&request.servers)),
        McpPassing::GeminiHome => in_geminis_home(request),
        McpPassing::OpencodeVariable => by_opencodes_variable(request),
    }
}

/// The servers as the Agent Client Protocol says them.
pub(super) fn in_protocol(servers: &[ReadyServer]) -> Vec<v1::McpServer> {
    let say = |ReadyServer { name, transport }: &ReadyServer| match transport {
        McpTransport::Program { command, args, env } => {
            let env = env.iter().map(|(name, value)| v1::EnvVariable::new(name, value)).collect();
            v1::McpServer::Stdio(v1::McpServerStdio::new(name, command).args(args.clone()).env(env))
        }
        McpTransport::Address { url, headers } => {
            let headers = headers.iter().map(|(name, value)| v1::HttpHeader::new(name, value)).collect();
            v1::McpServer::Http(v1::McpServerHttp::new(name, url).headers(headers))
        }
    };
    servers.iter().map(say).collect()
}

fn by_claudes_file(request: &McpRequest) -> Passed {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => json!({ "command": command, "args": args, "env": env }),
        McpTransport::Address { url, headers } => json!({ "type": "http", "url": url, "headers": headers }),
    });
    let path = request.directory.join("mcp.json");
    // It takes any number of files: the flag behind ends them.
    let args = vec!["--mcp-config".to_owned(), path.display().to_string(), "--strict-mcp-config".to_owned()];
    let content = FileContent::Text(json!({ "mcpServers": servers }).to_string());
    Passed { args, files: vec![LaunchFile { path, content }], ..Passed::default() }
}

/// Codex passes on variables that it is told the names of. They get names of their own, so that what is meant for one
/// server is neither seen as its own by the agent nor mistaken by another server, and a shell gives them their names.
fn by_codex_arguments(servers: &[ReadyServer]) -> Passed {
    let mut passed = Passed::default();
    for (number, ReadyServer { name, transport }) in servers.iter().enumerate() {
        let mut hide = |of: &str, value: &str| {
            let variable = format!("AGENCY_MCP_{number}_{of}");
            passed.env.insert(variable.clone(), value.to_owned());
            variable
        };
        let mut table = toml::Table::new();
        match transport {
            McpTransport::Program { command, args, env } => {
                let hidden: Vec<(&String, String)> =
                    env.iter().map(|(name, value)| (name, hide(name, value))).collect();
                let (command, args) = if hidden.is_empty() {
                    (command.clone(), args.clone())
                } else {
                    let exports = hidden.iter().map(|(name, variable)| format!("export {name}=\"${variable}\"; "));
                    let script = exports.collect::<String>() + "exec \"$0\" \"$@\"";
                    let own = ["-c".to_owned(), script, command.clone()];
                    ("/bin/sh".to_owned(), own.into_iter().chain(args.clone()).collect())
                };
                table.insert("command".to_owned(), command.into());
                table.insert("args".to_owned(), args.into());
                let variables: Vec<String> = hidden.into_iter().map(|(_, variable)| variable).collect();
                table.insert("env_vars".to_owned(), variables.into());
            }
            McpTransport::Address { url, headers } => {
                table.insert("url".to_owned(), url.clone().into());
                let headers = headers.iter().enumerate();
                let headers = headers.map(|(position, (header, value))| {
                    (header.clone(), hide(&format!("HEADER_{position}"), value).into())
                });
                table.insert("env_http_headers".to_owned(), toml::Value::Table(headers.collect()));
            }
        }
        let table = toml::Value::Table(table);
        passed.args.extend(["-c".to_owned(), format!("mcp_servers.{name}={table}")]);
    }
    passed
}

/// Gemini reads servers only from settings in its home, in the project, or of the administrator.
fn in_geminis_home(request: &McpRequest) -> Result<Passed, AdapterError> {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => json!({ "command": command, "args": args, "env": env }),
        McpTransport::Address { url, headers } => json!({ "httpUrl": url, "headers": headers }),
    });
    let settings = with_servers(request.settings.as_deref(), "mcpServers", servers)?;
    let home = request.directory.join("gemini");
    let folder = home.join(".gemini");
    let beside = request.beside_settings.iter().filter_map(|target| {
        let content = FileContent::Link(target.clone());
        Some(LaunchFile { path: folder.join(target.file_name()?), content })
    });
    let settings = LaunchFile { path: folder.join("settings.json"), content: FileContent::Text(settings) };
    let env = BTreeMap::from([("GEMINI_CLI_HOME".to_owned(), home.display().to_string())]);
    Ok(Passed { env, files: beside.chain([settings]).collect(), ..Passed::default() })
}

fn by_opencodes_variable(request: &McpRequest) -> Result<Passed, AdapterError> {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => {
            let command: Vec<&String> = std::iter::once(command).chain(args).collect();
            json!({ "type": "local", "command": command, "environment": env, "enabled": true })
        }
        McpTransport::Address { url, headers } => {
            json!({ "type": "remote", "url": url, "headers": headers, "enabled": true })
        }
    });
    let settings = with_servers(request.settings.as_deref(), "mcp", servers)?;
    Ok(Passed { env: BTreeMap::from([("OPENCODE_CONFIG_CONTENT".to_owned(), settings)]), ..Passed::default() })
}

fn named(servers: &[ReadyServer], say: impl Fn(&McpTransport) -> Value) -> Map<String, Value> {
    servers.iter().map(|server| (server.name.clone(), say(&server.transport))).collect()
}

/// The user's settings with more servers in them.
fn with_servers(settings: Option<&str>, key: &str, servers: Map<String, Value>) -> Result<String, AdapterError> {
    let settings = settings.filter(|text| !text.trim().is_empty()).unwrap_or("{}");
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(|_| AdapterError::Settings)?;
    let own = settings.entry(key).or_insert_with(|| json!({}));
    own.as_object_mut().ok_or(AdapterError::Settings)?.extend(servers);
    Ok(Value::Object(settings).to_string())
}

#[cfg(test)]
mod tests;
