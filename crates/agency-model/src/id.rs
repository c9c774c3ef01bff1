//! The names of runs, of workflow sessions and of questions: a letter and a ULID, so that ids sort by creation time.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// What the names of tmux sessions of runs begin with.
const TMUX_SESSION_PREFIX: &str = "agency_";

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $invalid:ident: $what:literal, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        #[doc = concat!("Says why a text is not the id of a ", $what, ".")]
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error("'{0}' is not a {what} id: expected {prefix} followed by 26 letters and digits", what = $what, prefix = $prefix)]
        pub struct $invalid(String);

        impl $name {
            #[doc = concat!("Names a ", $what, " by a ULID that the caller made.")]
            #[must_use]
            #[doc(hidden)]
            pub fn from_ulid(ulid: Ulid) -> Self {
                Self(format!("{}{ulid}", $prefix))
            }

            #[doc = concat!("The id as text, `", $prefix, "01H…`.")]
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = $invalid;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                // The canonical spelling only: two spellings of one id would be two directories.
                let is_canonical = |rest: &str| {
                    let ulid = Ulid::from_string(rest);
                    ulid.is_ok_and(|ulid| ulid.array_to_str(&mut [0; ulid::ULID_LEN]) == rest)
                };
                match text.strip_prefix($prefix) {
                    Some(rest) if is_canonical(rest) => Ok(Self(text.to_owned())),
                    Some(_) | None => Err($invalid(text.to_owned())),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $invalid;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

id! {
    /// Identifies one run for ever; never reused.
    RunId, InvalidRunId: "run", "r_"
}

id! {
    /// Identifies one session of a workflow for ever: `s_` and a ULID.
    SessionId, InvalidSessionId: "session", "s_"
}

id! {
    /// Identifies one question for ever.
    QuestionId, InvalidQuestionId: "question", "q_"
}

impl RunId {
    /// The tmux session of this run. tmux turns `:` into `_`, so the name has none.
    #[must_use]
    pub fn tmux_session(&self) -> String {
        format!("{TMUX_SESSION_PREFIX}{}", self.0)
    }

    /// The run whose tmux session has this name, if it is such a name.
    #[must_use]
    pub fn of_tmux_session(name: &str) -> Option<Self> {
        name.strip_prefix(TMUX_SESSION_PREFIX)?.parse().ok()
    }

    /// The branch of this run where the spec names none.
    #[must_use]
    pub fn default_branch(&self) -> String {
        format!("agency/{}", self.0)
    }

    /// The ref that keeps uncommitted work when the workspace is removed.
    #[must_use]
    pub fn saved_work_ref(&self) -> String {
        format!("refs/agency/saved/{}", self.0)
    }

    /// The ref whose history is the checkpoints of the run's worktree.
    #[must_use]
    pub fn checkpoints_ref(&self) -> String {
        format!("refs/agency/checkpoints/{}", self.0)
    }

    /// The ref that older versions used. Its short name is that of the run's branch, which it hides from git.
    #[must_use]
    pub fn old_saved_work_ref(&self) -> String {
        format!("refs/agency/{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves L1
    #[test]
    fn an_id_is_r_and_a_ulid_and_reads_back() {
        let id = RunId::from_ulid(Ulid::from_parts(1, 2));
        assert_eq!(id.as_str().len(), 28);
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!(id.tmux_session(), format!("agency_{id}"));
        assert_eq!(RunId::of_tmux_session(&id.tmux_session()), Some(id));
        assert_eq!(RunId::of_tmux_session("agency_work"), None);
    }

    // proves W9
    #[test]
    fn the_id_of_a_session_is_s_and_a_ulid_and_reads_back() {
        let id = SessionId::from_ulid(Ulid::from_parts(1, 2));
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        for text in ["", "s_", "r_01ARZ3NDEKTSV4RRFFQ69G5FAV", "s_01arz3ndektsv4rrffq69g5fav", "s_../../etc"] {
            assert!(text.parse::<SessionId>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_id_of_a_question_is_q_and_a_ulid_and_reads_back() {
        let id = QuestionId::from_ulid(Ulid::from_parts(1, 2));
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        for text in ["", "q_", "r_01ARZ3NDEKTSV4RRFFQ69G5FAV", "q_01arz3ndektsv4rrffq69g5fav"] {
            assert!(text.parse::<QuestionId>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_the_canonical_spelling_is_an_id() {
        for text in ["", "r_", "r_x", "r_../../etc", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "r_01arz3ndektsv4rrffq69g5fav"] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }
}
