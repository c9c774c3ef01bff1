//! What the questions of all agents have in common.

use serde_json::Value;

/// A title is one line.
const LONGEST_TITLE: usize = 120;

/// The beginning of a text, as a title.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if line.chars().count() <= LONGEST_TITLE {
        return line.to_owned();
    }
    line.chars().take(LONGEST_TITLE - 1).chain(['\u{2026}']).collect()
}

/// Everything a tool would be given, as a human reads it: a command, a plan or a change as it is, anything else as JSON.
pub(super) fn command_detail(input: &Value) -> String {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    if let Some(whole) = text("command").or_else(|| text("plan")) {
        return whole.to_owned();
    }
    let path = text("file_path").or_else(|| text("path"));
    if let (Some(path), Some(content)) = (path, text("content")) {
        return format!("{path}\n\n{content}");
    }
    if let (Some(path), Some(old), Some(new)) = (path, text("old_string"), text("new_string")) {
        let side = |mark: char, text: &str| text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
        return format!("{path}\n\n{}{}", side('-', old), side('+', new));
    }
    serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(first_line("\n  one \ntwo"), "one");
        assert_eq!(first_line(&"x".repeat(500)).chars().count(), LONGEST_TITLE);
    }

    #[test]
    fn the_detail_is_whole_and_readable() {
        assert_eq!(command_detail(&json!({ "command": "a\nb", "description": "x" })), "a\nb");
        assert_eq!(command_detail(&json!({ "file_path": "f", "content": "x\n" })), "f\n\nx\n");
        let edit = json!({ "file_path": "f", "old_string": "a\nb", "new_string": "c" });
        assert_eq!(command_detail(&edit), "f\n\n-a\n-b\n+c\n");
        assert_eq!(command_detail(&json!({ "x": 1 })), "{\n  \"x\": 1\n}");
    }
}
