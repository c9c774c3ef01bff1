//! What agents show, as text.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, ToolCallContent};
use serde_json::Value;

use crate::question_text::change;

/// A block of a message.
pub(super) fn text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(_) => "[image]".to_owned(),
        ContentBlock::Audio(_) => "[audio]".to_owned(),
        ContentBlock::ResourceLink(link) => link.uri.clone(),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            EmbeddedResourceResource::TextResourceContents(resource) => resource.text.clone(),
            EmbeddedResourceResource::BlobResourceContents(_) | _ => "[resource]".to_owned(),
        },
        _ => "[content]".to_owned(),
    }
}

/// What a tool shows: its texts and its changes. Terminals are not offered to agents, so they show nothing.
pub(super) fn shown(content: &[ToolCallContent]) -> String {
    let texts: Vec<String> = content
        .iter()
        .filter_map(|part| match part {
            ToolCallContent::Content(content) => Some(text(&content.content)),
            ToolCallContent::Diff(diff) => {
                let path = diff.path.to_string_lossy();
                Some(change(&path, diff.old_text.as_deref().unwrap_or_default(), &diff.new_text))
            }
            ToolCallContent::Terminal(_) | _ => None,
        })
        .collect();
    texts.join("\n")
}

/// What came out of a tool. A raw output that is text is the tool's own, what is shown may be dressed up.
pub(super) fn output(raw: Option<&Value>, shown: &str) -> String {
    match raw {
        Some(Value::String(text)) if !text.is_empty() => text.clone(),
        Some(raw) if shown.is_empty() => {
            let named = ["output", "error"].iter().find_map(|name| raw.get(name)?.as_str());
            named.map_or_else(|| if raw.is_null() { String::new() } else { raw.to_string() }, str::to_owned)
        }
        Some(_) | None => shown.to_owned(),
    }
}
