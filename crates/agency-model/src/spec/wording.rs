//! Says in the words of a spec's author what the parser expected.

/// The full path of the field, and what is wrong with it, from a path and a message of serde.
pub(super) fn in_users_words(path: &str, message: &str) -> (String, String) {
    let path = if matches!(path, "." | "?") { "" } else { path };
    if let Some(name) = quoted_after(message, "duplicate field ") {
        return (below(path, name), "given twice".to_owned());
    }
    if let Some(name) = quoted_after(message, "missing field ") {
        let field = below(path, name);
        let expected = format!("missing, expected {}", expected_of(&field));
        return (field, expected);
    }
    match message.rsplit_once(", expected ") {
        Some((found, expected)) => (path.to_owned(), format!("{found}, expected {}", shape(expected))),
        None => (path.to_owned(), message.to_owned()),
    }
}

/// What belongs into a field that is missing.
pub(super) fn expected_of(field: &str) -> &'static str {
    match field {
        "repo" => "a string, the absolute path of a git repository",
        "base_ref" => "a string, the git ref to branch from, such as \"main\"",
        "runner.kind" => "a string, the name of an agent, such as \"claude_code\"",
        "prompt.path" => "a string, the path of a markdown file in the repository",
        input if input.starts_with("inputs[") && input.ends_with(".path") => {
            "a string, the path of a file in the repository"
        }
        input if input.starts_with("inputs[") && input.ends_with(".mode") => "\"read\"",
        rule if rule.starts_with("approval_policy[") && rule.ends_with(".action") => "\"allow\", \"deny\" or \"ask\"",
        _ => "a value",
    }
}

/// serde names Rust's types; an author knows JSON's.
fn shape(expected: &str) -> &str {
    match expected {
        "a sequence" => "an array",
        "u32" => "a whole number, 0 or more",
        "struct RunnerDraft" => "an object, such as {\"kind\": \"codex\"}",
        "struct PromptDraft" => "an object, such as {\"path\": \"task.md\"}",
        "struct LimitsDraft" => "an object, such as {\"max_minutes\": 30}",
        "struct Written" => "a rule, such as {\"action\": \"ask\", \"tool\": \"Bash\"}",
        "struct McpServer" => "an object, such as {\"command\": \"my-server\"}",
        "a map" => "an object, with a name for each",
        "struct InputSpec" => "an object, such as {\"path\": \"a.txt\", \"mode\": \"read\"}",
        other => other,
    }
}

fn quoted_after<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    message.strip_prefix(start)?.strip_prefix('`')?.strip_suffix('`')
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
