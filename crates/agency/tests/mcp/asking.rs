//! Questions of a client.

use serde_json::{Value, json};

use super::client::{Client, text};
use super::fixture::{left, wait_until_clean, world};

// proves A10
#[test]
fn a_client_sees_the_sources_and_gets_an_answer_about_them() {
    let world = world("cat docs/a.txt; grep -o 'How long.*' \"$1\"");
    let client = Client::new(&world);
    let sources = client.facts("list_sources", json!({}));
    let names: Vec<&Value> = sources["sources"].as_array().unwrap().iter().map(|source| &source["name"]).collect();
    assert_eq!(names, ["docs", "note"]);
    let result = client.call("ask_sources", json!({ "sources": ["docs", "note"], "question": "How long?" }));
    assert_eq!(
        (result.is_error, text(&result).as_str()),
        (Some(false), "the timeout is 42\nHow long?\n"),
        "{result:#?}"
    );
    let facts = result.structured_content.unwrap();
    assert_eq!(facts["answer"], "the timeout is 42\nHow long?\n");
    assert_eq!(facts["sources"], json!(["docs", "note"]));
    assert!(facts["duration"].as_f64().unwrap() > 0.0);
    assert!(client.news().iter().any(|news| news == "asking"), "{:?}", client.news());
    let steps = client.steps();
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    client.leave();
    wait_until_clean(&world);
}

#[test]
fn a_client_that_waits_is_told_again_and_again() {
    let world = world("while [ ! -e go ]; do sleep 0.1; done; cat docs/a.txt");
    let client = Client::new(&world);
    let call = client.begin("ask_sources", json!({ "sources": ["docs"], "question": "How long?" }));
    agency_testkit::wait_for("signs of life", super::fixture::LIMIT, || (client.news().len() >= 2).then_some(()));
    std::fs::write(super::fixture::scratch(&world).join("go"), "").unwrap();
    assert_eq!(text(&client.end(call)), "the timeout is 42\n");
    wait_until_clean(&world);
}

// proves A10
#[test]
fn who_answers_a_question_cannot_ask_another() {
    let world = world("cat docs/a.txt");
    let mut command = world.command(&["mcp"]);
    command.env("AGENCY_ASK", "1");
    let client = Client::started(command);
    let error = client.error("ask_sources", json!({ "sources": ["docs"], "question": "How long?" }));
    assert_eq!(error["code"], "E_RECURSION", "{error:#}");
    assert!(error["hint"].is_string(), "{error:#}");
    assert_eq!(client.facts("list_sources", json!({}))["sources"].as_array().unwrap().len(), 2);
    client.leave();
    assert!(world.runs().is_empty());
}

// proves A10
#[test]
fn an_agent_that_starts_the_server_while_it_answers_is_refused() {
    let agency = env!("CARGO_BIN_EXE_agency");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sly","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_sources","arguments":{"sources":["docs"],"question":"And you?"}}}"#;
    // It keeps the server's input open until the answer is there.
    let script = format!(
        "mkfifo in; '{agency}' mcp < in > out & exec 3> in; printf '%s\\n' '{hello}' '{ready}' '{ask}' >&3\n\
         while ! grep -q '\"id\":2' out; do sleep 0.1; done; exec 3>&-; wait; cat out"
    );
    let world = world(&script);
    let said = world.ok(&["ask", "-s", "docs", "How long?"]).stdout;
    assert!(said.contains("E_RECURSION"), "{said}");
    assert_eq!(world.runs().len(), 1);
    wait_until_clean(&world);
}

#[test]
fn several_questions_are_asked_at_once() {
    let world = world("cat docs/a.txt");
    let client = Client::new(&world);
    let question = || client.begin("ask_sources", json!({ "sources": ["docs"], "question": "How long?" }));
    let calls: Vec<_> = (0..4).map(|_| question()).collect();
    for call in calls {
        assert_eq!(text(&client.end(call)), "the timeout is 42\n");
    }
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    wait_until_clean(&world);
}

// proves A10
#[test]
fn an_agent_that_fails_is_told_with_its_own_words() {
    let world = world("echo 'the model is asleep' >&2; exit 3");
    let client = Client::new(&world);
    let error = client.error("ask_sources", json!({ "sources": ["docs"], "question": "How long?" }));
    assert_eq!((&error["code"], &error["details"]["stderr"]), (&json!("E_RUN_FAILED"), &json!("the model is asleep")));
    assert!(error["hint"].as_str().unwrap().contains("agency logs"), "{error:#}");
    wait_until_clean(&world);
}
