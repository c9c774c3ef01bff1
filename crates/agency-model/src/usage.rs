//! What an agent has used, as its own protocol says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens and cost; a number that the agent never named is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read by the model, cached ones included where the agent counts them so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// The cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let count = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        let cost = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        Self {
            input_tokens: count(self.input_tokens, other.input_tokens),
            output_tokens: count(self.output_tokens, other.output_tokens),
            cached_tokens: count(self.cached_tokens, other.cached_tokens),
            cost_usd: cost,
        }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_adds_up_and_what_is_not_stays_unknown() {
        let one = Usage { input_tokens: Some(3), cost_usd: Some(0.5), ..Usage::default() };
        let two = Usage { input_tokens: Some(4), output_tokens: Some(1), ..Usage::default() };
        let both = one.plus(two);
        assert_eq!((both.input_tokens, both.output_tokens, both.cached_tokens), (Some(7), Some(1), None));
        assert_eq!(both.cost_usd, Some(0.5));
        assert!(Usage::default().plus(Usage::default()).is_empty());
    }
}
