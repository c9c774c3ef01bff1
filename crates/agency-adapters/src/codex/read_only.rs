//! Codex: shell commands in a sandbox that lets them write nothing and reach nothing.

use serde_json::Value;

use crate::read_only::{strings, unlisted};
use crate::{AdapterError, ReadOnlyLaunch, ReadOnlyMode, ReadOnlyRequest, ServerListing, StreamFormat};

pub(super) const MODE: ReadOnlyMode =
    ReadOnlyMode { servers: Some(ServerListing { args: &["mcp", "list", "--json"], env: &[] }), launch };

fn launch(request: &ReadOnlyRequest<'_>) -> Result<ReadOnlyLaunch, AdapterError> {
    let mut launch = ReadOnlyLaunch::new(StreamFormat::Codex);
    let args = &mut launch.args;
    if request.one_question {
        // Rules of the user's can let commands run outside of the sandbox.
        args.extend(strings(["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules"]));
    }
    args.extend(strings(["--sandbox", "read-only", "-c", "web_search=\"disabled\"", "-c", "project_doc_max_bytes=0"]));
    let servers = servers(request)?;
    if !servers.is_empty() {
        let off = servers.into_iter().map(|name| format!("{}={{enabled=false}}", toml::Value::String(name)));
        let setting = format!("mcp_servers={{{}}}", off.collect::<Vec<_>>().join(","));
        args.extend(strings(["-c", &setting]));
    }
    if request.one_question {
        args.push("-".to_owned());
    }
    Ok(launch)
}

/// The MCP servers that Codex would start.
fn servers(request: &ReadOnlyRequest<'_>) -> Result<Vec<String>, AdapterError> {
    let names = request
        .listed_servers
        .and_then(Value::as_array)
        .map(|servers| servers.iter().filter_map(|server| server.get("name")?.as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| unlisted("codex", "codex mcp list --json"))
}
