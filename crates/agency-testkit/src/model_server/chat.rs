//! OpenAI's chat completions, `POST …/chat/completions`: the protocol of opencode with a provider of its user's own.

use super::http::ServerEvent;
use super::identity;
use super::script::{Part, Turn, pieces};
use serde_json::{Value, json};

/// The answer in one piece.
pub(super) fn whole(turn: &Turn, model: &Value) -> Value {
    let mut message = json!({ "role": "assistant", "content": text(turn) });
    if turn.calls_tools() {
        message["tool_calls"] = calls(turn).into();
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(turn) });
    completion("chat.completion", &identity("chatcmpl"), model, &choice, &usage())
}

/// The answer as a stream.
pub(super) fn stream(turn: &Turn, model: &Value) -> Vec<ServerEvent> {
    let id = identity("chatcmpl");
    let chunk = |delta: Value, finish_reason: Option<&str>, usage: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        ServerEvent::data(&completion("chat.completion.chunk", &id, model, &choice, &usage))
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), None, Value::Null)];
    events.extend(pieces(&text(turn)).map(|piece| chunk(json!({ "content": piece }), None, Value::Null)));
    events.extend(calls(turn).into_iter().map(|call| chunk(json!({ "tool_calls": [call] }), None, Value::Null)));
    events.push(chunk(json!({}), Some(finish_reason(turn)), usage()));
    events.push(ServerEvent::data(&"[DONE]"));
    events
}

fn completion(object: &str, id: &str, model: &Value, choice: &Value, usage: &Value) -> Value {
    json!({ "id": id, "object": object, "created": 1, "model": model, "choices": [choice], "usage": usage })
}

fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 })
}

fn finish_reason(turn: &Turn) -> &'static str {
    if turn.calls_tools() { "tool_calls" } else { "stop" }
}

fn text(turn: &Turn) -> String {
    let texts = turn.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Thinking(_) | Part::Tool { .. } | Part::CustomTool { .. } => None,
    });
    texts.collect()
}

fn calls(turn: &Turn) -> Vec<Value> {
    let call = |(index, (name, input)): (usize, (&str, Value))| {
        json!({
            "index": index,
            "id": identity("call"),
            "type": "function",
            "function": { "name": name, "arguments": input.to_string() },
        })
    };
    turn.parts.iter().filter_map(Part::call).enumerate().map(call).collect()
}
