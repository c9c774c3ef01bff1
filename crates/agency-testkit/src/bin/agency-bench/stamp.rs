//! Moments that two processes can compare.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time since the machine started, which every process reads from the same clock.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// A moment as it travels from an agent to the benchmark.
pub(crate) fn to_bytes(moment: Duration) -> [u8; 16] {
    moment.as_nanos().to_be_bytes()
}

/// The moment in those bytes.
pub(crate) fn from_bytes(bytes: [u8; 16]) -> Duration {
    Duration::from_nanos(u64::try_from(u128::from_be_bytes(bytes)).unwrap())
}
