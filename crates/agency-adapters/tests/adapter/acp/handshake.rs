//! How a conversation begins, goes on, or does not begin.

use agency_adapters::{Channel, EncodeError, StreamFormat, StreamItem, ToAgent};
use agency_model::{Answer, Event};
use serde_json::{Value, json};

use super::{chunk, ended, error, failure, output, permission, said, success, tell, thought, update};
use crate::exchange::{answer, opening};

/// A conversation that goes on, until its session has been loaded.
fn loading() -> Channel {
    let mut channel = StreamFormat::Acp.conversation(opening("/repo", Some("go"), Some("old"))).unwrap();
    channel.open();
    let greeting = json!({ "id": 1, "result": { "protocolVersion": 1, "agentCapabilities": { "loadSession": true } } });
    let heard = tell(&mut channel, greeting);
    assert_eq!(said(&heard)[0]["method"], "session/load");
    channel
}

#[test]
fn the_history_of_a_loaded_session_is_not_told_again() {
    let mut channel = loading();
    let cost = |amount: f64| {
        let cost = json!({ "amount": amount, "currency": "USD" });
        update(json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": cost }))
    };
    assert_eq!(tell(&mut channel, chunk("old")), []);
    assert_eq!(tell(&mut channel, cost(5.0)), []);
    let heard = tell(&mut channel, json!({ "id": 2, "result": null }));
    assert_eq!(heard[0], StreamItem::Session("old".to_owned()));
    assert_eq!(said(&heard)[0]["method"], "_agency/caught_up");
    // Gemini tells it only now.
    for late in [chunk("old"), thought("old"), update(json!({ "sessionUpdate": "never_seen" }))] {
        assert_eq!(tell(&mut channel, late), []);
    }
    assert_eq!(channel.encode(&ToAgent::Interrupt), Err(EncodeError::NotReady));
    let heard = tell(&mut channel, json!({ "id": 3, "error": { "code": -32601, "message": "never heard" } }));
    assert_eq!(said(&heard)[0]["params"]["prompt"][0]["text"], "go");
    assert_eq!((heard.len(), &heard[1]), (2, &StreamItem::TurnStarted));
    assert_eq!(tell(&mut channel, chunk("new")), [output("new")]);
    tell(&mut channel, cost(5.25));
    let heard = tell(&mut channel, ended(4, "end_turn"));
    assert!(matches!(heard[0], StreamItem::Event(Event::Usage(usage)) if usage.cost_usd == Some(0.25)), "{heard:?}");
    assert_eq!(heard[1], success("new"));
}

#[test]
fn a_conversation_that_cannot_begin_says_why() {
    let mut channel = loading();
    let problem = json!({ "code": -32603, "message": "Internal error", "data": { "details": "no such session" } });
    let why = "Internal error: no such session";
    assert_eq!(tell(&mut channel, json!({ "id": 2, "error": problem })), [error(why), failure(why)]);
    assert!(matches!(channel.encode(&ToAgent::Message("x".to_owned())), Err(EncodeError::Invalid(_))));

    let greetings = [
        (json!({ "protocolVersion": 2 }), "the agent speaks version 2 of the protocol, and not version 1"),
        (json!({ "protocolVersion": 1 }), "the agent cannot resume an earlier conversation"),
    ];
    for (greeting, why) in greetings {
        let mut channel = StreamFormat::Acp.conversation(opening("/repo", None, Some("old"))).unwrap();
        channel.open();
        assert_eq!(tell(&mut channel, json!({ "id": 1, "result": greeting })), [error(why), failure(why)]);
    }
}

#[test]
fn a_parser_that_only_listens_says_nothing() {
    let mut channel = StreamFormat::Acp.parser().unwrap();
    assert_eq!(channel.open(), b"");
    for message in [ToAgent::Message("x".to_owned()), ToAgent::Interrupt, answer("0", Answer::Allow { message: None })]
    {
        assert_eq!(channel.encode(&message), Err(EncodeError::OneWay));
    }
    let lines = [
        json!({ "id": 1, "result": { "protocolVersion": 1 } }),
        json!({ "id": 2, "result": { "sessionId": "s" } }),
        json!({ "id": 9, "method": "fs/read_text_file" }),
        permission(0, "ls"),
        ended(3, "end_turn"),
        json!({ "id": 4, "error": { "code": 401, "message": "no" } }),
    ];
    let heard: Vec<StreamItem> = lines.into_iter().flat_map(|line| tell(&mut channel, line)).collect();
    assert_eq!(said(&heard), Vec::<Value>::new());
    assert_eq!(heard.iter().filter(|item| matches!(item, StreamItem::Result(_))).count(), 2);
    assert!(heard.contains(&StreamItem::Session("s".to_owned())));
}
