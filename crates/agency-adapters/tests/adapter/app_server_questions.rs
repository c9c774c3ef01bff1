//! What `codex app-server` asks, and the answers in any order.

use agency_adapters::{Channel, EncodeError, StreamItem, ToAgent};
use agency_model::{Answer, Event, Question};
use serde_json::{Value, json};

use super::app_server_talk::{lines, running, said, tell, turn_start};

fn approval(id: u64) -> Value {
    let params =
        json!({ "threadId": "t", "turnId": "u", "itemId": "i", "command": format!("touch {id}"), "cwd": "/x" });
    json!({ "method": "item/commandExecution/requestApproval", "id": id, "params": params })
}

fn two_questions() -> Value {
    let question = |id: &str| json!({ "id": id, "header": id, "question": "Which?", "isOther": false, "options": [{ "label": "A" }] });
    let params = json!({ "threadId": "t", "questions": [question("a"), question("b")] });
    json!({ "method": "item/tool/requestUserInput", "id": 7, "params": params })
}

fn answer(channel: &mut Channel, key: &str, answer: Answer) -> Result<Vec<Value>, EncodeError> {
    channel.encode(&ToAgent::Answer { key: key.into(), answer }).map(|bytes| lines(&bytes))
}

fn question(heard: &[StreamItem]) -> &Question {
    let [StreamItem::Question(question)] = heard else { panic!("{heard:?}") };
    question
}

#[test]
fn two_approvals_at_once_are_answered_in_any_order_and_each_once() {
    let mut channel = running();
    for id in [0, 1] {
        let heard = tell(&mut channel, &approval(id));
        let question = question(&heard);
        assert_eq!((question.key.to_string(), question.title.as_str()), (id.to_string(), &*format!("touch {id}")));
        assert_eq!(question.detail, format!("touch {id}\nin /x"));
        let tool = question.tool.clone().unwrap();
        assert_eq!(
            (tool.name.as_str(), tool.input),
            ("command_execution", json!({ "command": format!("touch {id}"), "cwd": "/x" }))
        );
    }
    let decision = |id: u64, decision: &str| Ok(vec![json!({ "id": id, "result": { "decision": decision } })]);
    assert_eq!(answer(&mut channel, "1", Answer::AllowAll), decision(1, "accept"));
    assert_eq!(answer(&mut channel, "0", Answer::Deny { message: None }), decision(0, "decline"));
    for key in ["0", "1", "2", "0/0", "", "/"] {
        assert_eq!(
            answer(&mut channel, key, Answer::Allow { message: None }),
            Err(EncodeError::UnknownQuestion),
            "{key}"
        );
    }
    // That it was told is no news.
    assert_eq!(tell(&mut channel, &json!({ "method": "serverRequest/resolved", "params": { "requestId": 0 } })), []);
}

#[test]
fn a_denial_with_words_is_a_denial_and_a_message() {
    let mut channel = running();
    for (id, denial) in
        [(0, Answer::Deny { message: Some("not now".to_owned()) }), (1, Answer::Text { text: "not now".to_owned() })]
    {
        tell(&mut channel, &approval(id));
        let denied = json!({ "id": id, "result": { "decision": "decline" } });
        let said = answer(&mut channel, &id.to_string(), denial);
        assert_eq!(said, Ok(vec![denied, turn_start(4 + id, &["not now"])]));
    }
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let mut channel = running();
    tell(&mut channel, &approval(0));
    tell(&mut channel, &two_questions());
    let chosen = Answer::Options { chosen: vec!["A".to_owned()] };
    assert!(matches!(answer(&mut channel, "0", chosen.clone()), Err(EncodeError::Invalid(_))));
    assert!(matches!(answer(&mut channel, "7/0", Answer::Allow { message: None }), Err(EncodeError::Invalid(_))));
    assert_eq!(answer(&mut channel, "0/0", Answer::Allow { message: None }), Err(EncodeError::UnknownQuestion));
    assert_eq!(answer(&mut channel, "7", chosen.clone()), Err(EncodeError::UnknownQuestion));
    assert_eq!(answer(&mut channel, "7/2", chosen.clone()), Err(EncodeError::UnknownQuestion));
    assert!(answer(&mut channel, "0", Answer::Allow { message: None }).is_ok());
    assert!(answer(&mut channel, "7/0", chosen).is_ok());
}

#[test]
fn the_questions_of_a_request_are_answered_together() {
    let mut channel = running();
    let heard = tell(&mut channel, &two_questions());
    let keys: Vec<_> = heard.iter().map(|heard| question(std::slice::from_ref(heard)).key.to_string()).collect();
    assert_eq!(keys, ["7/0", "7/1"]);
    let chosen = || Answer::Options { chosen: vec!["A".to_owned()] };
    assert_eq!(answer(&mut channel, "7/1", chosen()), Ok(vec![]));
    assert_eq!(answer(&mut channel, "7/1", chosen()), Err(EncodeError::UnknownQuestion));
    let both = json!({ "a": { "answers": ["user_note: mine"] }, "b": { "answers": ["A"] } });
    let said = answer(&mut channel, "7/0", Answer::Text { text: "mine".to_owned() });
    assert_eq!(said, Ok(vec![json!({ "id": 7, "result": { "answers": both } })]));

    tell(&mut channel, &two_questions());
    let said = answer(&mut channel, "7/0", Answer::Deny { message: None });
    assert_eq!(said, Ok(vec![json!({ "id": 7, "result": { "answers": { "a": { "answers": [] } } } })]));
}

#[test]
fn questions_that_are_no_longer_asked_are_withdrawn() {
    let mut channel = running();
    tell(&mut channel, &approval(0));
    tell(&mut channel, &two_questions());
    let resolved =
        |id: u64| json!({ "method": "serverRequest/resolved", "params": { "threadId": "t", "requestId": id } });
    let withdrawn = |key: &str| StreamItem::Withdrawn(key.into());
    assert_eq!(tell(&mut channel, &resolved(0)), [withdrawn("0")]);
    assert_eq!(tell(&mut channel, &resolved(7)), [withdrawn("7/0"), withdrawn("7/1")]);
    assert_eq!(tell(&mut channel, &resolved(7)), []);
    assert_eq!(answer(&mut channel, "0", Answer::Allow { message: None }), Err(EncodeError::UnknownQuestion));
}

#[test]
fn what_nobody_can_answer_is_refused() {
    let mut channel = running();
    let form = json!({ "threadId": "t", "serverName": "s", "mode": "form", "_meta": null, "message": "Name?" });
    let empty = json!({ "threadId": "t", "questions": [] });
    for (method, params) in [
        ("never/seen", json!({})),
        ("item/commandExecution/requestApproval", json!({ "command": 7 })),
        ("mcpServer/elicitation/request", form),
        ("item/tool/requestUserInput", empty),
    ] {
        let heard = tell(&mut channel, &json!({ "id": "x", "method": method, "params": params }));
        let [refusal] = said(&heard).try_into().unwrap();
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("x"), &json!(-32601)));
        assert!(matches!(&heard[1], StreamItem::Event(Event::Notice { message }) if message.ends_with(method)));
    }
}
