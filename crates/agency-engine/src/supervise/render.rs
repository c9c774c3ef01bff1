//! Events as text for viewers.

use agency_model::{Event, escaped_line, escaped_text};
use serde_json::Value;

/// Longer arguments are cut.
const MAX_ARGUMENT_CHARS: usize = 160;

/// The lines that show an event; `None` for what is not worth one.
pub(super) fn rendered(event: &Event) -> Option<String> {
    let text = rendered_by_kind(event)?;
    // The work of a sub-agent is marked, to distinguish it from the agent's own.
    Some(if event.parent_tool_id().is_some() {
        format!("\u{2502} {}", text.trim_end().replace('\n', "\n\u{2502} ")) + "\n"
    } else {
        text
    })
}

fn rendered_by_kind(event: &Event) -> Option<String> {
    match event {
        Event::Output { text, .. } => Some(format!("{}\n", escaped_text(text.trim_end()))),
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
        Event::Thinking { text, .. } => Some(format!("~ {}\n", shortened(text))),
        Event::Plan { .. } => Some(format!("{}\n", escaped_text(&event.plan_text()?))),
        Event::Task { status, description, .. } => Some(format!("& {status}: {}\n", shortened(description))),
        Event::RateLimit { status, limit, .. } => {
            let limit = limit.as_deref().map_or_else(String::new, |limit| format!(" ({})", shortened(limit)));
            Some(format!("! usage limit: {}{limit}\n", shortened(status)))
        }
        Event::Compaction { .. } => Some("! the conversation so far was replaced by a summary\n".to_owned()),
        Event::StateChange { .. }
        | Event::Activity { .. }
        | Event::Attempt { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::Notice { .. }
        | Event::Completed { .. }
        | Event::Unknown { .. }
        | Event::Work(_) => None,
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
    if plain.chars().count() <= MAX_ARGUMENT_CHARS {
        return plain;
    }
    plain.chars().take(MAX_ARGUMENT_CHARS - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_one_line_with_what_matters() {
        let input = serde_json::json!({ "command": "cargo test\n--all", "description": "x" });
        let used = Event::ToolUse { tool_name: "Bash".into(), input, tool_id: None, parent_tool_id: None };
        assert_eq!(rendered(&used).unwrap(), "\u{2192} Bash cargo test\\n--all\n");
        let output = "ok\nline\nline".into();
        let result =
            Event::ToolResult { tool_name: "Bash".into(), output, success: true, tool_id: None, parent_tool_id: None };
        assert_eq!(rendered(&result).unwrap(), "\u{2190} Bash ok (+2 lines)\n");
    }

    #[test]
    fn a_sub_agent_is_told_apart_by_a_bar_at_its_side() {
        let output = Event::Output { text: "one\ntwo\n".into(), parent_tool_id: Some("t1".into()) };
        assert_eq!(rendered(&output).unwrap(), "\u{2502} one\n\u{2502} two\n");
        assert_eq!(rendered(&Event::thinking("hm\u{1b}[2J")).unwrap(), "~ hm\\x1b[2J\n");
    }
}
