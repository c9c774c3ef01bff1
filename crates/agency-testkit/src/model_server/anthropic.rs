//! Anthropic's messages, `POST …/v1/messages`: the protocol of Claude Code.

use super::http::ServerEvent;
use super::identity;
use super::script::{Part, Turn, pieces};
use serde_json::{Value, json};

/// The answer in one piece.
pub(super) fn whole(turn: &Turn, model: &Value) -> Value {
    let mut message = message(model);
    message["content"] = turn.parts.iter().map(block).collect();
    message["stop_reason"] = stop_reason(turn).into();
    message["usage"]["output_tokens"] = 20.into();
    message
}

/// The answer as a stream.
pub(super) fn stream(turn: &Turn, model: &Value) -> Vec<ServerEvent> {
    let mut events = vec![ServerEvent::named("message_start", json!({ "message": message(model) }))];
    for (index, block) in turn.parts.iter().map(block).enumerate() {
        let (empty, deltas) = cut(block);
        events.push(ServerEvent::named("content_block_start", json!({ "index": index, "content_block": empty })));
        let delta = |delta| ServerEvent::named("content_block_delta", json!({ "index": index, "delta": delta }));
        events.extend(deltas.into_iter().map(delta));
        events.push(ServerEvent::named("content_block_stop", json!({ "index": index })));
    }
    let end = json!({
        "delta": { "stop_reason": stop_reason(turn), "stop_sequence": null },
        "usage": { "output_tokens": 20 },
    });
    events.push(ServerEvent::named("message_delta", end));
    events.push(ServerEvent::named("message_stop", json!({})));
    events
}

/// A message without content.
fn message(model: &Value) -> Value {
    json!({
        "id": identity("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}

fn stop_reason(turn: &Turn) -> &'static str {
    if turn.calls_tools() { "tool_use" } else { "end_turn" }
}

fn block(part: &Part) -> Value {
    match part {
        Part::Thinking(text) => json!({ "type": "thinking", "thinking": text, "signature": "c3R1Yg==" }),
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Tool { .. } | Part::CustomTool { .. } => {
            let (name, input) = part.call().unzip();
            json!({ "type": "tool_use", "id": identity("toolu"), "name": name, "input": input })
        }
    }
}

/// A block as it begins, and what is then added to it.
fn cut(mut block: Value) -> (Value, Vec<Value>) {
    let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str() {
        Some("thinking") => {
            let mut deltas: Vec<Value> =
                pieces(&text("thinking")).map(|piece| json!({ "type": "thinking_delta", "thinking": piece })).collect();
            deltas.push(json!({ "type": "signature_delta", "signature": text("signature") }));
            block["thinking"] = "".into();
            block["signature"] = "".into();
            (block, deltas)
        }
        Some("text") => {
            let deltas = pieces(&text("text")).map(|piece| json!({ "type": "text_delta", "text": piece })).collect();
            block["text"] = "".into();
            (block, deltas)
        }
        _ => {
            let input = block["input"].to_string();
            block["input"] = json!({});
            (block, vec![json!({ "type": "input_json_delta", "partial_json": input })])
        }
    }
}
