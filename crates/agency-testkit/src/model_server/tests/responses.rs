//! OpenAI's responses.

use super::{ModelServer, Script, Turn, json, post};
use serde_json::Value;

fn request(stream: bool, input: &[Value]) -> Value {
    json!({ "model": "m", "stream": stream, "tools": [{ "type": "custom" }], "input": input })
}

fn work() -> ModelServer {
    let patch = Turn::new().think("A patch.").say("I write it.").custom_tool("apply_patch", "*** Begin Patch");
    ModelServer::start(Script::new().turn(patch).tool("exec_command", json!({ "cmd": "ls" })).say("All is done now."))
}

#[test]
fn an_answer_in_one_piece_has_all_items() {
    let answer = post(&work(), "/responses", &request(false, &[])).object();
    let kinds: Vec<&Value> = answer["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["reasoning", "message", "custom_tool_call"]);
    assert_eq!(answer["output"][2]["input"], "*** Begin Patch");
}

#[test]
fn a_stream_tells_the_same_in_pieces() {
    let answer = post(&work(), "/v1/responses", &request(true, &[]));
    let events = answer.events();
    assert_eq!((events[0]["type"].as_str(), answer.is_whole()), (Some("response.created"), true));
    assert_eq!(answer.joined("/delta"), "A patch.I write it.");
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["response"]["status"]), (&"response.completed".into(), &"completed".into()));
    let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
    assert_eq!(done.count(), 3);
}

#[test]
fn what_the_model_said_in_one_answer_counts_once() {
    let server = work();
    let first = [
        json!({ "type": "message", "role": "user" }),
        json!({ "type": "reasoning" }),
        json!({ "type": "message", "role": "assistant" }),
        json!({ "type": "custom_tool_call" }),
        json!({ "type": "custom_tool_call_output" }),
    ];
    let answer = post(&server, "/responses", &request(false, &first)).object();
    assert_eq!(
        (&answer["output"][0]["name"], &answer["output"][0]["arguments"]),
        (&"exec_command".into(), &r#"{"cmd":"ls"}"#.into())
    );
    let second =
        [&first[..], &[json!({ "type": "function_call" }), json!({ "type": "function_call_output" })]].concat();
    let answer = post(&server, "/responses", &request(true, &second));
    assert_eq!(answer.joined("/delta"), "All is done now.");
}
