//! The matrix: at which step who is killed, and what is true after `agency reconcile`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agency_system::fault::POINTS;

use super::act::{self, Act};

/// So many cases are played at once; most of their time they wait.
const AT_ONCE: usize = 4;

/// Where the supervisor of the run lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    Tmux,
    Detached,
}

impl Host {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Detached => "detached",
        }
    }
}

/// What is true of the run after `agency reconcile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It never became a run.
    Nothing,
    /// It is over.
    Ended { state: &'static str, exit_code: Option<i64>, error: Option<&'static str> },
    /// Only who asked died: the run goes on and can be stopped.
    Alive,
}

const DISAPPEARED: Left = Left::Ended { state: "failed", exit_code: None, error: Some("E_RUNNER_DISAPPEARED") };
const HOST_FAILED: Left = Left::Ended { state: "failed", exit_code: None, error: Some("E_HOST_START_FAILED") };
const COMPLETED: Left = Left::Ended { state: "completed", exit_code: Some(0), error: None };
const ONLY_EXIT_CODE: Left =
    Left::Ended { state: "completed", exit_code: Some(0), error: Some("the agent exited with code 0; its supervisor") };
const KILLED: Left = Left::Ended { state: "killed", exit_code: None, error: None };

/// Each step of each act, and what it leaves.
const MATRIX: &[(Act, &str, Left)] = &[
    (Act::Create, "run.locked", Left::Nothing),
    (Act::Create, "run.inserted", DISAPPEARED),
    (Act::Create, "run.files", DISAPPEARED),
    (Act::Create, "worktree.added", DISAPPEARED),
    (Act::Create, "run.workspace", DISAPPEARED),
    (Act::Create, "run.prompt", DISAPPEARED),
    (Act::Create, "run.hosted", DISAPPEARED),
    (Act::Create, "run.ordered", Left::Alive),
    (Act::Create, "run.reported", Left::Alive),
    (Act::Supervise, "supervise.locked", HOST_FAILED),
    (Act::Supervise, "supervise.ordered", HOST_FAILED),
    (Act::Supervise, "supervise.claimed", DISAPPEARED),
    (Act::Supervise, "supervise.spawning", DISAPPEARED),
    (Act::Supervise, "supervise.unnoted", DISAPPEARED),
    (Act::Supervise, "supervise.spawned", DISAPPEARED),
    (Act::Supervise, "supervise.reported", DISAPPEARED),
    (Act::SuperviseStop, "supervise.terminating", DISAPPEARED),
    (Act::Finish, "finish.begin", DISAPPEARED),
    (Act::Finish, "finish.exit_code", ONLY_EXIT_CODE),
    (Act::Finish, "finish.marked", COMPLETED),
    (Act::Finish, "finish.told", COMPLETED),
    (Act::Finish, "finish.saved", COMPLETED),
    (Act::Finish, "finish.forgotten", COMPLETED),
    (Act::StopQueued, "stop.recorded", KILLED),
    (Act::StopRunning, "stop.requested", KILLED),
    (Act::StopRunning, "stop.rung", KILLED),
    (Act::KillOrphan, "orphan.ended", DISAPPEARED),
    (Act::KillOrphan, "orphan.cleared", DISAPPEARED),
    (Act::Remove, "rm.begin", COMPLETED),
    (Act::Remove, "rm.processes", COMPLETED),
    (Act::Remove, "worktree.files-saved", COMPLETED),
    (Act::Remove, "worktree.saved", COMPLETED),
    (Act::Remove, "worktree.trashed", COMPLETED),
    (Act::Remove, "worktree.unregistered", COMPLETED),
    (Act::Remove, "worktree.checkpoints-deleted", COMPLETED),
    (Act::RemoveWithBranch, "worktree.branch-deleted", COMPLETED),
    (Act::RemoveNested, "worktree.files-saved", COMPLETED),
    (Act::RemoveNested, "worktree.saved", COMPLETED),
    (Act::RemoveNested, "kept.submodules", COMPLETED),
    (Act::RemoveNested, "kept.entry", COMPLETED),
    (Act::RemoveNested, "worktree.trashed", COMPLETED),
    (Act::RemoveNested, "worktree.unregistered", COMPLETED),
    (Act::Remove, "rm.workspace", COMPLETED),
    (Act::Remove, "rm.session", COMPLETED),
    (Act::Remove, "rm.marked", COMPLETED),
];

