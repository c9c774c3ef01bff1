//! One rule, as it is written in a configuration or a run spec.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Action, CommandPattern, PathPattern, ToolPattern};
use crate::document::{Mistake, Reason};
use crate::nearest;

/// The keys that a rule may have.
pub const RULE_KEYS: &[&str] = &["name", "action", "tool", "command", "path", "message"];
/// A name stands in events and lists.
const MAX_NAME_CHARS: usize = 100;

/// What to do with permissions that match all of its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "UncheckedRule")]
#[schemars(!try_from, deny_unknown_fields)]
pub struct Rule {
    /// What events call it; without one it is called by its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = MAX_NAME_CHARS))]
    pub name: Option<String>,
    /// What it does.
    pub action: Action,
    /// The tools it is about: a name or a list of names, with `*` and `?`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ToolPattern")]
    pub tool: Option<ToolPattern>,
    /// The commands it is about: a list of words that they begin with, or one text with `*` and `?`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CommandPattern")]
    pub command: Option<CommandPattern>,
    /// The paths it is about: `inside`, `outside`, or a path below the workspace with `*`, `?` and `**`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PathPattern")]
    pub path: Option<PathPattern>,
    /// The message to the agent when it is denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub message: Option<String>,
}

/// A rule before it is checked as a whole.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a rule with an `action`")]
struct UncheckedRule {
    #[serde(default, deserialize_with = "given")]
    name: Option<String>,
    #[serde(deserialize_with = "action")]
    action: Action,
    #[serde(default, deserialize_with = "given")]
    tool: Option<ToolPattern>,
    #[serde(default, deserialize_with = "given")]
    command: Option<CommandPattern>,
    #[serde(default, deserialize_with = "given")]
    path: Option<PathPattern>,
    #[serde(default, deserialize_with = "given")]
    message: Option<String>,
}

/// Why a rule makes no sense as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRule {
    /// A name that cannot be shown.
    #[error("a name has 1 to {MAX_NAME_CHARS} characters on one line")]
    Name,
    /// What a command touches is not known.
    #[error("`command` and `path` exclude each other: which paths a command touches is not known from its words")]
    CommandAndPath,
    /// The message would have no receiver.
    #[error("`message` is sent to the agent with a `deny`; this rule does not deny")]
    Message,
}

impl TryFrom<UncheckedRule> for Rule {
    type Error = InvalidRule;

    fn try_from(written: UncheckedRule) -> Result<Self, Self::Error> {
        let UncheckedRule { name, action, tool, command, path, message } = written;
        let is_name = |name: &String| {
            !name.trim().is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control)
        };
        if !name.as_ref().is_none_or(is_name) {
            return Err(InvalidRule::Name);
        }
        if command.is_some() && path.is_some() {
            return Err(InvalidRule::CommandAndPath);
        }
        if message.is_some() && action != Action::Deny {
            return Err(InvalidRule::Message);
        }
        Ok(Self { name, action, tool, command, path, message })
    }
}

impl Rule {
    /// A rule that leaves everything to a user.
    #[must_use]
    pub fn ask_everything(name: &str) -> Self {
        let name = Some(name.to_owned());
        Self { name, action: Action::Ask, tool: None, command: None, path: None, message: None }
    }

    /// What it is called, as the rule with this index of a list.
    #[must_use]
    pub fn label(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("rule {}", index + 1))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = [
            self.tool.as_ref().map(|tool| format!("tool {tool}")),
            self.command.as_ref().map(|command| format!("command {command}")),
            self.path.as_ref().map(|path| format!("path `{path}`")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let about = if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") };
        write!(formatter, "{} {about}", self.action)
    }
}

/// Says what belongs into a rule without an action.
#[must_use]
pub fn with_missing_action(mistake: Mistake) -> Mistake {
    if mistake.reason != Reason::Missing || !mistake.field.ends_with("].action") {
        return mistake;
    }
    Mistake { message: "missing, expected `allow`, `deny` or `ask`".to_owned(), ..mistake }
}

/// Reads an action, and returns which one was probably meant.
fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse::<Action>().map_err(|_| {
        let remedy = match nearest(&word, Action::ALL.iter().map(|action| action.as_str())) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "use `allow`, `deny` or `ask`".to_owned(),
        };
        de::Error::custom(format!("{word:?} is not an action: {remedy}"))
    })
}

/// Reads a value that is left out or given, but never null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
