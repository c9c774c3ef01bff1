//! Passing MCP servers to an agent.
//!
//! The one rule: the user's own settings are not changed, and no value of a variable or header is on a command line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agency_model::McpTransport;
use agent_client_protocol_schema::v1;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{AdapterError, Form};

/// An MCP server whose program is found and whose variables have their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyServer {
    /// Its name for the agent.
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

/// How servers are passed to one process of an agent.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PassedServers {
    /// Arguments.
    pub args: Vec<String>,
    /// Variables.
    pub env: BTreeMap<String, String>,
    /// Files that have to exist.
    pub files: Vec<LaunchFile>,
    /// The servers that the protocol carries.
    pub by_protocol: Vec<ReadyServer>,
}

/// Says how MCP servers are passed to an agent.
pub type PassServers = fn(&McpRequest) -> Result<PassedServers, AdapterError>;

/// Passes servers to an agent that is started in this form.
pub(super) fn pass(
    by_adapter: Option<PassServers>,
    form: &Form,
    request: &McpRequest,
) -> Result<PassedServers, AdapterError> {
    if request.servers.is_empty() {
        return Ok(PassedServers::default());
    }
    if form.carries_mcp_servers() {
        return Ok(PassedServers { by_protocol: request.servers.clone(), ..PassedServers::default() });
    }
    by_adapter.map_or_else(|| Ok(PassedServers::default()), |pass| pass(request))
}

/// The servers in the notation of the Agent Client Protocol.
pub(super) fn in_protocol(servers: &[ReadyServer]) -> Vec<v1::McpServer> {
    let notation = |ReadyServer { name, transport }: &ReadyServer| match transport {
        McpTransport::Program { command, args, env } => {
            let env = env.iter().map(|(name, value)| v1::EnvVariable::new(name, value)).collect();
            v1::McpServer::Stdio(v1::McpServerStdio::new(name, command).args(args.clone()).env(env))
        }
        McpTransport::Address { url, headers } => {
            let headers = headers.iter().map(|(name, value)| v1::HttpHeader::new(name, value)).collect();
            v1::McpServer::Http(v1::McpServerHttp::new(name, url).headers(headers))
        }
    };
    servers.iter().map(notation).collect()
}

/// The servers by name, in an agent's own notation.
pub(super) fn named(servers: &[ReadyServer], notation: impl Fn(&McpTransport) -> Value) -> Map<String, Value> {
    servers.iter().map(|server| (server.name.clone(), notation(&server.transport))).collect()
}

/// The user's settings with more servers in them.
pub(super) fn with_servers(
    settings: Option<&str>,
    key: &str,
    servers: Map<String, Value>,
) -> Result<String, AdapterError> {
    let settings = settings.filter(|text| !text.trim().is_empty()).unwrap_or("{}");
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(|_| AdapterError::Settings)?;
    let own = settings.entry(key).or_insert_with(|| json!({}));
    own.as_object_mut().ok_or(AdapterError::Settings)?.extend(servers);
    Ok(Value::Object(settings).to_string())
}

#[cfg(test)]
mod tests;
