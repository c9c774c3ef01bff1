//! `codex app-server` where no recording exists: in what order things can happen, and what no Codex should say.

use std::path::PathBuf;

use agency_adapters::{Channel, EncodeError, Opening, Outcome, StreamFormat, StreamItem, ToAgent};
use agency_model::{Event, PlanStep, StepStatus};
use serde_json::{Value, json};

pub(crate) fn conversation(prompt: Option<&str>) -> Channel {
    let directory = PathBuf::from("/home/user/repo");
    let opening = Opening { prompt: prompt.map(str::to_owned), directory, resume: None, mcp_servers: vec![] };
    let mut channel = StreamFormat::Codex.conversation(opening).unwrap();
    channel.open();
    channel
}

/// A conversation whose thread is open.
pub(crate) fn open(prompt: Option<&str>) -> Channel {
    let mut channel = conversation(prompt);
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
    channel
}

/// A conversation whose turn runs.
pub(crate) fn running() -> Channel {
    let mut channel = open(Some("go"));
    tell(&mut channel, &turn("started", "inProgress"));
    channel
}

pub(crate) fn turn(change: &str, status: &str) -> Value {
    json!({ "method": format!("turn/{change}"), "params": { "threadId": "t", "turn": { "id": "u", "status": status } } })
}

pub(crate) fn tell(channel: &mut Channel, line: &Value) -> Vec<StreamItem> {
    channel.feed(format!("{line}\n").as_bytes())
}

pub(crate) fn message(channel: &mut Channel, text: &str) -> Result<Vec<Value>, EncodeError> {
    channel.encode(&ToAgent::Message(text.to_owned())).map(|bytes| lines(&bytes))
}

pub(crate) fn lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

pub(crate) fn said(heard: &[StreamItem]) -> Vec<Value> {
    let says = |heard: &StreamItem| if let StreamItem::Reply(bytes) = heard { lines(bytes) } else { vec![] };
    heard.iter().flat_map(says).collect()
}

pub(crate) fn turn_start(id: u64, texts: &[&str]) -> Value {
    let input: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    json!({ "id": id, "method": "turn/start", "params": { "threadId": "t", "input": input } })
}

pub(crate) fn failure(error: &str) -> StreamItem {
    StreamItem::Result(Outcome { success: false, text: None, error: Some(error.to_owned()) })
}

#[test]
fn what_is_said_before_the_thread_is_open_comes_with_the_prompt() {
    let mut channel = conversation(Some("one"));
    assert_eq!(message(&mut channel, "two"), Ok(vec![]));
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    assert_eq!(message(&mut channel, "three"), Ok(vec![]));
    let heard = tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
    assert_eq!(heard[0], StreamItem::Session("t".to_owned()));
    assert_eq!(said(&heard), [turn_start(3, &["one", "two", "three"])]);
    assert_eq!(message(&mut channel, "four"), Ok(vec![turn_start(4, &["four"])]));
}

#[test]
fn without_a_prompt_the_first_message_begins_the_turn() {
    let mut channel = conversation(None);
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    let heard = tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
    assert_eq!(heard, [StreamItem::Session("t".to_owned())]);
    assert_eq!(message(&mut channel, "go"), Ok(vec![turn_start(3, &["go"])]));
}

#[test]
fn a_turn_is_interrupted_as_soon_as_it_runs_and_only_then() {
    let interrupt =
        |id: u64| json!({ "id": id, "method": "turn/interrupt", "params": { "threadId": "t", "turnId": "u" } });
    let mut channel = open(None);
    assert_eq!(channel.encode(&ToAgent::Interrupt), Ok(vec![]));
    message(&mut channel, "go").unwrap();
    let started = tell(&mut channel, &turn("started", "inProgress"));
    assert_eq!(started, [StreamItem::TurnStarted], "it was idle when it was interrupted");
    assert_eq!(lines(&channel.encode(&ToAgent::Interrupt).unwrap()), [interrupt(4)]);
    assert_eq!(tell(&mut channel, &turn("completed", "interrupted")), [failure("interrupted")]);
    assert_eq!(channel.encode(&ToAgent::Interrupt), Ok(vec![]));

    for mut channel in [open(Some("go")), conversation(Some("go"))] {
        assert_eq!(channel.encode(&ToAgent::Interrupt), Ok(vec![]));
        tell(&mut channel, &json!({ "id": 1, "result": {} }));
        tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
        assert_eq!(said(&tell(&mut channel, &turn("started", "inProgress"))), [interrupt(4)]);
    }
}