/// One play of the matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) act: Act,
    pub(super) point: &'static str,
    pub(super) left: Left,
    pub(super) host: Host,
}

impl Case {
    /// Whether the agent may have begun to work before its supervisor died.
    pub(super) fn may_have_worked(&self) -> bool {
        match self.act {
            Act::Supervise => self.point != "supervise.locked",
            Act::SuperviseStop | Act::Finish | Act::StopRunning | Act::KillOrphan => true,
            Act::Create | Act::StopQueued | Act::Remove | Act::RemoveWithBranch | Act::RemoveNested => false,
        }
    }
}

// proves L22, L21
#[test]
fn nothing_is_lost_or_left_when_a_creator_is_killed_at_any_step() {
    play(&[Act::Create]);
}

// proves L22, L21
#[test]
fn nothing_is_lost_or_left_when_a_supervisor_is_killed_at_any_step() {
    play(&[Act::Supervise, Act::SuperviseStop, Act::Finish]);
}

// proves L16, L21, L22
#[test]
fn nothing_is_lost_or_left_when_a_stop_is_killed_at_any_step() {
    play(&[Act::StopQueued, Act::StopRunning]);
}

// proves P13, L21, L22
#[test]
fn nothing_is_lost_or_left_when_the_killing_of_an_orphan_is_killed_at_any_step() {
    play(&[Act::KillOrphan]);
}

// proves L17, L21, L22
#[test]
fn nothing_is_lost_or_left_when_a_removal_is_killed_at_any_step() {
    play(&[Act::Remove, Act::RemoveWithBranch]);
}

// proves L17, L21, L22: what no ref can hold
#[test]
fn nothing_is_lost_or_left_when_a_removal_that_keeps_files_is_killed_at_any_step() {
    play(&[Act::RemoveNested]);
}

#[test]
fn every_fault_point_is_in_the_matrix_and_the_matrix_names_no_other() {
    let played: BTreeSet<&str> = MATRIX.iter().map(|(_, point, _)| *point).collect();
    // The steps of a conversation, of a review, of a landing, of a race, of a forecast, of gc and of an ask are played where those
    // are, those of jj, of a merge and of checkpoints with the workspaces, those of a session with the workflows, those of
    // old refs with the removal, those of reconciliation with the recovery, those of a setup with the worktrees.
    let topics = [
        "reconcile.",
        "ask.",
        "answer.",
        "tell.",
        "scratch.",
        "jj.",
        "merge.",
        "session.",
        "refs.",
        "forecast.",
        "review.",
        "land.",
        "trial.",
        "gc.",
        "race.",
        "checkpoint.",
        "restore.",
        "setup.",
    ];
    let elsewhere = |point: &&str| topics.iter().any(|topic| point.starts_with(topic));
    assert_eq!(played, POINTS.iter().copied().filter(|point| !elsewhere(point)).collect());
}

/// Plays every case of these acts in both hosts, a few at once, and names those that failed.
#[track_caller]
fn play(acts: &[Act]) {
    let cases: Vec<Case> = MATRIX
        .iter()
        .filter(|(act, _, _)| acts.contains(act))
        .flat_map(|&(act, point, left)| {
            let case = move |host| Case { act, point, left, host };
            [Host::Tmux, Host::Detached].map(case)
        })
        .collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(vec![]);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !play_one(case) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(*case);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(!cases.is_empty() && failed.is_empty(), "{failed:#?}");
}

/// Plays a case in a thread of its name, which a panic prints. The other cases are played all the same.
fn play_one(case: &Case) -> bool {
    let name = format!("{:?} in {} killed at {}", case.act, case.host.as_str(), case.point);
    thread::scope(|scope| {
        let played = thread::Builder::new().name(name).spawn_scoped(scope, || act::play(case));
        played.unwrap().join().is_ok()
    })
}
