//! The limits that Claude Code reports: those of the account, and that of the conversation's length.

use agency_model::Event;
use jiff::Timestamp;
use serde::Deserialize;

use crate::json_lines::NotUnderstood;

#[derive(Deserialize)]
struct RateLimit {
    rate_limit_info: Info,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    status: String,
    rate_limit_type: Option<String>,
    utilization: Option<f64>,
    resets_at: Option<f64>,
}

#[derive(Deserialize)]
struct Boundary {
    compact_metadata: Option<Metadata>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    trigger: Option<String>,
    pre_tokens: Option<u64>,
}

/// `rate_limit_event`
pub(super) fn rate_limit(object: &str) -> Result<Event, NotUnderstood> {
    let RateLimit { rate_limit_info: info } = serde_json::from_str(object)?;
    Ok(Event::RateLimit {
        status: info.status,
        limit: info.rate_limit_type,
        used: info.utilization.filter(|used| used.is_finite()),
        resets_at: info.resets_at.and_then(seconds),
    })
}

/// `compact_boundary`
pub(super) fn compacted(object: &str) -> Result<Event, NotUnderstood> {
    let Boundary { compact_metadata } = serde_json::from_str(object)?;
    let Metadata { trigger, pre_tokens } = compact_metadata.unwrap_or_default();
    Ok(Event::Compaction { trigger, tokens_before: pre_tokens })
}

/// A time in seconds; none for a number out of range.
#[expect(clippy::cast_possible_truncation, reason = "jiff refuses a number out of range")]
fn seconds(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_second(seconds as i64).ok()
}
