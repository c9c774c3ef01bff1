//! The Agent Client Protocol: the recorded conversations, and what has not been recorded.

mod asking;
mod handshake;
mod turns;

use agency_adapters::{Channel, Opening, Outcome, StreamFormat, StreamItem, ToAgent};
use agency_model::{Answer, Event, Question};
use serde_json::{Value, json};

use super::exchange::{Protocol, answer, opening, shape};

const ACP: Protocol = Protocol { format: StreamFormat::Acp, directory: "acp", opening: began, cause };

fn began(ours: &[Value]) -> Opening {
    let params = |methods: &[&str]| {
        let found = ours.iter().find(|line| methods.contains(&line["method"].as_str().unwrap_or_default()));
        found.map_or(Value::Null, |line| line["params"].clone())
    };
    let join = params(&["session/new", "session/load", "session/resume"]);
    let prompt = params(&["session/prompt"]);
    opening(join["cwd"].as_str().unwrap(), prompt["prompt"][0]["text"].as_str(), join["sessionId"].as_str())
}

fn cause(said: &Value, questions: &[Question]) -> ToAgent {
    match said["method"].as_str() {
        Some("session/prompt") => ToAgent::Message(said["params"]["prompt"][0]["text"].as_str().unwrap().to_owned()),
        Some("session/cancel") => ToAgent::Interrupt,
        Some(other) => panic!("nothing leads to {other}"),
        None => {
            let key = said["id"].to_string();
            assert!(questions.iter().any(|question| question.key.to_string() == key), "{said} was not asked");
            let chosen = said["result"]["outcome"]["optionId"].as_str();
            answer(
                &key,
                match chosen {
                    Some("once" | "proceed_once" | "allow") => Answer::Allow { message: None },
                    // A client that knows no better than to call it off rejects.
                    Some("reject" | "cancel") | None => Answer::Deny { message: None },
                    Some(other) => Answer::Options { chosen: vec![other.to_owned()] },
                },
            )
        }
    }
}

#[test]
fn the_recorded_conversations_are_held_again() {
    ACP.golden();
}

#[test]
fn what_is_said_is_what_was_said() {
    for (name, exchange) in ACP.exchanges() {
        for (then, now) in ACP.hold(&name, &exchange, 4096).said {
            // The recorded client called the request off, which we do only with the whole turn.
            if name.contains("outcome-cancelled") && now["result"]["outcome"]["optionId"] == "cancel" {
                continue;
            }
            assert_eq!(shape(&now), shape(&then), "{name}");
        }
    }
}

#[test]
fn any_pieces_give_the_same_conversation() {
    ACP.any_pieces();
}

/// An agent that is ready, and what was heard until then.
fn ready(prompt: Option<&str>) -> (Channel, Vec<StreamItem>) {
    let mut channel = StreamFormat::Acp.conversation(opening("/repo", prompt, None)).unwrap();
    let mut heard = vec![];
    assert!(!channel.open().is_empty());
    heard.extend(tell(&mut channel, json!({ "id": 1, "result": { "protocolVersion": 1 } })));
    heard.extend(tell(&mut channel, json!({ "id": 2, "result": { "sessionId": "s" } })));
    (channel, heard)
}

fn tell(channel: &mut Channel, line: impl Into<Value>) -> Vec<StreamItem> {
    let line: Value = line.into();
    channel.feed(format!("{line}\n").as_bytes())
}

fn update(update: impl Into<Value>) -> Value {
    json!({ "method": "session/update", "params": { "sessionId": "s", "update": update.into() } })
}

fn chunk(text: &str) -> Value {
    update(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } }))
}

fn thought(text: &str) -> Value {
    update(json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": text } }))
}

fn permission(id: impl Into<Value>, tool: &str) -> Value {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id, "kind": kind });
    let options = [option("for-ever", "allow_always"), option("once", "allow_once"), option("no", "reject_once")];
    let call = json!({ "toolCallId": tool, "kind": "execute", "title": tool, "rawInput": { "command": tool } });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
    json!({ "id": id.into(), "method": "session/request_permission", "params": params })
}

fn ended(id: i64, reason: &str) -> Value {
    json!({ "id": id, "result": { "stopReason": reason } })
}

/// The messages that these items say.
fn said(heard: &[StreamItem]) -> Vec<Value> {
    let bytes = heard.iter().filter_map(|item| {
        let StreamItem::Reply(bytes) = item else { return None };
        Some(bytes.as_slice())
    });
    bytes.flat_map(messages).collect()
}

fn messages(bytes: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(bytes).into_iter().map(Result::unwrap).collect()
}

fn output(text: &str) -> StreamItem {
    StreamItem::Event(Event::output(text))
}

fn error(message: &str) -> StreamItem {
    StreamItem::Event(Event::Error { message: message.to_owned() })
}

fn success(text: &str) -> StreamItem {
    StreamItem::Result(Outcome { success: true, text: Some(text.to_owned()), error: None })
}

fn failure(error: &str) -> StreamItem {
    StreamItem::Result(Outcome { success: false, text: None, error: Some(error.to_owned()) })
}

fn selected(id: impl Into<Value>, option: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "result": { "outcome": { "outcome": "selected", "optionId": option } } })
}

fn cancelled(id: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "result": { "outcome": { "outcome": "cancelled" } } })
}
