//! An MCP server with one tool, as a shell script, which notes how it was started and called.

use crate::World;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// The name of its tool.
pub(crate) const TOOL: &str = "remember";

/// Answers on standard output what is asked on standard input, a line each. The id of a request is the first of the line.
const SCRIPT: &str = r#"#!/bin/sh
mark=$1 log=$2
note() { printf '%s %s\n' "$mark" "$*" >>"$log"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
note "started with $PROBE_TOKEN"
note "parent: $(tr '\0' ' ' </proc/$PPID/cmdline) own: $(tr '\0' ' ' </proc/$$/cmdline)"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | grep -o '"id":[^,}]*' | head -n 1 | cut -d: -f2-)
    case $line in
        *'"method":"initialize"'*)
            version=$(printf '%s' "$line" | grep -o '"protocolVersion":"[^"]*"' | cut -d'"' -f4)
            answer "{\"protocolVersion\":\"$version\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"probe\",\"version\":\"1\"}}" ;;
        *'"method":"tools/list"'*)
            answer '{"tools":[{"name":"remember","description":"Remembers words","inputSchema":{"type":"object","properties":{"words":{"type":"string"}},"required":["words"]}}]}' ;;
        *'"method":"tools/call"'*)
            note "called: $line"
            answer "{\"content\":[{\"type\":\"text\",\"text\":\"remembered by $mark\"}]}" ;;
        *'"id":'*)
            answer '{}' ;;
    esac
done
note ended
"#;

/// A server that a test can give to an agent.
pub struct McpServer {
    script: PathBuf,
    log: PathBuf,
    mark: String,
}

impl McpServer {
    /// Writes the server down, with a mark that distinguishes its notes from those of others.
    #[track_caller]
    pub fn new(world: &World, mark: &str) -> Self {
        let script = world.root().join("mcp-server");
        fs::write(&script, SCRIPT).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { script, log: world.root().join("mcp-server.log"), mark: mark.to_owned() }
    }

    /// The server as a spec has it, with a token in its environment.
    pub fn entry(&self, token: &str) -> Value {
        json!({ "command": self.script, "args": [self.mark, self.log], "env": { "PROBE_TOKEN": token } })
    }

    /// What servers of this mark noted.
    pub fn notes(&self) -> Vec<String> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let own = log.lines().filter_map(|line| line.strip_prefix(&self.mark)?.strip_prefix(' '));
        own.map(str::to_owned).collect()
    }
}
