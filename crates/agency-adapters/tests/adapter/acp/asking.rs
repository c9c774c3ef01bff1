//! What an agent asks, and how it is answered.

use agency_adapters::{EncodeError, StreamItem};
use agency_model::{Answer, Event, Question, QuestionKind};
use serde_json::json;

use super::{cancelled, chunk, ended, messages, permission, ready, said, selected, success, tell};
use crate::exchange::answer;

#[test]
fn the_ids_of_both_sides_overlap() {
    let (mut channel, _) = ready(Some("go"));
    // Our prompt has the id 3 too.
    let asked = tell(&mut channel, permission(3, "ls"));
    assert!(
        matches!(asked.last(), Some(StreamItem::Question(Question { key, .. })) if key.to_string() == "3"),
        "{asked:?}"
    );
    assert_eq!(
        messages(&channel.encode(&answer("3", Answer::Allow { message: None })).unwrap()),
        [selected(3, "once")]
    );
    tell(&mut channel, chunk("done"));
    let heard = tell(&mut channel, ended(3, "end_turn"));
    assert_eq!(heard.last(), Some(&success("done")));
    // Nobody asked for this.
    let stray = ended(3, "end_turn");
    assert_eq!(tell(&mut channel, stray.clone()), [StreamItem::Event(Event::Unknown { text: stray.to_string() })]);
}

#[test]
fn two_questions_are_answered_in_any_order_and_once() {
    let (mut channel, _) = ready(Some("go"));
    tell(&mut channel, permission(1, "one"));
    tell(&mut channel, permission("1", "two"));
    let deny = Answer::Deny { message: Some("no".to_owned()) };
    let bytes = channel.encode(&answer("\"1\"", deny)).unwrap();
    assert_eq!(messages(&bytes), [selected("1", "no")]);
    assert_eq!(messages(&channel.encode(&answer("1", Answer::AllowAll)).unwrap()), [selected(1, "once")]);
    for key in ["1", "\"1\"", "2"] {
        assert_eq!(
            channel.encode(&answer(key, Answer::Allow { message: None })),
            Err(EncodeError::UnknownQuestion),
            "{key}"
        );
    }
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let (mut channel, _) = ready(Some("go"));
    tell(&mut channel, permission(0, "ls"));
    let options = |chosen: &[&str]| Answer::Options { chosen: chosen.iter().map(ToString::to_string).collect() };
    for unfit in
        [Answer::Text { text: "later".to_owned() }, options(&["maybe"]), options(&[]), options(&["no", "once"])]
    {
        let told = channel.encode(&answer("0", unfit.clone()));
        assert!(matches!(told, Err(EncodeError::Invalid(_))), "{unfit:?}: {told:?}");
    }
    let bytes = channel.encode(&answer("0", options(&["for-ever"]))).unwrap();
    assert_eq!(messages(&bytes), [selected(0, "for-ever")]);

    let mut only_for_ever = permission(1, "ls");
    only_for_ever["params"]["options"] = json!([{ "optionId": "for-ever", "name": "x", "kind": "allow_always" }]);
    tell(&mut channel, only_for_ever);
    assert!(matches!(channel.encode(&answer("1", Answer::AllowAll)), Err(EncodeError::Invalid(_))));
    let bytes = channel.encode(&answer("1", Answer::Deny { message: None })).unwrap();
    assert_eq!(messages(&bytes), [cancelled(1)]);
}

#[test]
fn a_plan_is_asked_as_a_plan_and_what_is_of_no_known_kind_is_shown() {
    let (mut channel, _) = ready(Some("go"));
    let mut plan = permission(0, "Ready to code?");
    plan["params"]["toolCall"]["kind"] = json!("switch_mode");
    plan["params"]["toolCall"]["content"] = json!([{ "type": "never_seen", "secret": "\u{fffd} rm -rf" }]);
    let text = plan.to_string().replace("\u{fffd}", "\\ud83d");
    let heard = channel.feed(format!("{text}\n").as_bytes());
    let Some(StreamItem::Question(question)) = heard.last() else { panic!("{heard:?}") };
    assert_eq!(question.kind, QuestionKind::Plan);
    assert!(question.detail.contains("rm -rf"), "{}", question.detail);
}

#[test]
fn a_question_that_the_agent_calls_off_is_withdrawn() {
    let (mut channel, _) = ready(Some("go"));
    tell(&mut channel, permission(7, "ls"));
    let heard = tell(&mut channel, json!({ "method": "$/cancel_request", "params": { "requestId": 7 } }));
    assert_eq!(heard[0], StreamItem::Withdrawn("7".into()));
    assert_eq!(said(&heard)[0]["error"]["code"], -32800);
    tell(&mut channel, permission(8, "ls"));
    let heard = tell(&mut channel, ended(3, "end_turn"));
    assert!(heard.contains(&StreamItem::Withdrawn("8".into())), "{heard:?}");
}

#[test]
fn what_is_not_offered_is_refused_at_once() {
    let (mut channel, _) = ready(Some("go"));
    let asked = [
        ("fs/read_text_file", -32601, false),
        ("terminal/create", -32601, false),
        ("_never/seen", -32601, true),
        ("session/request_permission", -32602, true),
    ];
    for (method, code, is_kept) in asked {
        let line = json!({ "id": 9, "method": method, "params": { "sessionId": "s" } });
        let heard = tell(&mut channel, line.clone());
        assert_eq!(heard.contains(&StreamItem::Event(Event::Unknown { text: line.to_string() })), is_kept, "{method}");
        let refusal = &said(&heard)[0];
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!(9), &json!(code)), "{method}");
    }
}
