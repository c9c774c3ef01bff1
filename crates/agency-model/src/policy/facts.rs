//! What a question says that rules can be about.

use serde_json::Value;

use super::Action;
use super::command::{COMMANDS, Command, Part};
use super::paths::{Ground, Places};
use super::rule::Rule;
use crate::Question;

/// The fields of what an agent shows without the exact input: a heading, or a part of a screen. It
/// may be shortened, wrapped or chosen by the agent.
const SHOWN: &[&str] = &["title", "shown"];

/// What a question says that rules can be about.
pub(super) struct Facts<'a> {
    tool: Option<&'a str>,
    pub(super) command: Option<Command>,
    places: Places,
    /// Whether the agent reported the input of the tool.
    input_reported: bool,
}

/// How a rule is about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is about it: for certain if it allows, as far as can be determined if not.
    Is,
    /// It may be about what the agent did not report.
    MayBe,
}

impl<'a> Facts<'a> {
    pub(super) fn of(question: &'a Question, ground: &Ground<'_>) -> Self {
        let tool = question.tool.as_ref();
        let name = tool.map(|tool| tool.name.as_str()).filter(|name| !name.trim().is_empty());
        let input_reported = tool.is_some_and(|tool| is_input(&tool.input));
        let input = tool.filter(|_| input_reported).and_then(|tool| tool.input.as_object());
        let command = input.and_then(|input| Command::of(name.unwrap_or_default(), input, ground));
        let has_command = command.as_ref().is_some_and(|command| command.known);
        let mut places = input.map(|input| Places::of(input, has_command, ground)).unwrap_or_default();
        places.block(tool.and_then(|tool| tool.blocked_path.as_ref()), ground);
        Self { tool: name, command, places, input_reported }
    }

    /// Whether a rule is about this, or about this part of a command.
    pub(super) fn fit(&self, rule: &Rule, part: Option<(&Command, &Part)>) -> Option<Fit> {
        let certain = rule.action == Action::Allow;
        let tool = match (&rule.tool, self.tool) {
            (None, _) => Fit::Is,
            (Some(pattern), Some(name)) => pattern.fits(name).then_some(Fit::Is)?,
            (Some(_), None) => Fit::MayBe,
        };
        let of_input = rule.command.is_some() || rule.path.is_some();
        let fit = if of_input && !self.input_reported { Fit::MayBe } else { tool };
        match fit {
            Fit::MayBe => (!certain).then_some(Fit::MayBe),
            Fit::Is => self.of_command(rule, part).filter(|_| self.is_path(rule)),
        }
    }

    fn of_command(&self, rule: &Rule, part: Option<(&Command, &Part)>) -> Option<Fit> {
        let Some(pattern) = &rule.command else { return Some(Fit::Is) };
        let (command, part) = part?;
        let fits = match rule.action {
            Action::Allow => command.is(part, pattern) && self.places.blocks_nothing_outside(),
            Action::Deny | Action::Ask => part.may_be(pattern),
        };
        match (fits, rule.action) {
            (true, _) => Some(Fit::Is),
            (false, Action::Deny | Action::Ask) if !command.known => Some(Fit::MayBe),
            (false, _) => None,
        }
    }

    fn is_path(&self, rule: &Rule) -> bool {
        rule.path.as_ref().is_none_or(|pattern| match rule.action {
            // Which other paths a command touches is not known.
            Action::Allow => self.command.is_none() && self.places.are(pattern),
            Action::Deny | Action::Ask => self.places.may_be(pattern),
        })
    }
}

/// Whether this is what a tool is given, and not only what is shown of it.
fn is_input(input: &Value) -> bool {
    match input {
        // A tool that takes nothing.
        Value::Object(fields) if fields.is_empty() => true,
        // A tool that runs a command, which the agent leaves out.
        Value::Object(fields) if COMMANDS.iter().any(|name| fields.get(*name).is_some_and(Value::is_null)) => {
            COMMANDS.iter().any(|name| fields.get(*name).is_some_and(|value| !value.is_null()))
        }
        Value::Object(fields) => fields.iter().any(|(name, value)| !SHOWN.contains(&name.as_str()) && !value.is_null()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}
