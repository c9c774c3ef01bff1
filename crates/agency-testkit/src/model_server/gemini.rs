//! Google's `POST …:generateContent` and `POST …:streamGenerateContent`: the protocol of Gemini CLI.

use super::http::ServerEvent;
use super::script::{Part, Turn, pieces};
use serde_json::{Value, json};

/// The answer in one piece.
pub(super) fn whole(turn: &Turn) -> Value {
    let parts: Vec<Value> = turn.parts.iter().map(part).collect();
    candidate(&parts, Some("STOP"))
}

/// The answer as a stream.
pub(super) fn stream(turn: &Turn) -> Vec<ServerEvent> {
    let mut chunks: Vec<Value> = vec![];
    for part in turn.parts.iter().map(part) {
        match part["text"].as_str() {
            Some(text) => chunks.extend(pieces(text).map(|piece| {
                let mut chunk = part.clone();
                chunk["text"] = piece.into();
                chunk
            })),
            None => chunks.push(part),
        }
    }
    let last = chunks.len().saturating_sub(1);
    let finish = |index| (index == last).then_some("STOP");
    let events = chunks.into_iter().enumerate();
    events.map(|(index, chunk)| ServerEvent::data(&candidate(&[chunk], finish(index)))).collect()
}

fn part(part: &Part) -> Value {
    match part {
        Part::Thinking(text) => json!({ "text": text, "thought": true }),
        Part::Text(text) => json!({ "text": text }),
        Part::Tool { .. } | Part::CustomTool { .. } => {
            let (name, input) = part.call().unzip();
            json!({ "functionCall": { "name": name, "args": input } })
        }
    }
}

fn candidate(parts: &[Value], finish_reason: Option<&str>) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let Some(reason) = finish_reason {
        candidate["finishReason"] = reason.into();
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120 },
        "modelVersion": "stub",
        "responseId": "stub",
    })
}
