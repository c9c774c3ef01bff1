//! What the questions of all agents have in common.

use serde_json::Value;

/// A title is one line.
const MAX_TITLE_CHARS: usize = 120;
/// How many unchanged lines are shown on both sides of a change.
const CONTEXT_LINES: usize = 3;

/// The beginning of a text, as a title.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if line.chars().count() <= MAX_TITLE_CHARS {
        return line.to_owned();
    }
    line.chars().take(MAX_TITLE_CHARS - 1).chain(['\u{2026}']).collect()
}

/// Everything a tool would be given, as a user reads it: a command, a plan or a change as it is, anything else as JSON.
pub(super) fn command_detail(input: &Value) -> String {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    if let Some(whole) = text("command").or_else(|| text("plan")).or_else(|| text("diff")) {
        return whole.to_owned();
    }
    let path = text("file_path").or_else(|| text("path"));
    if let (Some(path), Some(content)) = (path, text("content")) {
        return format!("{path}\n\n{content}");
    }
    if let (Some(path), Some(old), Some(new)) = (path, text("old_string"), text("new_string")) {
        return change(path, old, new);
    }
    serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string())
}

/// A change of a file, as a user reads it. Agents give whole files: what is the same at both ends is left out.
pub(super) fn change(path: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(one, other)| one == other).count();
    let before = same(&mut old.iter().zip(&new));
    let shorter = old.len().min(new.len());
    let after = same(&mut old.iter().rev().zip(new.iter().rev())).min(shorter - before);
    let context = |lines: &[&str], from: usize, to: usize| side(' ', lines.get(from..to).unwrap_or_default());
    let changed = |lines: &[&str], mark| side(mark, lines.get(before..lines.len() - after).unwrap_or_default());
    let end = new.len() - after;
    [
        format!("{path}\n\n"),
        context(&new, before.saturating_sub(CONTEXT_LINES), before),
        changed(&old, '-'),
        changed(&new, '+'),
        context(&new, end, (end + CONTEXT_LINES).min(new.len())),
    ]
    .concat()
}

fn side(mark: char, lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{mark}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(first_line("\n  one \ntwo"), "one");
        assert_eq!(first_line(&"x".repeat(500)).chars().count(), MAX_TITLE_CHARS);
    }

    #[test]
    fn the_detail_is_whole_and_readable() {
        assert_eq!(command_detail(&json!({ "command": "a\nb", "description": "x" })), "a\nb");
        assert_eq!(command_detail(&json!({ "file_path": "f", "content": "x\n" })), "f\n\nx\n");
        let edit = json!({ "file_path": "f", "old_string": "a\nb", "new_string": "c" });
        assert_eq!(command_detail(&edit), "f\n\n-a\n-b\n+c\n");
        assert_eq!(command_detail(&json!({ "x": 1 })), "{\n  \"x\": 1\n}");
    }

    #[test]
    fn a_change_is_shown_with_a_few_lines_around_it() {
        let lines = |names: &str| names.chars().map(|name| format!("{name}\n")).collect::<String>();
        assert_eq!(change("f", "", &lines("ab")), "f\n\n+a\n+b\n");
        assert_eq!(change("f", &lines("ab"), ""), "f\n\n-a\n-b\n");
        assert_eq!(change("f", &lines("ab"), &lines("ab")), "f\n\n a\n b\n");
        assert_eq!(change("f", &lines("aa"), &lines("aaa")), "f\n\n a\n a\n+a\n");
        let (old, new) = (lines("12345x6789"), lines("12345yz6789"));
        assert_eq!(change("f", &old, &new), "f\n\n 3\n 4\n 5\n-x\n+y\n+z\n 6\n 7\n 8\n");
    }
}
