//! What Claude Code tells besides words and tools, where no recording exists.

use agency_adapters::{StreamFormat, StreamItem};
use agency_model::Event;

use super::any_pieces::heard;

fn claude(line: &str) -> Vec<StreamItem> {
    heard(StreamFormat::Claude, [line.as_bytes()])
}

#[test]
fn a_usage_limit_is_an_event_of_its_own() {
    let line = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1794963432,"rateLimitType":"five_hour","utilization":0.91,"isUsingOverage":false},"uuid":"u","session_id":"s"}"#;
    let event = Event::RateLimit {
        status: "allowed_warning".to_owned(),
        limit: Some("five_hour".to_owned()),
        used: Some(0.91),
        resets_at: Some("2026-11-18T00:57:12Z".parse().unwrap()),
    };
    assert_eq!(claude(line), [StreamItem::Event(event)]);
    let rejected = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1e300}}"#;
    let event = Event::RateLimit { status: "rejected".to_owned(), limit: None, used: None, resets_at: None };
    assert_eq!(claude(rejected), [StreamItem::Event(event)]);
}

#[test]
fn a_compaction_is_an_event_of_its_own() {
    let line = r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":155000},"session_id":"s"}"#;
    let event = Event::Compaction { trigger: Some("auto".to_owned()), tokens_before: Some(155_000) };
    assert_eq!(claude(line), [StreamItem::Event(event)]);
}

#[test]
fn a_plan_in_a_file_is_shown_with_the_question() {
    let write = r##"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/home/user/.claude/plans/p.md","content":"# Plan\n\n1. a"}}]}}"##;
    let edit = r##"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"2","name":"Edit","input":{"file_path":"/home/user/.claude/plans/p.md","old_string":"1. a","new_string":"1. b"}}]}}"##;
    let asked = r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"ExitPlanMode","input":{},"tool_use_id":"3"}}"#;
    let heard = claude(&[write, edit, asked].join("\n"));
    let Some(StreamItem::Question(question)) = heard.last() else { panic!("{heard:?}") };
    assert_eq!(question.detail, "# Plan\n\n1. b");
    let heard = claude(asked);
    let Some(StreamItem::Question(question)) = heard.last() else { panic!("{heard:?}") };
    assert_eq!(question.detail, "Claude Code did not report its plan.");
}

#[test]
fn the_path_because_of_which_it_asks_is_kept_and_shown() {
    let asked = |blocked: &str| {
        let line = format!(
            r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"touch a"}}{blocked}}}}}"#
        );
        let heard = claude(&line);
        let Some(StreamItem::Question(question)) = heard.last() else { panic!("{heard:?}") };
        (question.tool.clone().unwrap().blocked_path, question.detail.clone())
    };
    assert_eq!(asked(""), (None, "touch a".to_owned()));
    assert_eq!(asked(r#","blocked_path":null"#), (None, "touch a".to_owned()));
    let shown = |path: &str| format!("touch a\n\nblocked path: {path}");
    assert_eq!(asked(r#","blocked_path":"/etc/a""#), (Some("/etc/a".into()), shown("/etc/a")));
    // Any other value leads to a question.
    assert_eq!(asked(r#","blocked_path":5"#), (Some(5.into()), shown("5")));
}
