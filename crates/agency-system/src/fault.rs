//! Named steps at which a test can kill the process, to prove that a crash there loses nothing.
//!
//! The one rule: without the feature `fault-points` this is nothing at all.

#![cfg_attr(
    feature = "fault-points",
    expect(clippy::disallowed_methods, reason = "tests set fault points by variables")
)]

/// Every step that can be named in `AGENCY_FAULT_POINT`.
#[cfg(feature = "fault-points")]
pub const POINTS: &[&str] = &[
    "run.locked",
    "run.inserted",
    "run.files",
    "worktree.added",
    "jj.added",
    "run.workspace",
    "run.prompt",
    "run.hosted",
    "run.ordered",
    "run.reported",
    "supervise.locked",
    "supervise.ordered",
    "supervise.claimed",
    "supervise.spawning",
    "supervise.unnoted",
    "supervise.spawned",
    "supervise.reported",
    "supervise.terminating",
    "reconcile.adopted",
    "reconcile.settled",
    "finish.begin",
    "finish.exit_code",
    "finish.marked",
    "finish.told",
    "finish.saved",
    "finish.forgotten",
    "stop.recorded",
    "stop.requested",
    "stop.rung",
    "orphan.ended",
    "orphan.cleared",
    "gc.checked",
    "gc.removed",
    "rm.begin",
    "rm.processes",
    "worktree.files-saved",
    "worktree.saved",
    "kept.entry",
    "kept.submodules",
    "worktree.trashed",
    "worktree.unregistered",
    "worktree.checkpoints-deleted",
    "worktree.branch-deleted",
    "jj.copied",
    "jj.saved",
    "jj.trashed",
    "jj.forgotten",
    "rm.workspace",
    "rm.session",
    "rm.marked",
    "refs.moved",
    "refs.noted",
    "ask.heard",
    "ask.stored",
    "answer.begin",
    "answer.recorded",
    "answer.delivering",
    "answer.written",
    "answer.delivered",
    "tell.requested",
    "tell.taken",
    "review.claimed",
    "review.sent",
    "review.delivered",
    "review.approved",
    "race.stored",
    "race.created",
    "race.verified",
    "race.saved",
    "merge.committed",
    "merge.tried",
    "merge.made",
    "merge.checked",
    "merge.recorded",
    "merge.saved",
    "merge.cleared",
    "merge.updated",
    "merge.moved",
    "forecast.kept",
    "forecast.reported",
    "trial.checked_out",
    "land.begin",
    "land.committed",
    "land.checked",
    "land.intended",
    "land.moved",
    "land.stored",
    "land.recorded",
    "checkpoint.recorded",
    "checkpoint.committed",
    "checkpoint.stored",
    "restore.saved",
    "restore.changed",
    "restore.moved",
    "scratch.filled",
    "scratch.gone",
    "session.made",
    "session.hosted",
    "session.saved",
    "setup.copied",
    "setup.linked",
    "setup.command",
    "setup.executed",
    "setup.done",
    "setup.torn_down",
];

/// Kills this process, as a power cut would, when `AGENCY_FAULT_POINT` names this step: the first time that it comes
/// there, or the one that `AGENCY_FAULT_TIMES` counts. `AGENCY_FAULT_WITNESS` may name a file that proves that the step
/// was reached.
#[cfg(feature = "fault-points")]
pub fn point(name: &'static str) {
    use rustix::process::{Signal, getpid, kill_process};
    use std::io::Write;
    use std::sync::atomic::{AtomicU32, Ordering};
    static PASSED: AtomicU32 = AtomicU32::new(0);
    if std::env::var_os("AGENCY_FAULT_POINT").is_some_and(|wanted| wanted == name) {
        let times = std::env::var("AGENCY_FAULT_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
        if PASSED.fetch_add(1, Ordering::Relaxed) + 1 < times {
            return;
        }
        if let Some(witness) = std::env::var_os("AGENCY_FAULT_WITNESS") {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(witness);
            // A test that finds no witness fails.
            let _ = file.and_then(|mut file| writeln!(file, "{name}"));
        }
        let _ = kill_process(getpid(), Signal::KILL);
        // The signal may reach another thread first; nothing may happen after this step.
        loop {
            std::thread::park();
        }
    }
}

/// Does nothing: this build has no fault points.
#[cfg(not(feature = "fault-points"))]
#[inline]
pub fn point(_name: &'static str) {}

/// Panics when `AGENCY_PANIC_POINT` names this step, to prove what a bug leaves behind.
#[cfg(feature = "fault-points")]
#[expect(clippy::panic, reason = "that is what it is for, and no released program has it")]
pub fn panic_point(name: &'static str) {
    if std::env::var_os("AGENCY_PANIC_POINT").is_some_and(|wanted| wanted == name) {
        panic!("the step {name} panics on request");
    }
}

/// Does nothing: this build has no fault points.
#[cfg(not(feature = "fault-points"))]
#[inline]
pub fn panic_point(_name: &'static str) {}

/// Shifts the time of day by so many seconds as the file says that `AGENCY_FAULT_CLOCK` names, as a user who sets the
/// clock of the machine does.
#[cfg(feature = "fault-points")]
pub fn shifted(now: jiff::Timestamp) -> jiff::Timestamp {
    let file = std::env::var_os("AGENCY_FAULT_CLOCK").and_then(|file| std::fs::read_to_string(file).ok());
    let seconds: Option<i64> = file.and_then(|text| text.trim().parse().ok());
    seconds.map_or(now, |seconds| now + jiff::SignedDuration::from_secs(seconds))
}

/// Changes nothing: this build has no fault points.
#[cfg(not(feature = "fault-points"))]
#[inline]
pub const fn shifted(now: jiff::Timestamp) -> jiff::Timestamp {
    now
}
