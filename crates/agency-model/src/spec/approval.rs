//! The rules of a stored spec.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy::Rule;

/// What a stored spec has as its `approval_policy`. Earlier versions stored whatever was there, and later ones may know
/// rules that this one does not: such a spec can be read, and its run asks about everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StoredRules {
    /// Rules.
    Rules(Vec<Rule>),
    /// Something else.
    Other(Value),
}

impl Default for StoredRules {
    fn default() -> Self {
        Self::Rules(vec![])
    }
}

impl StoredRules {
    /// Whether there is nothing to store.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Rules(rules) if rules.is_empty())
    }

    /// The rules to go by.
    #[must_use]
    pub fn rules(&self) -> Cow<'_, [Rule]> {
        match self {
            Self::Rules(rules) => Cow::Borrowed(rules),
            Self::Other(Value::Null) => Cow::Borrowed(&[]),
            Self::Other(_) => Cow::Owned(vec![Rule::ask_everything(
                "ask-everything, since the spec has no rules that are understood",
            )]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_other_versions_stored_is_read_and_asked_about() {
        let read = |value: Value| serde_json::from_value::<StoredRules>(value).unwrap();
        assert_eq!(read(json!([{ "action": "allow" }])).rules().len(), 1);
        assert!(read(json!([])).is_empty());
        assert!(read(json!(null)).rules().is_empty());
        for other in [json!({ "default": "ask" }), json!("strict"), json!([{ "action": "allow", "after": "dusk" }])] {
            let stored = read(other.clone());
            assert_eq!(stored.rules().len(), 1, "{other}");
            assert_eq!(serde_json::to_value(&stored).unwrap(), other);
        }
    }
}
