//! The one right spelling of an agent's name.

use agency_adapters::AgentAdapter;

/// The name with `_` for every `-`, so that both spellings mean the same agent.
pub(super) fn normalised(name: &str) -> String {
    name.replace('-', "_")
}

/// The agent that another name means: a built-in one, or one of an adapter of the program's own.
pub(super) fn aliased(name: &str) -> Option<&'static str> {
    let name = normalised(name).to_ascii_lowercase();
    let mut known = agency_adapters::built_in().chain(agency_adapters::registered());
    known.find(|adapter| adapter.aliases().contains(&name.as_str())).map(AgentAdapter::name)
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
