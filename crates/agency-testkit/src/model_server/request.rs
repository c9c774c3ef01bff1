//! A request to a model server, kept for the test to look at.

use super::http::RawRequest;
use super::protocol::Protocol;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What an agent sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The headers; their names are in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, which is `null` where there was none.
    pub body: Value,
    /// Which turn of the script it asks for, counted from 0. `None`: it is not part of the work, such as one for a title.
    pub turn: Option<usize>,
    pub(super) protocol: Option<Protocol>,
}

impl Request {
    pub(super) fn new(raw: RawRequest) -> Self {
        let RawRequest { method, path, headers, body } = raw;
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| unreadable(&body));
        let protocol = Protocol::of(&path).filter(|_| method == "POST");
        let turn = protocol.and_then(|protocol| protocol.turn_number(&body));
        Self { method, path, headers, body, turn, protocol }
    }

    /// Whether some text of the body, however deep, has these words in it.
    pub fn says(&self, words: &str) -> bool {
        says(&self.body, words)
    }

    /// Whether the first message of the conversation has these words in it.
    pub(super) fn begins_with(&self, words: &str) -> bool {
        let messages = ["messages", "input", "contents"].iter().find_map(|name| self.body[name].as_array());
        messages.and_then(|messages| messages.first()).is_some_and(|first| says(first, words))
    }
}

fn unreadable(body: &[u8]) -> Value {
    if body.is_empty() { Value::Null } else { json!({ "not_json": String::from_utf8_lossy(body) }) }
}

fn says(value: &Value, words: &str) -> bool {
    match value {
        Value::String(text) => text.contains(words),
        Value::Array(values) => values.iter().any(|value| says(value, words)),
        Value::Object(fields) => fields.values().any(|value| says(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
