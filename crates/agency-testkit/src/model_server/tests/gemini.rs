//! Google's generateContent.

use super::{ModelServer, Script, Turn, json, post};
use serde_json::Value;

const STREAMED: &str = "/v1beta/models/m:streamGenerateContent?alt=sse";

fn request(contents: &[Value]) -> Value {
    json!({ "tools": [{ "functionDeclarations": [] }], "contents": contents })
}

fn work() -> ModelServer {
    let write = Turn::new().think("Hmm.").say("I write it.").tool("write_file", json!({ "p": 1 }));
    ModelServer::start(Script::new().turn(write).say("All is done now."))
}

#[test]
fn an_answer_in_one_piece_has_all_parts() {
    let answer = post(&work(), "/v1beta/models/m:generateContent", &request(&[])).object();
    let parts = &answer["candidates"][0]["content"]["parts"];
    assert_eq!((&parts[0]["thought"], &parts[1]["text"]), (&true.into(), &"I write it.".into()));
    assert_eq!(parts[2]["functionCall"], json!({ "name": "write_file", "args": { "p": 1 } }));
    assert_eq!(answer["candidates"][0]["finishReason"], "STOP");
}

#[test]
fn a_stream_tells_the_same_in_pieces_and_stops_once() {
    let answer = post(&work(), STREAMED, &request(&[]));
    assert_eq!(answer.joined("/candidates/0/content/parts/0/text"), "Hmm.I write it.");
    assert_eq!(answer.joined("/candidates/0/content/parts/0/functionCall/name"), "write_file");
    assert_eq!(answer.joined("/candidates/0/finishReason"), "STOP");
}

#[test]
fn the_history_decides_which_turn_it_is() {
    let history = [json!({ "role": "user" }), json!({ "role": "model" }), json!({ "role": "user" })];
    let answer = post(&work(), STREAMED, &request(&history));
    assert_eq!(answer.joined("/candidates/0/content/parts/0/text"), "All is done now.");
}

#[test]
fn a_request_with_other_tools_than_functions_is_answered_aside() {
    let aside = json!({ "tools": [{ "googleSearch": {} }], "contents": [] });
    assert_eq!(post(&work(), STREAMED, &aside).joined("/candidates/0/content/parts/0/text"), "side answer");
}
