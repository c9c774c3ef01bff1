//! Reads MCP servers.

use std::collections::BTreeMap;

use super::super::fields::Shape;
use super::super::reader::{Notes, Object};
use super::super::{Position, TemplateText};
use crate::document::{Node, NodeKind};
use crate::{McpPreset, McpServer, McpServers};

const FIELD: &str = "mcp_servers";

/// A map of servers, or a list of presets.
pub(super) fn servers(object: &Object<'_>, notes: &mut Notes<'_, '_>) -> McpServers {
    let mut servers = McpServers::new();
    if let Some(Node { kind: NodeKind::List(items), .. }) = object.node(FIELD) {
        for item in items {
            match item.text() {
                Some(name) => servers.extend(preset(name, item.at, notes)),
                None => notes.note(item.at, "a list of servers names presets; write others as a map"),
            }
        }
        return servers;
    }
    for (key, node) in object.entries_of(FIELD, "a map of servers or a list of presets", notes) {
        if matches!(node.kind, NodeKind::Null | NodeKind::Bool(true)) {
            servers.extend(preset(&key.name, key.at, notes));
        } else {
            servers.extend(server(node, notes).map(|server| (key.name.clone(), server)));
        }
    }
    servers
}

fn preset(name: &str, at: Position, notes: &mut Notes<'_, '_>) -> Option<(String, McpServer)> {
    let Some(preset) = name.parse::<McpPreset>().ok() else {
        let words = McpPreset::ALL.iter().map(|preset| preset.as_str());
        notes.unknown(at, format!("`{name}` is not a preset; give its `command` or `url`"), name, words);
        return None;
    };
    Some((name.to_owned(), McpServer { preset: Some(preset), ..McpServer::default() }))
}

fn server(node: &Node, notes: &mut Notes<'_, '_>) -> Option<McpServer> {
    let object = Object::take(node, Shape::McpServer, notes)?;
    object.not_both("command", "url", notes);
    let plain =
        |texts: BTreeMap<String, TemplateText>| texts.into_iter().map(|(name, text)| (name, text.value)).collect();
    let args = object.texts("args", notes);
    let env = plain(object.environment("env", notes));
    let headers = plain(object.environment("headers", notes));
    let url = object.text("url", notes);
    match object.text("command", notes) {
        Some(command) => {
            Some(McpServer { command: Some(command.value), args: Some(args), env, ..McpServer::default() })
        }
        None => url.map(|url| McpServer { url: Some(url.value), headers, ..McpServer::default() }),
    }
}
