//! The approval policy: rules that answer permissions in place of a user.
//!
//! The one rule: an `allow` has to be certain, a `deny` or an `ask` only possible. What cannot be read, resolved or
//! understood is never allowed by a rule about it, and a permission that no rule decides is asked.

mod command;
mod facts;
mod glob;
mod paths;
mod pattern;
mod rule;
mod shell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use paths::{Ground, PathKind};
pub use pattern::{Below, CommandPattern, InvalidPattern, PathPattern, ToolPattern};
pub use rule::{InvalidRule, RULE_KEYS, Rule, with_missing_action};

use crate::string_enum::string_enum;
use crate::{Answer, Question, QuestionKind};
use command::{Command, Part};
use facts::{Facts, Fit};

string_enum! {
    /// What a rule does.
    Action {
        /// The agent may, without a user.
        Allow = "allow",
        /// The agent may not, without a user.
        Deny = "deny",
        /// A user decides.
        Ask = "ask",
    }
}

/// Rules in their order: the first that is about a permission decides it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Policy {
    /// The rules.
    pub rules: Vec<Rule>,
}

/// What a policy says to a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is to be done.
    pub action: Action,
    /// The rules that say so, by their names or as `rule 3`; none if no rule matches.
    pub rule: Option<String>,
    /// The reason, as text.
    pub why: String,
    /// The message to the agent if it is denied.
    pub message: Option<String>,
}

impl Policy {
    /// The rules of a run: first those of its spec, then those of the configuration.
    #[must_use]
    pub fn of_run(spec: &[Rule], configuration: &Self) -> Self {
        let named = |rules: &[Rule], of: &'static str| {
            let name = |(index, rule): (usize, &Rule)| {
                let name = rule.name.clone().unwrap_or_else(|| format!("rule {} of the {of}", index + 1));
                Rule { name: Some(name), ..rule.clone() }
            };
            rules.iter().enumerate().map(name).collect::<Vec<Rule>>()
        };
        Self { rules: [named(spec, "spec"), named(&configuration.rules, "configuration")].concat() }
    }

    /// What the rules say to a question. Only permissions are for rules; all else is for a user.
    #[must_use]
    pub fn decide(&self, question: &Question, ground: &Ground<'_>) -> Decision {
        if question.kind != QuestionKind::Permission {
            return asked("only permissions are decided by rules".to_owned());
        }
        let facts = Facts::of(question, ground);
        let Some(command) = &facts.command else {
            return match self.first(&facts, None) {
                Some((index, Fit::Is)) => self.decision(&[index], ""),
                Some((index, Fit::MayBe)) => self.asked_for_want_of_facts(index),
                None => asked("no rule matches".to_owned()),
            };
        };
        let first = |part| self.first(&facts, Some((command, part)));
        let decided: Vec<(&Part, Option<(usize, Fit)>)> =
            command.parts.iter().map(|part| (part, first(part))).collect();
        let about = |part: &Part| if decided.len() > 1 { format!("`{}`: ", part.text()) } else { String::new() };
        let action = |first: Option<(usize, Fit)>| match first {
            Some((index, Fit::Is)) => self.rules.get(index).map_or(Action::Ask, |rule| rule.action),
            Some((_, Fit::MayBe)) | None => Action::Ask,
        };
        // The strictest part decides for all.
        for strict in [Action::Deny, Action::Ask] {
            match decided.iter().find(|(_, first)| action(*first) == strict) {
                Some((part, Some((index, Fit::Is)))) => return self.decision(&[*index], &about(part)),
                Some((_, Some((index, Fit::MayBe)))) => return self.asked_for_want_of_facts(*index),
                Some((part, None)) => {
                    let unclear = command.unclear.map_or_else(String::new, |why| format!("; {why}"));
                    return asked(format!("{}no rule matches{unclear}", about(part)));
                }
                None => {}
            }
        }
        let mut rules: Vec<usize> = decided.iter().filter_map(|(_, first)| Some((*first)?.0)).collect();
        rules.sort_unstable();
        rules.dedup();
        self.decision(&rules, "")
    }

    /// The first rule that is about this, or may be.
    fn first(&self, facts: &Facts<'_>, part: Option<(&Command, &Part)>) -> Option<(usize, Fit)> {
        self.rules.iter().enumerate().find_map(|(index, rule)| Some((index, facts.fit(rule, part)?)))
    }

    /// A rule may be about what the agent did not report: neither it nor any rule after it can decide.
    fn asked_for_want_of_facts(&self, index: usize) -> Decision {
        let mut decision = self.decision(&[index], "");
        decision.why = format!("the agent did not report the exact action, which may match: {}", decision.why);
        Decision { action: Action::Ask, message: None, ..decision }
    }

    fn decision(&self, indices: &[usize], about: &str) -> Decision {
        let rules: Vec<(String, &Rule)> =
            indices.iter().filter_map(|index| self.rules.get(*index).map(|rule| (rule.label(*index), rule))).collect();
        let Some((first, rule)) = rules.first() else {
            return asked("no rule matches".to_owned());
        };
        let mut labels: Vec<&str> = rules.iter().map(|(label, _)| label.as_str()).collect();
        labels.dedup();
        let why: Vec<String> = rules.iter().map(|(_, rule)| rule.to_string()).collect();
        let told = || rule.message.clone().unwrap_or_else(|| format!("The approval policy denies this ({first})."));
        Decision {
            action: rule.action,
            rule: Some(labels.join(", ")),
            why: format!("{about}{}", why.join("; ")),
            message: (rule.action == Action::Deny).then(told),
        }
    }
}

fn asked(why: String) -> Decision {
    Decision { action: Action::Ask, rule: None, why, message: None }
}

impl Decision {
    /// The answer for the agent; none if a user has to decide.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        match self.action {
            Action::Allow => Some(Answer::Allow { message: None }),
            Action::Deny => Some(Answer::Deny { message: self.message.clone() }),
            Action::Ask => None,
        }
    }

    /// Who decided, as events and the inbox name it.
    #[must_use]
    pub fn by(&self) -> String {
        match self.rule.as_deref() {
            Some(rule) if rule.starts_with("rule ") => rule.to_owned(),
            Some(rule) => format!("rule {rule}"),
            None => "no rule".to_owned(),
        }
    }
}

/// The tool and what it would do, on one line.
#[must_use]
pub fn in_short(question: &Question) -> String {
    let given = |name: &str| question.tool.as_ref()?.input.get(name)?.as_str();
    let what = ["command", "file_path", "path", "notebook_path", "url"].into_iter().find_map(given);
    what.or_else(|| question.detail.lines().next()).unwrap_or(&question.title).to_owned()
}

#[cfg(test)]
mod tests;
