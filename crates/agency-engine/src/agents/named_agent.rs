//! A named agent, and which names are possible.

use super::{AgentError, AgentState};
use crate::store::RunRow;

/// A longer name does not fit where it is shown.
const MAX_NAME_CHARS: usize = 64;

/// A named agent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct NamedAgent {
    /// Its name.
    pub name: String,
    /// Its state, as one word.
    pub state: AgentState,
    /// Its newest run.
    pub run: RunRow,
}

impl NamedAgent {
    /// The agent whose newest run this is, as [`AgentManager::agent`](super::AgentManager::agent) gives it.
    #[must_use]
    pub fn of(run: RunRow) -> Self {
        Self { name: run.name.clone().unwrap_or_default(), state: AgentState::of(&run), run }
    }
}

pub(super) fn check_name(name: &str) -> Result<(), AgentError> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    // A name that could be the beginning of an id, or a flag, would mean two things.
    let begins = name.chars().next().is_some_and(|first| first.is_ascii_alphanumeric()) && !name.starts_with("r_");
    if begins && name.len() <= MAX_NAME_CHARS && name.chars().all(fits) {
        Ok(())
    } else {
        Err(AgentError::InvalidName { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::check_name;

    // proves P9
    #[test]
    fn a_name_has_letters_digits_hyphens_and_underscores() {
        for name in ["alice", "a", "7", "fix-login_2", &"x".repeat(64)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-x", "_x", "a b", "ä", "a/b", "a.b", "r_01ABC", "a\n", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
