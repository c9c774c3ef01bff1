//! Anthropic's messages.

use super::{ModelServer, Script, Turn, json, post};
use serde_json::Value;

fn request(stream: bool, messages: &[Value]) -> Value {
    json!({ "model": "m", "stream": stream, "tools": [{ "name": "Write" }], "messages": messages })
}

fn work() -> ModelServer {
    let both =
        Turn::new().think("Hmm.").say("Two files.").tool("Read", json!({ "p": 1 })).tool("Read", json!({ "p": 2 }));
    ModelServer::start(Script::new().turn(both).say("All is done now."))
}

#[test]
fn an_answer_in_one_piece_has_all_blocks() {
    let server = work();
    let answer = post(&server, "/v1/messages?beta=true", &request(false, &[])).object();
    let kinds: Vec<&Value> = answer["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "tool_use"]);
    assert_eq!((&answer["stop_reason"], &answer["model"]), (&"tool_use".into(), &"m".into()));
    assert_eq!(answer["content"][3]["input"], json!({ "p": 2 }));
    assert_ne!(answer["content"][2]["id"], answer["content"][3]["id"]);
}

#[test]
fn a_stream_tells_the_same_in_pieces() {
    let answer = post(&work(), "/v1/messages", &request(true, &[]));
    assert!(answer.is_whole());
    assert_eq!(answer.joined("/delta/thinking"), "Hmm.");
    assert_eq!(answer.joined("/delta/text"), "Two files.");
    assert_eq!(answer.joined("/delta/partial_json"), r#"{"p":1}{"p":2}"#);
    assert_eq!(answer.joined("/delta/stop_reason"), "tool_use");
    let events = answer.events();
    assert_eq!(
        (&events[0]["type"], &events.last().unwrap()["type"]),
        (&"message_start".into(), &"message_stop".into())
    );
    assert!(answer.text.contains("event: content_block_start\ndata: "), "{}", answer.text);
}

#[test]
fn the_history_decides_which_turn_it_is() {
    let server = work();
    let history = [json!({ "role": "user" }), json!({ "role": "assistant" }), json!({ "role": "user" })];
    for _ in 0..2 {
        assert_eq!(post(&server, "/v1/messages", &request(true, &history)).joined("/delta/text"), "All is done now.");
    }
    let over = [&history[..], &history[1..]].concat();
    assert_eq!(post(&server, "/v1/messages", &request(true, &over)).joined("/delta/text"), "(end of the script)");
    let numbers: Vec<_> = server.turns().iter().map(|request| request.turn).collect();
    assert_eq!(numbers, [Some(1), Some(1), Some(2)]);
}

#[test]
fn a_request_without_tools_is_answered_aside() {
    let server = work();
    let answer = post(&server, "/v1/messages", &json!({ "messages": [] })).object();
    assert_eq!(answer["content"][0]["text"], "side answer");
    assert!(server.turns().is_empty());
    assert_eq!(server.requests().len(), 1);
}