#[test]
fn what_an_interrupted_turn_had_not_taken_is_said_again_in_a_turn_of_its_own() {
    let joins = |id: u64, turn: &str| json!({ "id": id, "result": { "turn": { "id": turn } } });
    let again = |id: u64, text: &str| {
        let input = json!([{ "type": "text", "text": text }]);
        json!({ "id": id, "method": "turn/start", "params": { "threadId": "t", "input": input } })
    };
    let takes = |text: &str| item("started", "userMessage", text);
    let mut channel = running();
    tell(&mut channel, &joins(3, "u"));
    tell(&mut channel, &takes("go"));
    message(&mut channel, "taken").unwrap();
    message(&mut channel, "not taken").unwrap();
    message(&mut channel, "not joined yet").unwrap();
    for id in [4, 5] {
        assert_eq!(tell(&mut channel, &joins(id, "u")), []);
    }
    tell(&mut channel, &takes("taken"));
    tell(&mut channel, &item("started", "agentMessage", ""));
    channel.encode(&ToAgent::Interrupt).unwrap();
    let ended = tell(&mut channel, &turn("completed", "interrupted"));
    assert_eq!((ended.first(), said(&ended)), (Some(&failure("interrupted")), vec![again(8, "not taken")]));
    assert_eq!(said(&tell(&mut channel, &joins(6, "u"))), [again(9, "not joined yet")]);
    // What began a turn of its own by itself is not said twice.
    message(&mut channel, "the next").unwrap();
    assert_eq!(tell(&mut channel, &joins(10, "v")), []);
}

/// The beginning or the end of an item.
fn item(change: &str, kind: &str, text: &str) -> Value {
    let item = json!({ "type": kind, "id": "m", "text": text, "content": [{ "type": "text", "text": text }] });
    json!({ "method": format!("item/{change}"), "params": { "threadId": "t", "item": item } })
}

#[test]
fn what_an_interrupted_turn_had_taken_and_not_begun_to_answer_is_said_once_more() {
    let joins = |id: u64| json!({ "id": id, "result": { "turn": { "id": "u" } } });
    let interrupted = |channel: &mut Channel| {
        channel.encode(&ToAgent::Interrupt).unwrap();
        said(&tell(channel, &turn("completed", "interrupted")))
    };
    let takes = |channel: &mut Channel, text: &str| {
        for change in ["started", "completed"] {
            tell(channel, &item(change, "userMessage", text));
        }
    };
    let mut channel = running();
    tell(&mut channel, &joins(3));
    takes(&mut channel, "go");
    for id in [4, 5] {
        message(&mut channel, "same").unwrap();
        tell(&mut channel, &joins(id));
    }
    takes(&mut channel, "same");
    // It began before the message.
    tell(&mut channel, &item("completed", "agentMessage", "earlier"));
    assert_eq!(interrupted(&mut channel), [turn_start(7, &["same", "same"])], "the taken one and the other");
    tell(&mut channel, &turn("started", "inProgress"));
    takes(&mut channel, "same");
    assert_eq!(interrupted(&mut channel), [] as [Value; 0], "the next interrupt means it");

    // The interrupt of a turn that was begun by the prompt means the prompt.
    let mut channel = running();
    tell(&mut channel, &joins(3));
    takes(&mut channel, "go");
    assert_eq!(interrupted(&mut channel), [] as [Value; 0]);
    message(&mut channel, "next").unwrap();
    tell(&mut channel, &turn("started", "inProgress"));
    takes(&mut channel, "next");
    // A turn that ends by itself has answered.
    tell(&mut channel, &turn("completed", "completed"));
    message(&mut channel, "last").unwrap();
    tell(&mut channel, &turn("started", "inProgress"));
    assert_eq!(interrupted(&mut channel), [] as [Value; 0]);
}

#[test]
fn a_thread_that_is_refused_is_the_end() {
    let refused = |id: u64| json!({ "id": id, "error": { "code": -32600, "message": "no such thread" } });
    let error = || StreamItem::Event(Event::Error { message: "no such thread".to_owned() });
    let mut channel = conversation(Some("go"));
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    assert_eq!(tell(&mut channel, &refused(2)), [error(), failure("no such thread")]);
    assert_eq!(message(&mut channel, "hello"), Err(EncodeError::NotReady));
    assert_eq!(channel.encode(&ToAgent::Interrupt), Ok(vec![]));

    let mut channel = open(Some("go"));
    assert_eq!(tell(&mut channel, &refused(3)), [error(), failure("no such thread")]);
    assert_eq!(message(&mut channel, "again"), Ok(vec![turn_start(4, &["again"])]));

    let mut channel = running();
    message(&mut channel, "more").unwrap();
    assert_eq!(tell(&mut channel, &refused(4)), [error()], "the turn goes on");
}

