//! What an agent asks a user, and which answers fit.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::id::QuestionId;
use crate::question_key::QuestionKey;
use crate::string_enum::string_enum;

string_enum! {
    /// What kind of thing is asked.
    QuestionKind {
        /// May the agent use a tool?
        Permission = "permission",
        /// Something only the user knows.
        Question = "question",
        /// Is this plan right?
        Plan = "plan",
        /// Is this directory to be trusted?
        Trust = "trust",
        /// Anything else that the agent waits for.
        Other = "other",
    }
}

string_enum! {
    /// The quick answers to a permission.
    QuickAction {
        /// This once.
        Allow = "allow",
        /// Not this.
        Deny = "deny",
        /// This and everything like it, for this run only.
        AllowAll = "allow_all",
    }
}

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The agent's own id of the request, by which the answer is addressed. It is opaque to other readers, except
    /// that questions of one request are numbered after a `/`.
    #[schemars(with = "String")]
    pub key: QuestionKey,
    /// What kind of thing is asked.
    pub kind: QuestionKind,
    /// One line.
    pub title: String,
    /// All there is to know: the whole command, the whole diff, the whole plan.
    pub detail: String,
    /// The answers that the agent offers.
    pub options: Vec<QuestionOption>,
    /// Whether several options may be chosen.
    pub several: bool,
    /// Whether an answer as free text is possible.
    pub free_text: bool,
    /// Whether it can be answered only on the agent's own screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_on_screen: bool,
    /// The tool that needs permission, for rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolRequest>,
}

/// What users see of a question, in the inbox and in notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownQuestion {
    /// Its id.
    pub id: QuestionId,
    /// What kind of thing is asked.
    pub kind: QuestionKind,
    /// One line.
    pub title: String,
    /// All there is to know: the whole command, the whole diff, the whole plan.
    pub detail: String,
    /// The answers that the agent offers.
    pub options: Vec<QuestionOption>,
    /// Whether several options may be chosen.
    pub several: bool,
    /// Whether an answer as free text is possible.
    pub free_text: bool,
    /// Whether it can be answered only on the agent's own screen, which `agency attach` shows.
    pub only_on_screen: bool,
    /// The answers that have a key or an option of their own.
    pub actions: Vec<QuickAction>,
    /// When.
    pub asked_at: Timestamp,
}

impl ShownQuestion {
    /// What users see of this question.
    #[must_use]
    pub fn new(id: QuestionId, question: Question, asked_at: Timestamp) -> Self {
        let actions = question.actions().to_vec();
        let Question { key: _, kind, title, detail, options, several, free_text, only_on_screen, tool: _ } = question;
        Self { id, kind, title, detail, options, several, free_text, only_on_screen, actions, asked_at }
    }
}

/// One answer that the agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOption {
    /// What is sent to the agent.
    pub id: String,
    /// What a user reads.
    pub label: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A tool that an agent asks to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRequest {
    /// The agent's own name of the tool.
    pub name: String,
    /// What the tool would be given.
    pub input: Value,
    /// The path for which the agent asks, where it says so beside the input. Only a text says where that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_path: Option<Value>,
}

impl ToolRequest {
    /// A request that says nothing beside the input.
    #[must_use]
    pub fn new(name: impl Into<String>, input: Value) -> Self {
        Self { name: name.into(), input, blocked_path: None }
    }
}

impl Question {
    /// The request that the question is a part of, where an agent asks several questions at once, and its number in it.
    #[must_use]
    pub fn part(&self) -> Option<(&str, usize)> {
        // The id of a permission that an earlier version stored may end like a part.
        let part = self.key.part.filter(|_| self.kind == QuestionKind::Question)?;
        Some((&self.key.request, part))
    }

    /// The quick answers that make sense here.
    #[must_use]
    pub const fn actions(&self) -> &'static [QuickAction] {
        match self.kind {
            _ if self.only_on_screen => &[],
            QuestionKind::Permission => QuickAction::ALL,
            QuestionKind::Plan | QuestionKind::Trust => &[QuickAction::Allow, QuickAction::Deny],
            QuestionKind::Question | QuestionKind::Other => &[],
        }
    }
}

