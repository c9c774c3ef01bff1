use proptest::prelude::*;

use super::*;
use crate::{Event, EventLine};

fn encoded(json: &str) -> Option<JsonText> {
    JsonText::encoded(serde_json::from_str(json).unwrap())
}

fn result(output: JsonText) -> EventLine {
    let tool_name = "Bash".to_owned();
    let event = Event::ToolResult { tool_name, output, success: true, tool_id: None, parent_tool_id: None };
    EventLine { seq: 7, at: jiff::Timestamp::UNIX_EPOCH, attempt: 1, event }
}

#[test]
fn a_string_is_kept_as_it_is_and_read_as_its_text() {
    let text = encoded(r#""a\n\"b\" \/ é""#).unwrap();
    assert_eq!(text.as_str(), "a\n\"b\" / é");
    assert_eq!(serde_json::to_string(&text).unwrap(), r#""a\n\"b\" \/ é""#);
    assert_eq!(format!("{text:?} {text}"), "\"a\\n\\\"b\\\" / é\" a\n\"b\" / é");
    assert_eq!(text.into_string(), "a\n\"b\" / é");
}

#[test]
fn what_may_not_be_a_text_is_not_kept() {
    for json in ["null", "7", "[\"a\"]", "{}", r#""\ud83d""#, r#""\u00e4""#] {
        assert!(encoded(json).is_none(), "{json}");
    }
}

#[test]
fn an_event_with_an_encoded_text_is_one_line_that_is_read_as_the_same_event() {
    let kept = result(encoded(r#""one\ntwo\t\\""#).unwrap());
    let line = serde_json::to_string(&kept).unwrap();
    assert!(!line.contains('\n') && line.contains(r#""output":"one\ntwo\t\\""#), "{line}");
    assert_eq!(EventLine::read(&line, 0), kept);
    assert_eq!(serde_json::to_value(&kept).unwrap(), serde_json::to_value(result("one\ntwo\t\\".into())).unwrap());
}

proptest! {
    #[test]
    fn both_forms_of_any_text_are_equal(text: String) {
        let json = serde_json::to_string(&text).unwrap();
        let Some(kept) = encoded(&json) else { return Ok(()) };
        prop_assert_eq!(kept.as_str(), &text);
        prop_assert_eq!(serde_json::to_string(&result(kept)).unwrap(), serde_json::to_string(&result(text.into())).unwrap());
    }
}
