//! What is the same in all protocols: bodies, errors, pauses, broken connections, the end.

use super::{Duration, ModelServer, Script, TcpStream, Turn, exchange, json, post};
use std::io::{Read, Write};
use std::time::Instant;

const PATH: &str = "/v1/messages";

/// A server whose answer comes after an hour.
fn late() -> ModelServer {
    ModelServer::start(Script::new().turn(Turn::new().say("late").first_byte_after(Duration::from_secs(3600))))
}

fn asking(stream: bool) -> serde_json::Value {
    json!({ "model": "m", "stream": stream, "tools": [{}], "messages": [{ "role": "user", "content": ["do it"] }] })
}

#[test]
fn a_chunked_body_is_read_whole() {
    let server = ModelServer::start(Script::new().say("heard"));
    let head = "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX-Api-Key: secret\r\n\r\n";
    let answer = exchange(&server, &format!("{head}9\r\n{{\"tools\":\r\n5;x=y\r\n [1]}}\r\n0\r\n\r\n"));
    assert_eq!(answer.object()["content"][0]["text"], "heard");
    let request = server.wait_for_request(1);
    assert_eq!((&request.body, request.turn), (&json!({ "tools": [1] }), Some(0)));
    assert_eq!(request.headers["x-api-key"], "secret");
}

#[test]
fn a_request_can_be_searched_for_what_it_says() {
    let server = ModelServer::start(Script::new().say("heard"));
    post(&server, PATH, &asking(true));
    let request = server.wait_for_turn(0);
    assert!(request.says("do it") && !request.says("do nothing"));
}

#[test]
fn a_failing_model_fails_every_time_and_aside_too() {
    let server = ModelServer::start(Script::failing(429));
    for body in [asking(true), asking(false), json!({})] {
        let answer = post(&server, PATH, &body);
        assert_eq!((answer.status, &answer.object()["error"]["code"]), (429, &429.into()));
    }
}

#[test]
fn a_later_turn_may_fail_alone() {
    let server = ModelServer::start(Script::new().say("first").turn(Turn::failing(500)));
    assert_eq!(post(&server, PATH, &asking(true)).status, 200);
    let later = json!({ "tools": [{}], "messages": [{ "role": "assistant" }] });
    assert_eq!(post(&server, PATH, &later).status, 500);
    assert_eq!(post(&server, PATH, &json!({})).status, 200);
}

#[test]
fn a_dropped_answer_begins_and_does_not_end() {
    let server = ModelServer::start(Script::new().turn(Turn::new().say("a text of several pieces").drop_midway()));
    let streamed = post(&server, PATH, &asking(true));
    assert_eq!((streamed.joined("/delta/text").as_str(), streamed.is_whole()), ("a text of se", false));
    let whole = post(&server, PATH, &asking(false));
    assert!(whole.text.contains("\"assistant\"") && !whole.text.ends_with('}'), "{}", whole.text);
}

#[test]
fn a_slow_answer_takes_its_time() {
    let pause = Duration::from_millis(20);
    let slow = Turn::new().say("x").first_byte_after(pause).pause_between_chunks(pause);
    let server = ModelServer::start(Script::new().turn(slow));
    let begin = Instant::now();
    let answer = post(&server, PATH, &asking(true));
    let pauses = u32::try_from(answer.events().len()).unwrap();
    assert!(begin.elapsed() >= pause * pauses, "{:?}", begin.elapsed());
}

#[test]
fn what_agents_ask_in_passing_is_answered() {
    let server = ModelServer::start(Script::new());
    assert!(exchange(&server, "HEAD / HTTP/1.1\r\n\r\n").text.ends_with("\r\n\r\n"));
    assert_eq!(exchange(&server, "GET /v1/models HTTP/1.1\r\n\r\n").object()["data"], json!([]));
    assert_eq!(post(&server, "/v1/messages/count_tokens?x", &json!({})).object()["input_tokens"], 100);
    assert_eq!(post(&server, "/v1beta/models/m:countTokens", &json!({})).object()["totalTokens"], 100);
    assert_eq!(exchange(&server, "GET /else HTTP/1.1\r\n\r\n").status, 404);
    assert_eq!((server.requests().len(), server.turns().len()), (5, 0));
}

#[test]
fn the_end_of_the_server_ends_its_answers() {
    let server = late();
    let address = server.address;
    let mut connection = TcpStream::connect(address).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let body = asking(true).to_string();
    write!(connection, "POST {PATH} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    server.wait_for_turn(0);
    drop(server);
    assert_eq!(connection.read(&mut [0; 8]).unwrap(), 0);
    TcpStream::connect(address).unwrap_err();
}
