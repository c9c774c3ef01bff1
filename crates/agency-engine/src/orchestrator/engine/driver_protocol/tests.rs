use agency_adapters::driver_protocol::QuestionSubject;
use agency_adapters::{Channel, Opening, StreamFormat, StreamItem, ToAgent};
use agency_model::{QuestionKey, QuestionOption};

use super::*;

const FORMS: [(DriverProtocol, StreamFormat); 2] =
    [(DriverProtocol::Current, StreamFormat::Driver), (DriverProtocol::ClaudeLines, StreamFormat::Claude)];

fn supervisor(format: StreamFormat) -> Channel {
    let opening = Opening { prompt: None, directory: "/w".into(), resume: None, mcp_servers: vec![] };
    format.conversation(opening).unwrap()
}

fn question(key: &str, subject: QuestionSubject) -> DriverMessage {
    let (title, detail) = ("check: is it right?".to_owned(), "is it right?\nall of it".to_owned());
    DriverMessage::Question(DriverQuestion { key: key.to_owned(), subject, title, detail })
}

fn checkout() -> QuestionSubject {
    let option =
        |id: &str| QuestionOption { id: id.to_owned(), label: id.to_owned(), description: Some("x".to_owned()) };
    QuestionSubject::Checkout { options: vec![option("retry"), option("save")] }
}

/// All messages of a driver, with each kind at least once.
fn messages() -> Vec<DriverMessage> {
    vec![
        DriverMessage::Started { version: DRIVER_PROTOCOL_VERSION, session: "s_1".to_owned() },
        DriverMessage::Progress { text: "a: started".to_owned() },
        question("a#1", QuestionSubject::Approval),
        question("b#1", QuestionSubject::Merge),
        question("b#1-checkout-1", checkout()),
        DriverMessage::Withdrawn { key: "b#1".to_owned() },
        DriverMessage::Completed { summary: "done".to_owned() },
        DriverMessage::Stopped { reason: "the session is blocked: a failed".to_owned() },
    ]
}

fn heard(protocol: DriverProtocol, channel: &mut Channel) -> Vec<StreamItem> {
    let lines: Vec<String> = messages().iter().map(|message| protocol.encode(message).unwrap() + "\n").collect();
    channel.feed(lines.concat().as_bytes())
}

#[test]
fn a_supervisor_makes_the_same_of_both_forms() {
    let [current, before] = FORMS.map(|(protocol, format)| heard(protocol, &mut supervisor(format)));
    // Claude Code numbers the questions of a request.
    let expected = before.into_iter().map(|mut item| {
        if let StreamItem::Question(question) = &mut item {
            question.key.part = None;
        }
        item
    });
    assert_eq!(current, expected.collect::<Vec<_>>());
    assert_eq!(current.len(), 9, "a session that stopped is an event and a result");
}

#[test]
fn a_driver_makes_the_same_of_the_answers_in_both_forms() {
    let text = |text: &str| Some(text.to_owned());
    let options = Answer::Options { chosen: vec!["save".to_owned()] };
    for (answer, checkout, verdict, message, choice) in [
        (Answer::Allow { message: None }, false, Approval::Approved, None, None),
        (Answer::Allow { message: text("well") }, false, Approval::Approved, text("well"), None),
        (Answer::AllowAll, false, Approval::Approved, None, None),
        (Answer::Deny { message: text("no") }, false, Approval::Rejected, text("no"), None),
        (Answer::Deny { message: None }, false, Approval::Rejected, text("The user does not want this."), None),
        (Answer::Deny { message: text("no") }, true, Approval::Rejected, text("no"), None),
        (options, true, Approval::Approved, None, text("save")),
        (Answer::Text { text: "later".to_owned() }, true, Approval::Approved, None, text("later")),
    ] {
        for (protocol, format) in FORMS {
            let mut channel = supervisor(format);
            heard(protocol, &mut channel);
            let asked = if checkout { "b#1-checkout-1" } else { "a#1" };
            let part = (checkout && format == StreamFormat::Claude).then_some(0);
            let key = QuestionKey { request: asked.to_owned(), part };
            let to_agent = ToAgent::Answer { key, answer: answer.clone() };
            let line = String::from_utf8(channel.encode(&to_agent).unwrap()).unwrap();
            let (message, choice) = (message.clone(), choice.clone());
            let expected = DriverAnswer { key: asked.to_owned(), verdict, message, choice };
            assert_eq!(protocol.parse(&line), Some(DriverInput::Answer(expected)), "{protocol:?}: {answer:?}");
        }
    }
}

#[test]
fn a_message_is_an_order_or_ignored() {
    for (protocol, format) in FORMS {
        let mut channel = supervisor(format);
        let mut read = |text: &str| {
            let line = channel.encode(&ToAgent::Message(text.to_owned())).unwrap();
            protocol.parse(&String::from_utf8(line).unwrap())
        };
        let order = DriverOrder::CompleteTask { step: "a".to_owned() };
        assert_eq!(read(r#"{"complete_task":{"step":"a"}}"#), Some(DriverInput::DriverOrder(order)));
        assert_eq!(read("hello"), None);
        for other in ["", "x", "{}", r#"{"type":"answer"}"#, r#"{"type":"control_response"}"#] {
            assert_eq!(protocol.parse(other), None, "{protocol:?}: {other}");
        }
    }
}

/// Recorded from the version before the protocol: what a supervisor that runs now reads and writes.
#[test]
fn without_a_version_the_lines_are_those_of_the_version_before_the_protocol() {
    assert_eq!(DriverProtocol::for_version(None), Some(DriverProtocol::ClaudeLines));
    assert_eq!(DriverProtocol::for_version(Some(DRIVER_PROTOCOL_VERSION)), Some(DriverProtocol::Current));
    assert_eq!(DriverProtocol::for_version(Some(DRIVER_PROTOCOL_VERSION + 1)), None);
    let lines: Vec<String> =
        messages().iter().map(|message| DriverProtocol::ClaudeLines.encode(message).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"type":"system","subtype":"init","session_id":"s_1"}
    {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a: started"}]}}
    {"type":"control_request","request_id":"a#1","request":{"subtype":"can_use_tool","tool_name":"Approval","input":{"plan":"is it right?\nall of it"},"description":"check: is it right?"}}
    {"type":"control_request","request_id":"b#1","request":{"subtype":"can_use_tool","tool_name":"Merge","input":{"diff":"is it right?\nall of it"},"description":"check: is it right?"}}
    {"type":"control_request","request_id":"b#1-checkout-1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"is it right?\nall of it","header":"check: is it right?","options":[{"label":"retry","description":"x"},{"label":"save","description":"x"}]}]},"description":"check: is it right?"}}
    {"type":"control_cancel_request","request_id":"b#1"}
    {"type":"result","subtype":"success","is_error":false,"result":"done"}
    {"type":"result","subtype":"error_during_execution","is_error":true,"errors":["the session is blocked: a failed"]}
    "#);
    let allowed = r#"{"type":"control_response","response":{"subtype":"success","request_id":"a#1","response":{"behavior":"allow","updatedInput":{}}}}"#;
    let expected = DriverAnswer { key: "a#1".to_owned(), verdict: Approval::Approved, message: None, choice: None };
    assert_eq!(DriverProtocol::ClaudeLines.parse(allowed), Some(DriverInput::Answer(expected)));
}
