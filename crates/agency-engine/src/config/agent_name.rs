//! The one right spelling of an agent's name.

/// The name with `_` for every `-`, so that both spellings mean the same agent.
pub(super) fn normalised(name: &str) -> String {
    name.replace('-', "_")
}

/// Other names of built-in agents: those of their programs, and what users say.
const ALIASES: [(&str, &str); 6] = [
    ("claude", "claude_code"),
    ("codex_cli", "codex"),
    ("gemini_cli", "gemini"),
    ("open_code", "opencode"),
    ("cursor_agent", "cursor"),
    ("cursor_cli", "cursor"),
];

/// The built-in agent that another name means.
pub(super) fn aliased(name: &str) -> Option<&'static str> {
    let name = normalised(name).to_ascii_lowercase();
    ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, agent)| *agent)
}

/// Whether the name has only letters, digits, `_` and `-`, and at least one of them.
pub(super) fn is_valid(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::{is_valid, normalised};

    #[test]
    fn both_spellings_are_one_name() {
        assert_eq!(normalised("claude-code"), normalised("claude_code"));
    }

    #[test]
    fn names_fit_into_paths_and_keys() {
        assert!(is_valid("claude-code_2"));
        for name in ["", "a.b", "a b", "a/b", "é"] {
            assert!(!is_valid(name), "{name}");
        }
    }
}
