//! Texts that are kept as the JSON that they were read from: the same items as if they were decoded.

use agency_adapters::{StreamFormat, StreamItem};
use agency_model::{Event, EventLine};
use proptest::prelude::*;

use super::any_pieces::heard;

/// What a JSON string may consist of, and some of what it may not.
const PARTS: [&str; 16] = [
    "a",
    "é😀",
    r#"\""#,
    r"\\",
    r"\/",
    r"\n",
    r"\t\r\b\f",
    r"\\u0041",
    r"\u0041",
    r"\u001b[1m",
    r"\ud83d\ude00",
    r"\ud83d",
    r"\x",
    r"\u12",
    "\u{1b}",
    "\"",
];

/// The event of a tool whose answer is this content.
fn answered(content: &str) -> Vec<StreamItem> {
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"1","content":{content}}}]}}}}"#
    );
    heard(StreamFormat::Claude, [line.as_bytes()])
}

fn in_a_block(string: &str) -> String {
    format!(r#"[{{"type":"text","text":{string}}}]"#)
}

proptest! {
    /// A content that is one string is decoded at once.
    #[test]
    fn a_text_in_a_block_is_the_same_as_one_that_is_decoded(
        parts in proptest::collection::vec(prop::sample::select(&PARTS[..]), 0..12),
    ) {
        let string = format!("\"{}\"", parts.concat());
        match (answered(&in_a_block(&string)).as_slice(), answered(&string).as_slice()) {
            ([StreamItem::Event(kept @ Event::ToolResult { .. })], [StreamItem::Event(decoded)]) => {
                prop_assert_eq!(kept, decoded);
                let line = EventLine { seq: 1, at: agency_model::Timestamp::UNIX_EPOCH, attempt: 1, event: kept.clone() };
                let text = serde_json::to_string(&line).unwrap();
                prop_assert!(!text.contains('\n') && !text.contains('\u{1b}'), "{}", text);
                prop_assert_eq!(EventLine::read(&text, 0), line);
            }
            // What is no string in one of them is none in the other, and is kept as a line.
            ([StreamItem::Event(Event::Unknown { .. }), ..], [StreamItem::Event(Event::Unknown { .. }), ..]) => {}
            (kept, decoded) => prop_assert!(false, "{kept:?} and {decoded:?}"),
        }
    }
}

#[test]
fn several_texts_are_joined_and_what_is_no_text_is_not_understood() {
    let two = r#"[{"type":"text","text":"a\n"},{"type":"image"},{"type":"text","text":"\u00e4"}]"#;
    let heard = answered(two);
    let [StreamItem::Event(Event::ToolResult { output, .. })] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(output, "a\n\n[image]\nä");
    for wrong in ["7", "[\"a\"]", "{}", "true"] {
        let heard = answered(&in_a_block(wrong));
        assert!(matches!(heard.as_slice(), [StreamItem::Event(Event::Unknown { .. })]), "{heard:?}");
    }
    let heard = answered(&in_a_block("null"));
    assert!(
        matches!(heard.as_slice(), [StreamItem::Event(Event::ToolResult { output, .. })] if output == "[text]"),
        "{heard:?}"
    );
}
