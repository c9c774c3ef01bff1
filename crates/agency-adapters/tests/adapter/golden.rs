//! What each recorded stream says, and that no line of it is lost.

use agency_adapters::StreamFormat;
use serde_json::Value;

use super::any_pieces::heard;
use super::recorded::{FORMATS, rendered, streams};

fn golden(format: StreamFormat) {
    let mut text = String::new();
    for (name, bytes) in streams(format) {
        text += &format!("\n== {name}\n");
        for item in heard(format, [bytes.as_slice()]) {
            text += &rendered(&item);
            text.push('\n');
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("adapter_{format}"), text));
}

#[test]
fn claude() {
    golden(StreamFormat::Claude);
}

#[test]
fn codex() {
    golden(StreamFormat::Codex);
}

#[test]
fn gemini() {
    golden(StreamFormat::Gemini);
}

#[test]
fn opencode() {
    golden(StreamFormat::Opencode);
}

#[test]
fn acp() {
    golden(StreamFormat::Acp);
}

/// A line that says nothing which is not known already.
fn says_nothing(format: StreamFormat, line: &Value) -> bool {
    let is = |key: &str, value: &str| line[key] == value;
    match format {
        StreamFormat::Claude => {
            let state = is("type", "system") && (is("subtype", "status") || is("subtype", "task_updated"));
            let answer = is("type", "control_response") && line["response"]["subtype"] == "success";
            state || answer || line["isReplay"] == true
        }
        StreamFormat::Codex | StreamFormat::Text | StreamFormat::Driver => false,
        StreamFormat::Gemini => is("type", "message") && is("role", "user"),
        StreamFormat::Opencode => is("type", "step_start"),
        StreamFormat::Acp => {
            let update = &line["params"]["update"];
            let ended = update["status"] == "completed" || update["status"] == "failed";
            let silent = match update["sessionUpdate"].as_str().unwrap_or_default() {
                // Told with the first line that is complete, and with its end.
                "tool_call" | "tool_call_update" => !ended,
                "agent_message_chunk" => update["content"]["text"] == "",
                kind => ["available_commands_update", "session_info_update", "usage_update", "user_message_chunk"]
                    .contains(&kind),
            };
            silent || line["result"]["protocolVersion"] == 1 || line["method"] == "fs/write_text_file"
        }
    }
}

#[test]
fn every_line_is_heard_or_known_to_say_nothing() {
    for format in FORMATS {
        for (name, bytes) in streams(format) {
            let mut parser = format.parser().unwrap();
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let value: Value = serde_json::from_slice(line).unwrap();
                let heard = parser.feed(line);
                let silent = heard.is_empty() && says_nothing(format, &value);
                assert!(silent || !heard.is_empty(), "{format}/{name}: {value}");
            }
            assert_eq!(parser.finish(), []);
        }
    }
}
