//! MCP servers that an agent gets, as a user writes them down: programs or addresses, and presets for common ones.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Format, Mistake, Mistakes, NodeKind, Reason, Source, decode_field, dotted_key, read_json};
use crate::nearest;
use crate::string_enum::string_enum;

string_enum! {
    /// An MCP server that agency knows how to start.
    McpPreset {
        /// Reads and writes files of the workspace.
        Filesystem = "filesystem",
        /// Drives a browser.
        Puppeteer = "puppeteer",
        /// Talks to GitHub, with the token in `GITHUB_PERSONAL_ACCESS_TOKEN`.
        Github = "github",
    }
}

/// What is shown instead of a value.
const HIDDEN: &str = "***";

/// MCP servers by name.
pub type McpServers = BTreeMap<String, McpServer>;

/// One MCP server: a preset, a program or an address. `{}` under the name of a preset is that preset.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"command\": \"my-server\"}")]
pub struct McpServer {
    /// A server that agency knows; what else is said here wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<McpPreset>,
    /// The program that is the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments; `{workspace}` stands for the directory in which the agent works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Its variables; `${NAME}` stands for a variable of yours, so that no secret is written down.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The address of a server that runs elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What is said to it with each request; `${NAME}` stands for a variable of yours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// How a server is reached, once presets are looked up.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum McpTransport {
    /// A program that serves on its standard streams.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its variables.
        env: BTreeMap<String, String>,
    },
    /// An address.
    Address {
        /// The address.
        url: String,
        /// What is said with each request.
        headers: BTreeMap<String, String>,
    },
}

/// Reads a file of MCP servers in the common notation, an object with `mcpServers`; `file` is its name in mistakes.
pub fn parse_mcp_config(file: &str, text: &str) -> Result<McpServers, Mistakes> {
    let source = Source::new(file, text, Format::Json);
    let (root, mistakes) = read_json(&source);
    let Some(root) = root.filter(|_| mistakes.is_empty()) else { return Err(mistakes.into()) };
    let Some((_, servers)) = root.entry("mcpServers") else {
        return Err(source.mistake(root.at, "it has no object `mcpServers`").into());
    };
    let mut servers = servers.clone();
    if let NodeKind::Map(entries) = &mut servers.kind {
        for (_, server) in entries {
            // Others write down the kind, which follows from the rest.
            if let NodeKind::Map(fields) = &mut server.kind {
                fields.retain(|(key, _)| key.name != "type");
            }
        }
    }
    decode_field(&servers, "mcpServers", &source).map_err(Mistakes::from)
}

/// Lays the servers of a task over those that hold for all tasks: the task's win, each as a whole.
#[must_use]
pub fn merged_mcp_servers(defaults: &McpServers, own: &McpServers) -> McpServers {
    let mut servers = defaults.clone();
    servers.extend(own.clone());
    servers
}

/// The servers as they may be shown: without the values of variables and headers, except where those only name a
/// variable.
#[must_use]
pub fn without_values(servers: &McpServers) -> McpServers {
    let mut shown = servers.clone();
    for server in shown.values_mut() {
        let values = server.env.values_mut().chain(server.headers.values_mut());
        values.filter(|value| !is_only_a_name(value)).for_each(|value| *value = HIDDEN.to_owned());
    }
    shown
}

/// Hides the same values in a spec that was stored, whatever version stored it.
pub fn hide_mcp_values(spec: &mut serde_json::Value) {
    let Some(stored) = spec.get_mut("mcp_servers") else { return };
    *stored = match serde_json::from_value::<McpServers>(stored.clone()) {
        Ok(servers) => serde_json::to_value(without_values(&servers)).unwrap_or_else(|_| HIDDEN.into()),
        Err(_) => HIDDEN.into(),
    };
}

/// Whether a value is nothing but the name of a variable.
fn is_only_a_name(value: &str) -> bool {
    value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).is_some_and(is_variable)
}

/// Whether a shell takes a text for the name of a variable: some servers get theirs by way of one.
fn is_variable(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

impl McpPreset {
    /// The server itself. All of them are packages that npm keeps.
    #[must_use]
    pub fn server(self) -> McpServer {
        let (package, more): (&str, &[&str]) = match self {
            Self::Filesystem => ("@modelcontextprotocol/server-filesystem", &["{workspace}"]),
            Self::Puppeteer => ("@modelcontextprotocol/server-puppeteer", &[]),
            Self::Github => ("@modelcontextprotocol/server-github", &[]),
        };
        let args = ["-y", package].iter().chain(more).map(|arg| (*arg).to_owned()).collect();
        let token = || ("GITHUB_PERSONAL_ACCESS_TOKEN".to_owned(), "${GITHUB_PERSONAL_ACCESS_TOKEN}".to_owned());
        let env = match self {
            Self::Filesystem | Self::Puppeteer => BTreeMap::new(),
            Self::Github => BTreeMap::from([token()]),
        };
        McpServer { command: Some("npx".to_owned()), args: Some(args), env, ..McpServer::default() }
    }
}

impl McpServer {
    /// How the server of this name is reached.
    pub fn transport(&self, name: &str) -> Result<McpTransport, Mistake> {
        let mistake = |message: &str| Mistake::new(Reason::Value, message).about(dotted_key("mcp_servers", name));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || !name.bytes().all(plain) {
            return Err(mistake("not a valid name for an MCP server: use letters, digits, - and _"));
        }
        if let Some(variable) = self.env.keys().find(|variable| !is_variable(variable)) {
            return Err(mistake(&format!(
                "'{variable}' is not the name of a variable: use letters, digits and _, not beginning with a digit"
            )));
        }
        let by_name = || name.parse::<McpPreset>().ok().filter(|_| self.command.is_none() && self.url.is_none());
        let preset = self.preset.or_else(by_name).map(McpPreset::server).unwrap_or_default();
        let misplaced =
            |field: &str, other: &str| Err(mistake(&format!("`{field}` belongs to a server with a `{other}`")));
        match (self.command.clone().or(preset.command), self.url.clone()) {
            (Some(_), Some(_)) => Err(mistake("it has a `command` and a `url`: use one or the other")),
            (None, None) => {
                let known = McpPreset::ALL.iter().map(|preset| preset.as_str());
                let message = "it has neither `command` nor `url`, and no preset has that name";
                Err(mistake(message).meant(nearest(name, known)))
            }
            (Some(_), None) if !self.headers.is_empty() => misplaced("headers", "url"),
            (None, Some(_)) if self.args.is_some() => misplaced("args", "command"),
            (None, Some(_)) if !self.env.is_empty() => misplaced("env", "command"),
            (Some(command), None) => {
                let mut env = preset.env;
                env.extend(self.env.clone());
                let args = self.args.clone().or(preset.args).unwrap_or_default();
                Ok(McpTransport::Program { command, args, env })
            }
            (None, Some(url)) => Ok(McpTransport::Address { url, headers: self.headers.clone() }),
        }
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("McpServer")
            .field("preset", &self.preset)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env_names", &self.env.keys())
            .field("url", &self.url)
            .field("header_names", &self.headers.keys())
            .finish()
    }
}

impl fmt::Debug for McpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program { command, args, env } => formatter
                .debug_struct("Program")
                .field("command", command)
                .field("args", args)
                .field("env_names", &env.keys())
                .finish(),
            Self::Address { url, headers } => {
                formatter.debug_struct("Address").field("url", url).field("header_names", &headers.keys()).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests;