#[test]
fn the_turn_of_a_sub_agent_is_no_result() {
    let mut channel = running();
    let mut other = turn("completed", "completed");
    other["params"]["threadId"] = json!("other");
    let words = |thread: &str, text: &str| {
        let item = json!({ "type": "agentMessage", "id": "m", "text": text });
        json!({ "method": "item/completed", "params": { "threadId": thread, "item": item } })
    };
    tell(&mut channel, &words("t", "mine"));
    tell(&mut channel, &words("other", "not mine"));
    assert_eq!(tell(&mut channel, &other), []);
    let result = Outcome { success: true, text: Some("mine".to_owned()), error: None };
    assert_eq!(tell(&mut channel, &turn("completed", "completed")), [StreamItem::Result(result)]);
}

#[test]
fn an_error_is_told_whether_it_is_tried_again_or_not() {
    let mut channel = running();
    let error = |retry: bool| {
        let error = json!({ "message": "a", "additionalDetails": "b" });
        json!({ "method": "error", "params": { "error": error, "willRetry": retry } })
    };
    let message = || "a: b".to_owned();
    for retry in [true, false] {
        assert_eq!(tell(&mut channel, &error(retry)), [StreamItem::Event(Event::Error { message: message() })]);
    }
}

#[test]
fn a_thought_is_its_summary_or_else_the_whole_of_it() {
    let mut channel = running();
    for (summary, content, thought) in [
        (json!(["a", "b"]), json!(["c"]), Some("a\n\nb")),
        (json!([]), json!(["c"]), Some("c")),
        (json!([]), json!([]), None),
    ] {
        let item = json!({ "type": "reasoning", "id": "r", "summary": summary, "content": content });
        let heard =
            tell(&mut channel, &json!({ "method": "item/completed", "params": { "threadId": "t", "item": item } }));
        let expected = thought.map(|text| StreamItem::Event(Event::thinking(text)));
        assert_eq!(heard, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_plan_is_an_event_of_its_own_and_a_broken_server_a_notice() {
    let mut channel = running();
    let steps = json!([{ "step": "a", "status": "completed" }, { "step": "b", "status": "inProgress" }]);
    let heard = tell(&mut channel, &json!({ "method": "turn/plan/updated", "params": { "plan": steps } }));
    let step = |text: &str, status| PlanStep { text: text.to_owned(), status };
    let steps = vec![step("a", StepStatus::Completed), step("b", StepStatus::InProgress)];
    assert_eq!(heard, [StreamItem::Event(Event::Plan { steps, text: None })]);
    let server = json!({ "name": "s", "status": "failed", "error": "no such file" });
    let heard = tell(&mut channel, &json!({ "method": "mcpServer/startupStatus/updated", "params": server }));
    let message = "the MCP server s did not start: no such file".to_owned();
    assert_eq!(heard, [StreamItem::Event(Event::Notice { message })]);
}

#[test]
fn a_long_prompt_is_one_line() {
    let prompt = "line\n".repeat(40_000);
    let mut channel = conversation(Some(&prompt));
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    let heard = tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
    let StreamItem::Reply(bytes) = &heard[1] else { panic!("{heard:?}") };
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(said(&heard), [turn_start(3, &[&prompt])]);
}

#[test]
fn what_is_not_known_is_kept_and_changes_nothing() {
    let lines = [
        "words",
        "{}",
        "[]",
        r#"{"method":"never/seen","params":{"a":1}}"#,
        r#"{"method":7}"#,
        r#"{"method":"item/completed"}"#,
        r#"{"method":"item/started","params":{"threadId":"t","item":{"type":"neverSeen"}}}"#,
        r#"{"method":"turn/started","params":{"threadId":"t","turn":{"id":7,"status":"inProgress"}}}"#,
        r#"{"method":"thread/tokenUsage/updated","params":{"tokenUsage":{"last":{"inputTokens":-1}}}}"#,
        r#"{"id":2,"result":{"thread":{}}}"#,
        r#"{"id":2}"#,
        r#"{"id":99,"result":{}}"#,
        r#"{"id":-1,"error":{"code":0,"message":"a"}}"#,
        r#"{"id":"1","result":{}}"#,
    ];
    let mut channel = conversation(Some("go"));
    tell(&mut channel, &json!({ "id": 1, "result": {} }));
    for line in lines {
        let unknown = StreamItem::Event(Event::Unknown { text: line.to_owned() });
        assert_eq!(channel.feed(format!("{line}\n").as_bytes()), [unknown]);
    }
    let heard = tell(&mut channel, &json!({ "id": 2, "result": { "thread": { "id": "t" } } }));
    assert_eq!(said(&heard), [turn_start(3, &["go"])]);
    let status = r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"neverSeen"}}}"#;
    let deep = format!(r#"{{"method":"error","params":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    for line in [status, &deep] {
        let unknown = StreamItem::Event(Event::Unknown { text: line.to_owned() });
        assert_eq!(channel.feed(format!("{line}\n").as_bytes()), [unknown]);
    }
}
