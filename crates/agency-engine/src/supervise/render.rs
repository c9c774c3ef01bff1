//! Events as a person likes to read them while they happen.

use agency_model::{Event, escaped_line, escaped_text};
use serde_json::Value;

/// Longer arguments are cut.
const LONGEST: usize = 160;

/// The lines that show an event; `None` for what is not worth one.
pub(super) fn rendered(event: &Event) -> Option<String> {
    match event {
        Event::Output { text } => Some(format!("{}\n", escaped_text(text.trim_end()))),
        Event::ToolUse { tool_name, input, .. } => {
            Some(format!("\u{2192} {} {}\n", shortened(tool_name), arguments(input)))
        }
        Event::ToolResult { tool_name, output, success, .. } => {
            let mark = if *success { "\u{2190}" } else { "\u{2717}" };
            let lines = output.lines().count();
            let first = output.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
            let more = if lines > 1 { format!(" (+{} lines)", lines - 1) } else { String::new() };
            Some(format!("{mark} {} {}{more}\n", shortened(tool_name), shortened(first)))
        }
        Event::Error { message } => Some(format!("! {}\n", shortened(message))),
        Event::Usage(usage) => usage.cost_usd.map(|cost| format!("$ {cost:.4}\n")),
        Event::Message { text } => Some(format!("> {}\n", escaped_text(text.trim_end()))),
        Event::Question { question, .. } => {
            Some(format!("? {}\n{}\n", shortened(&question.title), escaped_text(question.detail.trim_end())))
        }
        Event::Answer { by, outcome, .. } => Some(format!("= {} ({})\n", shortened(outcome), shortened(by))),
        Event::StateChange { .. }
        | Event::Activity { .. }
        | Event::Attempt { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::Notice { .. }
        | Event::Completed { .. }
        | Event::Unknown { .. } => None,
    }
}

/// The one argument that says most, or all of them on one line.
fn arguments(input: &Value) -> String {
    let telling = ["command", "file_path", "path", "pattern", "query", "url"];
    let one = telling.iter().find_map(|name| input.get(name)?.as_str());
    one.map_or_else(|| shortened(&input.to_string()), shortened)
}

fn shortened(text: &str) -> String {
    let plain = escaped_line(text);
    if plain.chars().count() <= LONGEST {
        return plain;
    }
    plain.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_one_line_with_what_matters() {
        let input = serde_json::json!({ "command": "cargo test\n--all", "description": "x" });
        let used = Event::ToolUse { tool_name: "Bash".into(), input, tool_id: None };
        assert_eq!(rendered(&used).unwrap(), "\u{2192} Bash cargo test\\n--all\n");
        let output = "ok\nline\nline".to_owned();
        let result = Event::ToolResult { tool_name: "Bash".into(), output, success: true, tool_id: None };
        assert_eq!(rendered(&result).unwrap(), "\u{2190} Bash ok (+2 lines)\n");
    }
}
