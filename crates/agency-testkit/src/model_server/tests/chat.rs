//! OpenAI's chat completions.

use super::{ModelServer, Script, Turn, json, post};
use serde_json::Value;

fn request(stream: bool, messages: &[Value]) -> Value {
    json!({ "model": "m", "stream": stream, "tools": [{ "type": "function" }], "messages": messages })
}

fn work() -> ModelServer {
    let write = Turn::new().say("I write it.").tool("write", json!({ "p": 1 }));
    ModelServer::start(Script::new().turn(write).say("All is done now."))
}

#[test]
fn an_answer_in_one_piece_has_text_and_calls() {
    let answer = post(&work(), "/v1/chat/completions", &request(false, &[])).object();
    let choice = &answer["choices"][0];
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&"I write it.".into(), &"tool_calls".into())
    );
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], r#"{"p":1}"#);
}

#[test]
fn a_stream_tells_the_same_in_pieces() {
    let answer = post(&work(), "/v1/chat/completions", &request(true, &[]));
    assert_eq!(answer.joined("/choices/0/delta/content"), "I write it.");
    assert_eq!(answer.joined("/choices/0/delta/tool_calls/0/function/name"), "write");
    assert_eq!(answer.joined("/choices/0/finish_reason"), "tool_calls");
    assert_eq!(answer.events().last().unwrap(), "[DONE]");
    assert!(answer.is_whole());
}

#[test]
fn the_history_decides_which_turn_it_is() {
    let history = [json!({ "role": "user" }), json!({ "role": "assistant" }), json!({ "role": "tool" })];
    let answer = post(&work(), "/v1/chat/completions", &request(true, &history));
    assert_eq!(answer.joined("/choices/0/delta/content"), "All is done now.");
}
