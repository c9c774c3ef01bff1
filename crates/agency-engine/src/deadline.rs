//! Limits that callers choose.
//!
//! The one rule: every [`Duration`] is accepted. `Instant::now() + Duration::MAX` panics.

use std::time::Duration;

/// Longer than any process runs.
const MAX_WAIT: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// A limit that can be added to the time of now.
pub(crate) fn capped(limit: Duration) -> Duration {
    limit.min(MAX_WAIT)
}

/// So many minutes, in milliseconds. Only a test may shorten the minute.
#[cfg_attr(feature = "fault-points", expect(clippy::disallowed_methods, reason = "a test sets it by a variable"))]
pub(crate) fn milliseconds(minutes: u32) -> u64 {
    #[cfg(feature = "fault-points")]
    if let Some(minute) = std::env::var("AGENCY_MINUTE_MS").ok().and_then(|text| text.parse::<u64>().ok()) {
        return u64::from(minutes) * minute;
    }
    u64::from(minutes) * 60_000
}