impl Question {
    /// Whether an answer fits; if not, what would.
    pub fn check(&self, answer: &Answer) -> Result<(), UnfitAnswer> {
        let offered = || self.options.iter().map(|option| option.id.clone()).collect();
        match answer {
            _ if self.only_on_screen => Err(UnfitAnswer::OnlyOnScreen),
            Answer::Allow { .. } | Answer::AllowAll if self.actions().is_empty() => Err(UnfitAnswer::NoPermission),
            Answer::AllowAll if self.kind != QuestionKind::Permission => Err(UnfitAnswer::NoPermission),
            Answer::Options { chosen } => {
                if chosen.len() != 1 && !self.several {
                    return Err(UnfitAnswer::OneOption);
                }
                let known = |id: &String| self.options.iter().any(|option| option.id == *id);
                match chosen.iter().find(|id| !known(id)) {
                    Some(unknown) => Err(UnfitAnswer::NoSuchOption { unknown: unknown.clone(), offered: offered() }),
                    None => Ok(()),
                }
            }
            Answer::Text { .. } if !self.free_text => Err(UnfitAnswer::NoText),
            Answer::Text { text } if text.trim().is_empty() => Err(UnfitAnswer::Empty),
            Answer::Allow { .. } | Answer::AllowAll | Answer::Deny { .. } | Answer::Text { .. } => Ok(()),
        }
    }

    /// The option that a user means by its id, its label or its number, whatever the case.
    #[must_use]
    pub fn option(&self, text: &str) -> Option<&QuestionOption> {
        let number = text.parse::<usize>().ok().and_then(|number| self.options.get(number.checked_sub(1)?));
        let same =
            |option: &&QuestionOption| option.id.eq_ignore_ascii_case(text) || option.label.eq_ignore_ascii_case(text);
        self.options.iter().find(same).or(number)
    }
}

/// Why an answer does not fit its question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitAnswer {
    /// The keys that answer are not known.
    #[error("this can be answered only on the agent's own screen")]
    OnlyOnScreen,
    /// It is not a permission.
    #[error("this question is not a permission request")]
    NoPermission,
    /// Only one option may be chosen.
    #[error("exactly one option may be chosen")]
    OneOption,
    /// An option that is not offered.
    #[error("'{unknown}' is not offered; the options are {}", offered.join(", "))]
    NoSuchOption {
        /// What was chosen.
        unknown: String,
        /// What may be.
        offered: Vec<String>,
    },
    /// Free text is not accepted.
    #[error("this question does not accept free text")]
    NoText,
    /// A comment beside a permission.
    #[error("a permission does not accept a text with allow")]
    NoComment,
    /// Free text without any character.
    #[error("the answer is empty")]
    Empty,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_fits_or_is_told_what_would() {
        let option = |id: &str| QuestionOption { id: id.to_owned(), label: id.to_uppercase(), description: None };
        let question = Question {
            key: QuestionKey::whole("k"),
            kind: QuestionKind::Question,
            title: "t".to_owned(),
            detail: "d".to_owned(),
            options: vec![option("a"), option("b")],
            several: false,
            free_text: false,
            only_on_screen: false,
            tool: None,
        };
        let choose = |ids: &[&str]| Answer::Options { chosen: ids.iter().map(|id| (*id).to_owned()).collect() };
        assert_eq!(question.check(&choose(&["a"])), Ok(()));
        assert_eq!(question.check(&choose(&["a", "b"])), Err(UnfitAnswer::OneOption));
        assert!(matches!(question.check(&choose(&["c"])), Err(UnfitAnswer::NoSuchOption { .. })));
        assert_eq!(question.check(&Answer::Allow { message: None }), Err(UnfitAnswer::NoPermission));
        assert_eq!(question.check(&Answer::Text { text: "x".to_owned() }), Err(UnfitAnswer::NoText));
        assert_eq!(question.check(&Answer::Deny { message: None }), Ok(()));
        let several = Question { several: true, free_text: true, ..question.clone() };
        assert_eq!(several.check(&choose(&["a", "b"])), Ok(()));
        assert_eq!(several.check(&Answer::Text { text: "x".to_owned() }), Ok(()));
        assert_eq!(several.check(&Answer::Text { text: " \n".to_owned() }), Err(UnfitAnswer::Empty));
        let permission = Question { kind: QuestionKind::Permission, ..question };
        assert_eq!(permission.check(&Answer::AllowAll), Ok(()));
        for text in ["b", "B", "2"] {
            assert_eq!(permission.option(text).map(|option| option.id.as_str()), Some("b"));
        }
        assert_eq!(permission.option("3"), None);
    }

    #[test]
    fn only_questions_have_parts() {
        let text = r#"{"key":"ask-1/2","kind":"question","title":"","detail":"","options":[],"several":false,"free_text":true}"#;
        let mut question: Question = serde_json::from_str(text).unwrap();
        assert_eq!(question.part(), Some(("ask-1", 2)));
        assert_eq!(serde_json::to_string(&question).unwrap(), text);
        question.kind = QuestionKind::Permission;
        assert_eq!(question.part(), None);
    }
}
