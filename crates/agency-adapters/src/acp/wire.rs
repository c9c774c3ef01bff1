//! JSON-RPC as the Agent Client Protocol has it: one message on each line, in both directions.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::{Error, JsonRpcMessage, Notification, Request, RequestId, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_lines::NotUnderstood;

/// Any message. The ids of both sides overlap: what has a method is a request or a notification of the agent, what has
/// none answers a request of ours.
#[derive(Deserialize)]
pub(super) struct WireMessage<'a> {
    pub(super) id: Option<RequestId>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// Reads the payload of a message; some agents leave out an empty one.
pub(super) fn read<'a, T: Deserialize<'a>>(payload: Option<&'a RawValue>) -> Result<T, NotUnderstood> {
    Ok(serde_json::from_str(payload.map_or("null", RawValue::get))?)
}

/// What an error says, with the details that some agents put beside the message.
pub(super) fn complaint(error: &RawValue) -> String {
    let Ok(Error { message, data, .. }) = serde_json::from_str(error.get()) else {
        return error.get().to_owned();
    };
    let details = data.as_ref().and_then(|data| {
        let named = ["details", "message"].iter().find_map(|name| data.get(name));
        named.unwrap_or(data).as_str()
    });
    match details {
        Some(details) if !message.contains(details) => format!("{message}: {details}"),
        Some(_) | None => message,
    }
}

/// A request of ours.
pub(super) fn request(id: i64, method: &str, params: impl Serialize) -> Vec<u8> {
    line(Request { id: RequestId::Number(id), method: method.into(), params: Some(params) })
}

/// A notification of ours.
pub(super) fn notification(method: &str, params: impl Serialize) -> Vec<u8> {
    line(Notification { method: method.into(), params: Some(params) })
}

/// The answer to a request of the agent.
pub(super) fn answer(id: RequestId, result: impl Serialize) -> Vec<u8> {
    line(Response::<_, Error>::new(id, Ok(result)))
}

/// The refusal of a request of the agent.
pub(super) fn refusal(id: RequestId, error: Error) -> Vec<u8> {
    line(Response::<Value, Error>::new(id, Err(error)))
}

fn line(message: impl Serialize) -> Vec<u8> {
    // Only a path that is not UTF-8 could fail to be written, and none is given.
    let mut line = serde_json::to_vec(&JsonRpcMessage::wrap(message)).unwrap_or_default();
    line.push(b'\n');
    line
}
