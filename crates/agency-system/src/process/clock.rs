//! The clock that limits are measured with.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long the machine has been awake since it started. Time in which it sleeps does not count, and setting the time
/// changes nothing. All processes of one start of the machine see the same clock.
#[must_use]
pub fn monotonic() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    Duration::from_secs(part(now.tv_sec)) + Duration::from_nanos(part(now.tv_nsec))
}
