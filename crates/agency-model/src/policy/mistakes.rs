//! Every mistake in a list of rules, not only the first.

use serde::Deserialize;
use serde_json::Value;

use super::rule::action;
use super::{CommandPattern, PathPattern, RULE_KEYS, Rule, ToolPattern};
use crate::nearest;

/// One step from the list of rules to what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MistakeSegment {
    /// A rule, counted from 0.
    Rule(usize),
    /// A key of it.
    Key(String),
}

/// Something that is wrong with a list of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub steps: Vec<MistakeSegment>,
    /// Whether it is about the key, and not about its value.
    pub of_key: bool,
    /// What.
    pub message: String,
}

/// Every mistake in what is to be a list of rules, in its order.
#[must_use]
pub fn mistakes_in(rules: &Value) -> Vec<Mistake> {
    let Some(rules) = rules.as_array() else {
        return vec![Mistake { steps: vec![], of_key: false, message: "expected a list of rules".to_owned() }];
    };
    rules.iter().enumerate().flat_map(|(index, rule)| mistakes_in_rule(index, rule)).collect()
}

fn mistakes_in_rule(index: usize, rule: &Value) -> Vec<Mistake> {
    let whole = |message: String| Mistake { steps: vec![MistakeSegment::Rule(index)], of_key: false, message };
    let Some(fields) = rule.as_object() else {
        return vec![whole("expected a table, such as { action = \"ask\" }".to_owned())];
    };
    let mut found: Vec<Mistake> =
        fields.iter().filter_map(|(key, value)| mistake_in_field(index, key, value)).collect();
    if !fields.contains_key("action") {
        found.push(whole("`action` is missing: `allow`, `deny` or `ask`".to_owned()));
    }
    if found.is_empty() {
        // Each key is right by itself; the rule as a whole may still make no sense.
        found.extend(Rule::deserialize(rule).err().map(|error| whole(error.to_string())));
    }
    found
}

fn mistake_in_field(index: usize, key: &str, value: &Value) -> Option<Mistake> {
    let steps = vec![MistakeSegment::Rule(index), MistakeSegment::Key(key.to_owned())];
    let message = match key {
        "name" | "message" => String::deserialize(value).err()?.to_string(),
        "action" => action(value).err()?.to_string(),
        "tool" => ToolPattern::deserialize(value).err()?.to_string(),
        "command" => CommandPattern::deserialize(value).err()?.to_string(),
        "path" => PathPattern::deserialize(value).err()?.to_string(),
        unknown => {
            let remedy = match nearest(unknown, RULE_KEYS.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("a rule has `{}`", RULE_KEYS.join("`, `")),
            };
            return Some(Mistake { steps, of_key: true, message: format!("unknown key `{unknown}`: {remedy}") });
        }
    };
    Some(Mistake { steps, of_key: false, message })
}
