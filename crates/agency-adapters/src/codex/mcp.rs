//! MCP servers by arguments, with variables for what is secret.

use agency_model::McpTransport;

use crate::mcp_client::{AddCommand, McpClient, ServerNotation, plain_entry};
use crate::{AdapterError, McpRequest, PassedServers, ReadyServer};

/// How it is registered as a client of a server.
pub(super) const CLIENT: McpClient = McpClient {
    name: "codex",
    settings_file: |environment| Some(super::home(environment)?.join("config.toml")),
    notation: ServerNotation::Toml("mcp_servers"),
    entry: plain_entry,
    env_field: "env",
    command: Some(AddCommand { template: "codex mcp add {name}{env} -- {line}", takes_options: true }),
};

/// Codex passes on the variables that a server's entry names. They get names of their own, so that neither the agent nor
/// another server takes them for its own, and a shell gives them their names back.
pub(super) fn pass(request: &McpRequest) -> Result<PassedServers, AdapterError> {
    let mut passed = PassedServers::default();
    for (number, ReadyServer { name, transport }) in request.servers.iter().enumerate() {
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
    Ok(passed)
}
