//! The uses of tools that Codex has begun: what it asks about them does not repeat what they are.

use std::collections::BTreeMap;

use agency_model::Event;
use serde_json::Value;

/// No agent has this many at work; what a broken one leaves open must not grow without end.
const MAX_OPEN_TOOLS: usize = 64;

/// The uses that have no result yet, by the ids of their items: the name of the tool, and what it is given.
#[derive(Debug, Default)]
pub(super) struct OpenTools {
    uses: BTreeMap<String, (String, Value)>,
}

impl OpenTools {
    /// Records the begin or the end of a use.
    pub(super) fn observe(&mut self, event: &Event) {
        if let Event::ToolUse { tool_name, input, tool_id: Some(id), .. } = event {
            if self.uses.len() >= MAX_OPEN_TOOLS {
                self.uses.clear();
            }
            self.uses.insert(id.clone(), (tool_name.clone(), input.clone()));
        }
        if let Event::ToolResult { tool_id: Some(id), .. } = event {
            self.uses.remove(id);
        }
    }

    /// What a file change changes.
    pub(super) fn changes(&self, id: &str) -> Option<&Value> {
        self.uses.get(id)?.1.get("changes").filter(|changes| !changes.is_null())
    }

    /// The name of a tool of this MCP server that is given this.
    pub(super) fn mcp_tool(&self, server: &str, input: &Value) -> Option<&str> {
        let of_server = |name: &str| name.strip_prefix(server).is_some_and(|rest| rest.starts_with('.'));
        self.uses.values().find(|(name, given)| of_server(name) && given == input).map(|(name, _)| name.as_str())
    }
}
