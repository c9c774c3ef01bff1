//! How an agent learns of an MCP server for all its conversations: by an entry in the user's settings.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Variables, variable};

/// An agent that can be registered as a client of an MCP server.
#[derive(Debug, Clone, Copy)]
pub struct McpClient {
    /// The name by which the user chooses it.
    pub name: &'static str,
    /// The user's settings; none without a home directory.
    pub settings_file: fn(&Variables) -> Option<PathBuf>,
    /// Where servers stand in them.
    pub notation: ServerNotation,
    /// The entry of a server with this command line, without its variables.
    pub entry: fn(&[String]) -> Value,
    /// The field of an entry that holds its variables.
    pub env_field: &'static str,
    /// The agent's own command that adds such an entry.
    pub command: Option<AddCommand>,
}

/// Where servers stand in an agent's settings.
#[derive(Debug, Clone, Copy)]
pub enum ServerNotation {
    /// In a JSON object below this key.
    Json(&'static str),
    /// In TOML tables below this one.
    Toml(&'static str),
}

/// An agent's own command that adds a server.
#[derive(Debug, Clone, Copy)]
pub struct AddCommand {
    /// The command: `{name}`, `{env}` and `{line}` stand for the server's name, variables and command line.
    pub template: &'static str,
    /// Whether the server's command line may have options: some agents take them for their own.
    pub takes_options: bool,
}

/// The path of a file in the directory that a variable names, or below the home directory.
pub(super) fn settings_path(environment: &Variables, directory: Option<PathBuf>, below_home: &str) -> Option<PathBuf> {
    let name = below_home.rsplit('/').next().unwrap_or(below_home);
    match directory {
        Some(directory) => Some(directory.join(name)),
        None => Some(variable(environment, "HOME")?.join(below_home)),
    }
}

/// The entry that most agents have.
pub(super) fn plain_entry(command_line: &[String]) -> Value {
    let (program, arguments) = program_and_arguments(command_line);
    json!({ "command": program, "args": arguments })
}

/// A command line taken apart.
pub(super) fn program_and_arguments(command_line: &[String]) -> (&str, &[String]) {
    command_line.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest))
}
