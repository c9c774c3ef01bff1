//! What happens in a turn, and at its end.

use agency_adapters::{EncodeError, StreamItem, ToAgent};
use agency_model::{Answer, Event};
use serde_json::json;

use super::{
    cancelled, chunk, ended, failure, messages, output, permission, ready, said, success, tell, thought, update,
};
use crate::exchange::answer;

#[test]
fn an_unknown_update_is_kept_and_the_next_one_is_heard() {
    let (mut channel, _) = ready(Some("go"));
    let line = update(json!({ "sessionUpdate": "never_seen", "a": 1 }));
    assert_eq!(tell(&mut channel, line.clone()), [StreamItem::Event(Event::Unknown { text: line.to_string() })]);
    assert_eq!(tell(&mut channel, chunk("a")), [output("a")]);
}

#[test]
fn a_tool_that_is_half_known_is_told_and_kept() {
    let (mut channel, _) = ready(Some("go"));
    let tool = |status: &str| {
        let content =
            json!([{ "type": "never_seen" }, { "type": "content", "content": { "type": "text", "text": "a" } }]);
        let update_ =
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": status, "content": content });
        update(update_)
    };
    let line = tool("never_seen");
    assert_eq!(tell(&mut channel, line.clone()), [StreamItem::Event(Event::Unknown { text: line.to_string() })]);
    let heard = tell(&mut channel, tool("completed"));
    assert!(
        matches!(
            heard.as_slice(),
            [
                StreamItem::Event(Event::ToolUse { .. }),
                StreamItem::Event(Event::ToolResult { success: true, output, .. }),
                StreamItem::Event(Event::Unknown { .. })
            ] if output == "a"
        ),
        "{heard:?}"
    );
    assert_eq!(tell(&mut channel, tool("failed")).len(), 1, "the result is told once");
}

#[test]
fn a_message_waits_for_the_end_of_the_turn_which_then_has_no_result() {
    let (mut channel, heard) = ready(None);
    assert_eq!(said(&heard).len(), 1, "only the session was asked for");
    let message = |text: &str| ToAgent::Message(text.to_owned());
    assert_eq!(messages(&channel.encode(&message("one")).unwrap())[0]["id"], 3);
    assert_eq!(channel.feed(b""), [StreamItem::TurnStarted]);
    assert_eq!(channel.encode(&message("two")).unwrap(), b"");
    assert_eq!(channel.encode(&message("three")).unwrap(), b"");
    assert_eq!(channel.feed(b""), [], "no turn begins before the other is over");
    tell(&mut channel, chunk("first"));
    for (id, text) in [(3, "two"), (4, "three")] {
        let heard = tell(&mut channel, ended(id, "end_turn"));
        assert_eq!((heard.len(), &heard[1]), (2, &StreamItem::TurnStarted), "{heard:?}");
        assert_eq!(said(&heard)[0]["params"]["prompt"][0]["text"], text);
    }
    tell(&mut channel, chunk("last"));
    assert_eq!(tell(&mut channel, ended(5, "end_turn")), [success("last")]);
    assert_eq!(messages(&channel.encode(&message("four")).unwrap())[0]["id"], 6);
}

#[test]
fn an_interrupted_turn_leaves_no_question_open() {
    let (mut channel, _) = ready(Some("go"));
    for id in [0, 1] {
        tell(&mut channel, permission(id, "ls"));
    }
    let bytes = channel.encode(&ToAgent::Interrupt).unwrap();
    let cancel = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } });
    assert_eq!(messages(&bytes), [cancel, cancelled(0), cancelled(1)]);
    assert_eq!(channel.feed(b""), [StreamItem::Withdrawn("0".into()), StreamItem::Withdrawn("1".into())]);
    assert_eq!(channel.encode(&answer("0", Answer::Allow { message: None })), Err(EncodeError::UnknownQuestion));
    // What was on its way is not asked any more.
    let heard = tell(&mut channel, permission(2, "rm"));
    assert_eq!((heard.len(), said(&heard)), (1, vec![cancelled(2)]));
    let heard = tell(&mut channel, ended(3, "cancelled"));
    assert!(matches!(heard[0], StreamItem::Event(Event::ToolResult { success: false, .. })), "{heard:?}");
    assert_eq!(heard.last(), Some(&failure("the turn was stopped")));
    assert!(!heard.iter().any(|item| matches!(item, StreamItem::Event(Event::Error { .. }))));
    // There is nothing to stop now.
    assert_eq!(channel.encode(&ToAgent::Interrupt).unwrap(), b"");
}

#[test]
fn an_end_that_is_not_understood_ends_the_turn() {
    let results = [
        (json!({ "stopReason": "end_turn", "usage": { "inputTokens": -1 } }), true),
        (json!({ "stopReason": "never_seen" }), false),
        (json!(null), false),
        (json!([]), false),
    ];
    for (result, success) in results {
        let (mut channel, _) = ready(Some("go"));
        let line = json!({ "id": 3, "result": result });
        let heard = tell(&mut channel, line.clone());
        assert_eq!(heard[0], StreamItem::Event(Event::Unknown { text: line.to_string() }));
        assert!(matches!(heard.last(), Some(StreamItem::Result(outcome)) if outcome.success == success), "{heard:?}");
    }
    for reason in ["refusal", "max_tokens", "max_turn_requests", "cancelled"] {
        let (mut channel, _) = ready(Some("go"));
        let heard = tell(&mut channel, ended(3, reason));
        let [StreamItem::Event(Event::Error { message }), StreamItem::Result(outcome)] = heard.as_slice() else {
            panic!("{heard:?}");
        };
        assert_eq!((outcome.success, outcome.error.as_ref()), (false, Some(message)), "{reason}");
    }
}

#[test]
fn a_thought_in_pieces_is_told_as_a_whole() {
    let (mut channel, _) = ready(Some("go"));
    let whole = StreamItem::Event(Event::thinking("I think"));
    assert_eq!(tell(&mut channel, thought("I ")), []);
    assert_eq!(tell(&mut channel, thought("think")), []);
    assert_eq!(tell(&mut channel, chunk("so")), [whole.clone(), output("so")]);
    tell(&mut channel, thought("I think"));
    assert_eq!(channel.finish(), [whole]);
    assert_eq!(channel.finish(), []);
}
