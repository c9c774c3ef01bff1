//! OpenAI's responses, `POST …/responses`: the protocol of Codex.

use super::http::ServerEvent;
use super::identity;
use super::script::{Part, Turn, pieces};
use serde_json::{Value, json};

/// Whether an item of a request's input is something that the model said.
pub(super) fn is_spoken(item: &Value) -> bool {
    match item["type"].as_str() {
        None | Some("message") => item["role"] == "assistant",
        Some(kind) => ["reasoning", "function_call", "custom_tool_call", "local_shell_call"].contains(&kind),
    }
}

/// The answer in one piece.
pub(super) fn whole(turn: &Turn, model: &Value) -> Value {
    let items: Vec<Value> = turn.parts.iter().map(item).collect();
    response(&identity("resp"), model, "completed", &items)
}

/// The answer as a stream.
pub(super) fn stream(turn: &Turn, model: &Value) -> Vec<ServerEvent> {
    let id = identity("resp");
    let begun = response(&id, model, "in_progress", &[]);
    let mut events = vec![ServerEvent::named("response.created", json!({ "response": begun }))];
    let items: Vec<Value> = turn.parts.iter().map(item).collect();
    for (index, (item, part)) in items.iter().zip(&turn.parts).enumerate() {
        let mut begun = item.clone();
        begun["status"] = "in_progress".into();
        if let Part::Text(_) = part {
            begun["content"] = json!([]);
        }
        events.push(ServerEvent::named("response.output_item.added", json!({ "output_index": index, "item": begun })));
        events.extend(deltas(part, &item["id"], index));
        events.push(ServerEvent::named("response.output_item.done", json!({ "output_index": index, "item": item })));
    }
    let completed = response(&id, model, "completed", &items);
    events.push(ServerEvent::named("response.completed", json!({ "response": completed })));
    events
}

fn response(id: &str, model: &Value, status: &str, output: &[Value]) -> Value {
    json!({
        "id": id,
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": model,
        "output": output,
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 20,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 120,
        },
    })
}

fn item(part: &Part) -> Value {
    match part {
        Part::Thinking(text) => json!({
            "type": "reasoning",
            "id": identity("rs"),
            "summary": [{ "type": "summary_text", "text": text }],
        }),
        Part::Text(text) => json!({
            "type": "message",
            "id": identity("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Part::Tool { name, input } => json!({
            "type": "function_call",
            "id": identity("fc"),
            "call_id": identity("call"),
            "namespace": in_namespace(name).0,
            "name": in_namespace(name).1,
            "arguments": input.to_string(),
            "status": "completed",
        }),
        Part::CustomTool { name, input } => json!({
            "type": "custom_tool_call",
            "id": identity("ctc"),
            "call_id": identity("call"),
            "name": name,
            "input": input,
            "status": "completed",
        }),
    }
}

/// The tool of an MCP server is known by the namespace of the server and its own name.
fn in_namespace(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once("__") {
        Some((server, tool)) if server.starts_with("mcp__") => (Some(server), tool),
        Some(_) | None => (None, name),
    }
}

fn deltas(part: &Part, item_id: &Value, index: usize) -> Vec<ServerEvent> {
    let delta = |name, place: &'static str, text: &str| {
        let delta = |piece| json!({ "item_id": item_id, "output_index": index, place: 0, "delta": piece });
        pieces(text).map(|piece| ServerEvent::named(name, delta(piece))).collect()
    };
    match part {
        Part::Thinking(text) => delta("response.reasoning_summary_text.delta", "summary_index", text),
        Part::Text(text) => delta("response.output_text.delta", "content_index", text),
        Part::Tool { .. } | Part::CustomTool { .. } => vec![],
    }
}
