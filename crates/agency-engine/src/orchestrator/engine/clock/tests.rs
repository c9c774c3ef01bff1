//! Limits over drivers, starts of the machine and changes of its time.

use std::sync::Arc;

use agency_model::workflow::{StepResult, Task, parse_workflow};

use super::*;

const PLAN: &str = "name: w\ntimeout: 1h\nsteps:\n- {name: a, type: script, command: x, timeout: 10m}\n";
const MINUTE: u64 = 60_000;

fn minutes(minutes: u64) -> Duration {
    Duration::from_millis(minutes * MINUTE)
}

/// A session whose step `a` is under way.
struct Story(Vec<HistoryEntry>);

impl Story {
    fn begun(clock: Option<ClockReading>) -> Self {
        let task = Task::new("T", "");
        let mut story = Self(vec![]);
        story.tell(None, 0, Fact::SessionStarted { session: "s".to_owned(), goal: None, task });
        story.tell(clock, 0, Fact::StepStarted { path: StepPath::new("a"), attempt: 1, run_id: None });
        story
    }

    fn tell(&mut self, clock: Option<ClockReading>, wall: i64, fact: Fact) {
        let (seq, at) = (self.0.len() as u64 + 1, Timestamp::from_second(wall).unwrap());
        self.0.push(HistoryEntry { seq, at, clock, fact });
    }

    /// What is due for a driver that comes now and has worked so long.
    fn due(&self, drivers: &[i64], now: Now, driven: Duration) -> Result<Due, Option<Duration>> {
        let drivers: Vec<Timestamp> = drivers.iter().map(|at| Timestamp::from_second(*at).unwrap()).collect();
        let plan = Arc::new(parse_workflow("w.yaml", PLAN.as_bytes()).unwrap());
        let flow = Flow::replay(plan, &self.0).unwrap();
        let came = now.monotonic;
        let mut clock = Clock::new(&self.0, &drivers, now);
        clock.go_on_at(came, SessionState::Running);
        clock.look_at(clock.on_line(came + driven), &flow)
    }
}

fn reading(boot: &str, monotonic: u64, worked: u64) -> Option<ClockReading> {
    Some(ClockReading { boot: boot.to_owned(), monotonic_ms: monotonic * MINUTE, worked_ms: worked * MINUTE })
}

fn now(boot: &str, monotonic: u64, wall: i64) -> Now {
    Now { boot: boot.to_owned(), monotonic: minutes(monotonic), wall: Timestamp::from_second(wall).unwrap() }
}

fn step() -> Result<Due, Option<Duration>> {
    Ok(Due::Step(StepPath::new("a")))
}

#[test]
fn the_time_of_day_changes_no_limit() {
    let story = Story::begun(reading("one", 100, 0));
    for wall in [-1_000_000_000, 0, 1_000_000_000] {
        assert_eq!(story.due(&[wall], now("one", 104, wall), minutes(1)), Err(Some(minutes(5))), "{wall}");
        assert_eq!(story.due(&[wall], now("one", 104, wall), minutes(6)), step(), "{wall}");
    }
}

#[test]
fn a_driver_that_comes_back_goes_on_with_the_time_that_is_used_up() {
    let mut story = Story::begun(reading("one", 100, 58));
    assert_eq!(story.due(&[], now("one", 100, 0), minutes(1)), Err(Some(minutes(1))));
    assert_eq!(story.due(&[], now("one", 100, 0), minutes(2)), Ok(Due::Session));
    // Time without a driver does not count for the session; the step ran without one.
    assert_eq!(story.due(&[], now("one", 108, 0), minutes(1)), Err(Some(minutes(1))));
    assert_eq!(story.due(&[], now("one", 110, 0), Duration::ZERO), step());
    // Both begin anew with a retry.
    story.tell(reading("one", 109, 60), 0, Fact::SessionTimedOut);
    let result = StepResult::failure("x");
    story.tell(reading("one", 109, 60), 0, Fact::StepEnded { path: StepPath::new("a"), attempt: 1, result });
    let state = SessionState::Failed;
    story.tell(reading("one", 109, 60), 0, Fact::SessionEnded { state, reason: None });
    story.tell(reading("one", 200, 0), 0, Fact::RetryAsked { from: None });
    assert_eq!(story.due(&[], now("one", 201, 0), minutes(1)), Err(Some(minutes(59))));
}

#[test]
fn the_time_between_two_starts_of_the_machine_does_not_count() {
    let mut story = Story::begun(reading("one", 1000, 0));
    story.tell(reading("one", 1004, 4), 0, Fact::CompletionAsked { path: StepPath::new("a") });
    assert_eq!(story.due(&[], now("two", 1, 1_000_000), minutes(5)), Err(Some(minutes(1))));
    assert_eq!(story.due(&[], now("two", 1, 1_000_000), minutes(6)), step());
}

#[test]
fn facts_of_older_versions_are_measured_by_their_times() {
    let mut story = Story::begun(None);
    assert_eq!(story.due(&[0], now("one", 7, 240), minutes(1)), Err(Some(minutes(5))));
    story.tell(None, 55 * 60, Fact::CompletionAsked { path: StepPath::new("a") });
    assert_eq!(story.due(&[0], now("one", 7, 55 * 60), Duration::ZERO), step());
    // Of the session, 55 minutes are used up; the first driver came at once, or a second one only at the end.
    let plan = Arc::new(parse_workflow("w.yaml", PLAN.replace(", timeout: 10m", ", timeout: 9h").as_bytes()).unwrap());
    let flow = Flow::replay(plan, &story.0).unwrap();
    for (drivers, left) in [(&[0][..], 5), (&[0, 54 * 60], 59)] {
        let drivers: Vec<Timestamp> = drivers.iter().map(|at| Timestamp::from_second(*at).unwrap()).collect();
        let mut clock = Clock::new(&story.0, &drivers, now("one", 7, 90 * 60));
        clock.go_on_at(minutes(7), SessionState::Running);
        assert_eq!(clock.look_at(clock.came, &flow), Err(Some(minutes(left))));
    }
}

#[test]
fn a_question_stops_the_clock_of_the_session() {
    let story = Story::begun(reading("one", 100, 10));
    let plan = Arc::new(parse_workflow("w.yaml", PLAN.replace(", timeout: 10m", ", timeout: 9h").as_bytes()).unwrap());
    let flow = Flow::replay(plan, &story.0).unwrap();
    let mut clock = Clock::new(&story.0, &[], now("one", 100, 0));
    clock.go_on_at(minutes(100), SessionState::Running);
    clock.go_on_at(minutes(110), SessionState::Waiting);
    clock.go_on_at(minutes(200), SessionState::Running);
    assert_eq!(clock.look_at(clock.on_line(minutes(201)), &flow), Err(Some(minutes(39))));
}
