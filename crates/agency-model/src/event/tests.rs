use super::*;

#[test]
fn an_event_is_one_flat_object_and_reads_back() {
    let line = EventLine {
        seq: 3,
        at: Timestamp::UNIX_EPOCH,
        attempt: 1,
        event: Event::StateChange { from: Some(State::Queued), to: State::Running },
    };
    let text = serde_json::to_string(&line).unwrap();
    assert_eq!(
        text,
        r#"{"seq":3,"at":"1970-01-01T00:00:00Z","attempt":1,"type":"state_change","from":"queued","to":"running"}"#
    );
    assert_eq!(EventLine::read(&text, 2), line);
}

#[test]
fn what_an_agent_did_reads_back() {
    let events = [
        Event::output("a\nb"),
        Event::ToolUse {
            tool_name: "Bash".to_owned(),
            input: serde_json::json!({"command": "ls", "timeout": 1.5, "deep": [{"n": u64::MAX}]}),
            tool_id: Some("t1".to_owned()),
            parent_tool_id: None,
        },
        Event::ToolResult {
            tool_name: "Bash".to_owned(),
            output: JsonText::default(),
            success: false,
            tool_id: None,
            parent_tool_id: Some("t0".to_owned()),
        },
        Event::thinking("so"),
        Event::Plan { steps: vec![PlanStep { text: "look".to_owned(), status: StepStatus::InProgress }], text: None },
        Event::Plan { steps: vec![], text: Some("# Plan".to_owned()) },
        Event::Task {
            task_id: "t".to_owned(),
            status: TaskStatus::Started,
            description: "look".to_owned(),
            tool_id: None,
        },
        Event::RateLimit {
            status: "allowed_warning".to_owned(),
            limit: Some("five_hour".to_owned()),
            used: Some(0.9),
            resets_at: Some(Timestamp::UNIX_EPOCH),
        },
        Event::Compaction { trigger: None, tokens_before: Some(7) },
        Event::Usage(Usage {
            input_tokens: Some(u64::MAX),
            output_tokens: None,
            cached_tokens: None,
            cost_usd: Some(0.0008),
        }),
    ];
    for event in events {
        let line = EventLine { seq: 1, at: Timestamp::UNIX_EPOCH, attempt: 1, event };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(EventLine::read(&text, 0), line, "{text}");
    }
}

#[test]
fn lines_of_earlier_versions_are_read_as_they_were_meant() {
    let head = r#"{"seq":1,"at":"1970-01-01T00:00:00Z","attempt":1,"#;
    let read = |rest: &str| EventLine::read(&format!("{head}{rest}"), 0).event;
    assert_eq!(read(r#""type":"output","text":"hello"}"#), Event::output("hello"));
    let thought = read(r#""type":"notice","message":"thinking: so"}"#);
    assert_eq!(thought, Event::Notice { message: "thinking: so".to_owned() });
    let used = read(r#""type":"tool_use","tool_name":"Bash","input":{},"tool_id":"t1"}"#);
    assert!(matches!(used, Event::ToolUse { parent_tool_id: None, .. }), "{used:?}");
}

#[test]
fn a_line_of_another_version_or_a_torn_one_is_kept_as_unknown() {
    let newer = r#"{"seq":9,"at":"2026-01-01T00:00:00Z","attempt":2,"type":"never_seen","tool_name":"Write"}"#;
    let read = EventLine::read(newer, 3);
    assert_eq!((read.seq, read.attempt), (9, 2));
    assert_eq!(read.event, Event::Unknown { text: newer.to_owned() });
    let torn = EventLine::read("{\"seq\":4,\"at\"", 3);
    assert_eq!(torn.seq, 4);
    assert!(matches!(torn.event, Event::Unknown { .. }));
}
