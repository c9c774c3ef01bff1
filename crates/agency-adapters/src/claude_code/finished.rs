//! The end of a turn of Claude Code: how it ended, and what it has used.

use std::collections::BTreeMap;

use agency_model::{Event, Usage};
use serde::Deserialize;

use super::stream::Claude;
use crate::{Outcome, StreamItem, dollars};

#[derive(Deserialize)]
pub(super) struct Finished {
    is_error: Option<bool>,
    result: Option<String>,
    errors: Option<Vec<String>>,
    usage: Option<ClaudeTokens>,
    total_cost_usd: Option<f64>,
    model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
}

#[derive(Clone, Copy, Deserialize)]
struct ClaudeTokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// What one model was used for, by the agent and its sub-agents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelUsage {
    #[serde(rename = "costUSD")]
    cost_usd: f64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Claude {
    /// A turn is over.
    pub(super) fn result(&mut self, subtype: &str, finished: Finished, items: &mut Vec<StreamItem>) {
        let cost_usd = self.cost(&finished);
        if let Some(tokens) = finished.tokens() {
            let cached = tokens.cache_read_input_tokens;
            let read = [tokens.input_tokens, tokens.cache_creation_input_tokens, cached];
            items.push(StreamItem::Event(Event::Usage(Usage {
                input_tokens: read.into_iter().flatten().reduce(u64::saturating_add),
                output_tokens: tokens.output_tokens,
                cached_tokens: cached,
                cost_usd,
            })));
        }
        if subtype == "success" && finished.is_error != Some(true) {
            items.push(StreamItem::Result(Outcome::success(finished.result)));
            return;
        }
        let errors = finished.errors.filter(|errors| !errors.is_empty());
        let error = finished.result.or(errors.map(|errors| errors.join("; ")));
        let message = error.unwrap_or_else(|| subtype.to_owned());
        // An error of the model's server comes as a success whose result is the error, and was said before.
        if subtype != "success" {
            items.push(StreamItem::Event(Event::Error { message: message.clone() }));
        }
        items.push(StreamItem::Result(Outcome::failure(message)));
    }

    /// The tokens are those of the turn, the cost is that of the conversation, also before this process.
    fn cost(&mut self, finished: &Finished) -> Option<f64> {
        let total = finished.total_cost_usd?;
        let before = std::mem::replace(&mut self.total_cost, total);
        let cost = match &finished.model_usage_since_last_result {
            Some(models) => models.values().fold(0.0, |sum, model| sum + model.cost_usd),
            None if total >= before => total - before,
            None => total,
        };
        Some(dollars(cost))
    }
}

impl Finished {
    /// What was used since the last result. `usage` has only what the agent itself used, the models also count its
    /// sub-agents.
    fn tokens(&self) -> Option<ClaudeTokens> {
        let models = self.model_usage_since_last_result.as_ref().filter(|models| !models.is_empty());
        let Some(models) = models else { return self.usage };
        let sum = |count: fn(&ModelUsage) -> Option<u64>| models.values().filter_map(count).reduce(u64::saturating_add);
        Some(ClaudeTokens {
            input_tokens: sum(|model| model.input_tokens),
            cache_creation_input_tokens: sum(|model| model.cache_creation_input_tokens),
            cache_read_input_tokens: sum(|model| model.cache_read_input_tokens),
            output_tokens: sum(|model| model.output_tokens),
        })
    }
}
