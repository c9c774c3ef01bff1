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
