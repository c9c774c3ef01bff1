//! Waiting for facts. This is the only place that sleeps.

use std::thread;
use std::time::{Duration, Instant};

/// How often a fact is checked.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks a fact until it is there and returns it; panics with the fact's name when the limit passes.
#[track_caller]
pub fn wait_for<T>(what: &str, limit: Duration, check: impl FnMut() -> Option<T>) -> T {
    match poll(limit, check) {
        Some(fact) => fact,
        None => panic!("after {limit:?} there was still not: {what}"),
    }
}

/// Checks a fact until it is there or the limit passes. The last check comes after the limit.
pub(crate) fn poll<T>(limit: Duration, mut check: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        let late = Instant::now() >= deadline;
        if let Some(fact) = check() {
            return Some(fact);
        }
        if late {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::wait_for;
    use std::time::Duration;

    #[test]
    fn a_fact_is_returned_as_soon_as_it_is_there() {
        let mut checks = 0;
        let fact = wait_for("three checks", Duration::from_secs(60), || {
            checks += 1;
            (checks == 3).then_some("fact")
        });
        assert_eq!((fact, checks), ("fact", 3));
    }

    #[test]
    #[should_panic(expected = "still not: snow in July")]
    fn a_fact_that_does_not_come_is_named() {
        wait_for("snow in July", Duration::from_millis(10), || None::<()>);
    }
}
