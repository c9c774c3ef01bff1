//! What a user, or a rule, answers to a question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user, or a rule, answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// This once.
    Allow {
        /// The user's comment; only approvals and reviews of workflows have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// Not this.
    Deny {
        /// The message to the agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// This and everything like it, for this run only.
    AllowAll,
    /// Some of the offered options, by their ids.
    Options {
        /// The ids.
        chosen: Vec<String>,
    },
    /// Free text.
    Text {
        /// The text.
        text: String,
    },
}

impl Answer {
    /// The answer as text, which is not escaped.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Allow { message: None } => "allow".to_owned(),
            Self::Allow { message: Some(message) } => format!("allow ({message})"),
            Self::Deny { message: None } => "deny".to_owned(),
            Self::Deny { message: Some(message) } => format!("deny ({message})"),
            Self::AllowAll => "allow all".to_owned(),
            Self::Options { chosen } => chosen.join(", "),
            Self::Text { text } => text.clone(),
        }
    }
}

/// What an answer to a permission decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// It is allowed.
    Allow {
        /// What the user adds.
        message: Option<&'a str>,
    },
    /// It is denied. Free text is a denial with that reason.
    Deny {
        /// Why.
        reason: Option<&'a str>,
    },
    /// One or more of the offered options, by their ids.
    Choose(&'a [String]),
}

impl Answer {
    /// What it decides, as the answer to a permission. `AllowAll` allows this one; the rest is for the supervisor.
    #[must_use]
    pub fn decision(&self) -> Decision<'_> {
        match self {
            Self::Allow { message } => Decision::Allow { message: message.as_deref() },
            Self::AllowAll => Decision::Allow { message: None },
            Self::Deny { message } => Decision::Deny { reason: message.as_deref() },
            Self::Text { text } => Decision::Deny { reason: Some(text) },
            Self::Options { chosen } => Decision::Choose(chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_text_denies_a_permission() {
        let text = Answer::Text { text: "no".to_owned() };
        assert_eq!(text.decision(), Decision::Deny { reason: Some("no") });
        assert_eq!(Answer::Deny { message: None }.decision(), Decision::Deny { reason: None });
        assert_eq!(Answer::AllowAll.decision(), Decision::Allow { message: None });
    }

    #[test]
    fn an_answer_is_one_flat_object() {
        let answer = Answer::Options { chosen: vec!["a".to_owned()] };
        assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"answer":"options","chosen":["a"]}"#);
        let allow = Answer::Allow { message: None };
        assert_eq!(serde_json::to_string(&allow).unwrap(), r#"{"answer":"allow"}"#);
        assert_eq!(serde_json::from_str::<Answer>(r#"{"answer":"allow"}"#).unwrap(), allow);
        let deny = Answer::Deny { message: None };
        assert_eq!(serde_json::to_string(&deny).unwrap(), r#"{"answer":"deny"}"#);
    }
}
