//! What a conversation uses: tokens are reported for each turn, the cost for the whole session.

use agency_model::Usage;
use agent_client_protocol_schema::v1::Cost;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dollars;
use crate::json_lines::NotUnderstood;

/// What has been counted of the cost.
#[derive(Debug)]
pub(super) struct UsageTracker {
    /// The part that is counted already; unknown until the first report of a session that is resumed.
    counted: Option<f64>,
    /// All of it, where it is more than what is counted.
    total: Option<f64>,
}

#[derive(Deserialize)]
struct Ended {
    usage: Option<AcpTokens>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    quota: Option<Quota>,
}

#[derive(Deserialize)]
struct Quota {
    token_count: Option<TokenCount>,
}

/// Gemini's own count, from before the protocol had one.
#[derive(Deserialize)]
struct TokenCount {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// The protocol's count, which is not yet a stable part of it: every number may be missing.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AcpTokens {
    total_tokens: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    thought_tokens: Option<u64>,
    cached_read_tokens: Option<u64>,
    cached_write_tokens: Option<u64>,
}

impl UsageTracker {
    /// For a session that begins.
    pub(super) const fn nothing() -> Self {
        Self { counted: Some(0.0), total: None }
    }

    /// For a session that is resumed: what it cost before is not counted again.
    pub(super) const fn unknown() -> Self {
        Self { counted: None, total: None }
    }

    /// Takes a report of what the session has cost until now.
    pub(super) fn report_cost(&mut self, cost: &Cost) {
        if cost.currency != "USD" {
            return;
        }
        match self.counted {
            None => self.counted = Some(cost.amount),
            Some(_) => self.total = Some(cost.amount),
        }
    }

    /// What the turn with this result consumed.
    pub(super) fn turn(&mut self, result: Option<&RawValue>) -> Result<Usage, NotUnderstood> {
        let cost_usd = self.since_last();
        let ended = match result {
            Some(result) => serde_json::from_str(result.get())?,
            None => Ended { usage: None, meta: None },
        };
        let quota = ended.meta.and_then(|meta| meta.quota?.token_count).map(|count| AcpTokens {
            input_tokens: count.input_tokens,
            output_tokens: count.output_tokens,
            ..AcpTokens::default()
        });
        let tokens = ended.usage.or(quota).as_ref().map(counted).unwrap_or_default();
        Ok(Usage { cost_usd, ..tokens })
    }

    fn since_last(&mut self) -> Option<f64> {
        let total = self.total.take()?;
        let before = self.counted.replace(total).unwrap_or_default();
        Some(dollars(if total >= before { total - before } else { total }))
    }
}

/// Some agents count cached and thought tokens within the others, some beside them: the total shows which.
fn counted(tokens: &AcpTokens) -> Usage {
    let sum = |counts: [Option<u64>; 2]| counts.into_iter().flatten().reduce(u64::saturating_add);
    let AcpTokens { total_tokens, input_tokens, output_tokens, .. } = *tokens;
    let both = sum([input_tokens, output_tokens]).unwrap_or_default();
    let mut beside = total_tokens.unwrap_or_default().saturating_sub(both);
    let mut with = |count: Option<u64>, more: Option<u64>| match more {
        Some(more) if more <= beside => {
            beside -= more;
            sum([count, Some(more)])
        }
        Some(_) | None => count,
    };
    Usage {
        input_tokens: with(input_tokens, sum([tokens.cached_read_tokens, tokens.cached_write_tokens])),
        output_tokens: with(output_tokens, tokens.thought_tokens),
        cached_tokens: tokens.cached_read_tokens,
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(spent: &mut UsageTracker, result: &str) -> Usage {
        let result: &RawValue = serde_json::from_str(result).unwrap();
        spent.turn(Some(result)).unwrap()
    }

    #[test]
    fn the_cost_of_a_session_is_told_turn_by_turn() {
        let mut spent = UsageTracker::nothing();
        let mut cost = |amount| {
            spent.report_cost(&Cost::new(amount, "USD"));
            turn(&mut spent, "{}").cost_usd
        };
        assert_eq!([cost(0.1), cost(0.3), cost(0.3), cost(0.05)], [Some(0.1), Some(0.2), Some(0.0), Some(0.05)]);
        assert_eq!(turn(&mut spent, "{}").cost_usd, None);
        spent.report_cost(&Cost::new(7.0, "EUR"));
        assert_eq!(turn(&mut spent, "{}").cost_usd, None);
    }

    #[test]
    fn what_a_session_cost_before_is_not_counted_again() {
        let mut spent = UsageTracker::unknown();
        spent.report_cost(&Cost::new(5.0, "USD"));
        assert_eq!(turn(&mut spent, "{}").cost_usd, None);
        spent.report_cost(&Cost::new(5.5, "USD"));
        assert_eq!(turn(&mut spent, "{}").cost_usd, Some(0.5));
    }

    #[test]
    fn cached_tokens_are_counted_once_whatever_the_agent_counts_them_as() {
        let read = |text: &str| turn(&mut UsageTracker::nothing(), text);
        let beside = read(
            r#"{"usage":{"inputTokens":10,"outputTokens":5,"cachedReadTokens":80,"cachedWriteTokens":5,"totalTokens":100}}"#,
        );
        assert_eq!((beside.input_tokens, beside.output_tokens, beside.cached_tokens), (Some(95), Some(5), Some(80)));
        let within = read(
            r#"{"usage":{"inputTokens":95,"outputTokens":5,"cachedReadTokens":80,"thoughtTokens":3,"totalTokens":100}}"#,
        );
        assert_eq!((within.input_tokens, within.output_tokens, within.cached_tokens), (Some(95), Some(5), Some(80)));
        let quota = read(r#"{"_meta":{"quota":{"token_count":{"input_tokens":3,"output_tokens":4}}}}"#);
        assert_eq!((quota.input_tokens, quota.output_tokens), (Some(3), Some(4)));
    }
}
