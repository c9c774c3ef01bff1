//! Verifies the work of each run of a race, one after the other: test suites that run at the same time make each other fail.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{RunId, WorkEvent};
use agency_system::fault;
use agency_system::process::RUN_ID_VARIABLE;
use agency_workspace::{MergeError, TrialTree};

use super::RaceError;
use crate::agency::Agency;
use crate::home::create_private_directory;
use crate::land::{CheckEnd, empty_log, marker_of};
use crate::runs::remove::RemoveError;
use crate::store::{RaceResult, RaceRow, RunRow};
use crate::worktree::{OwnChild, ShellCommand, end_all};

/// How often an interrupt by the user is looked for while runs are waited for.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);
/// How long another process may hold the tree for a moment.
const TREE_TIMEOUT: Duration = Duration::from_secs(2);

/// How work is verified.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct VerifyRequest {
    /// How long the command may take for each run.
    pub limit: Duration,
    /// The environment of the command.
    pub environment: BTreeMap<OsString, OsString>,
}

impl VerifyRequest {
    /// Half an hour for each run, with the environment of this process.
    #[must_use]
    pub fn new() -> Self {
        Self { limit: Duration::from_secs(30 * 60), environment: crate::config::environment_of_process() }
    }
}

impl Default for VerifyRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// What happens in a race.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RaceProgress<'a> {
    /// A run has ended.
    Ended {
        /// The run.
        run: &'a RunRow,
        /// How many are still at work.
        left: usize,
    },
    /// The command begins.
    VerifyBegins {
        /// The run.
        run: &'a RunRow,
        /// The command.
        command: &'a str,
    },
    /// The command has ended.
    Verified {
        /// The run.
        run: &'a RunRow,
        /// What it showed.
        result: &'a RaceResult,
    },
}

impl Agency {
    /// Waits until all runs of a race have ended. An interrupt leaves them running.
    pub fn wait_for_race(
        &mut self,
        race: &RaceRow,
        progress: &mut dyn FnMut(RaceProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<(), RaceError> {
        let mut left: Vec<RunId> =
            self.runs_of_race(race)?.iter().filter(|row| Self::is_racing(row)).map(|row| row.id.clone()).collect();
        while let Some(first) = left.first().cloned() {
            if stop.load(Ordering::Relaxed) {
                return Err(RaceError::Interrupted);
            }
            self.wait(&first, Some(WAIT_INTERVAL), State::is_terminal)?;
            for run in self.runs_of_race(race)? {
                if let Some(at) = left.iter().position(|id| *id == run.id).filter(|_| !Self::is_racing(&run)) {
                    left.remove(at);
                    progress(RaceProgress::Ended { run: &run, left: left.len() });
                }
            }
        }
        Ok(())
    }

    /// Verifies the work of all runs of a race that have ended, unless it was verified as it is. The command executes code
    /// that agents wrote.
    pub fn verify_race(
        &mut self,
        race: &RaceRow,
        request: &VerifyRequest,
        progress: &mut dyn FnMut(RaceProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<(), RaceError> {
        let Some(command) = &race.verify else { return Ok(()) };
        let mut runs = self.runs_of_race(race)?;
        runs.retain(|run| run.state.is_terminal() && run.removed_at.is_none() && run.started_at.is_some());
        let place = self.home.trials().join(&race.id);
        let tree = TrialTree::open(&place, race.repo_path.as_ref(), TREE_TIMEOUT)?;
        let tree = tree.ok_or_else(|| RaceError::Busy(race.id.clone()))?;
        // Of a process that was killed.
        end_all(marker_of(&tree));
        for run in &runs {
            if stop.load(Ordering::Relaxed) {
                return Err(RaceError::Interrupted);
            }
            let attempt = Verification { race, request, command, tree: &tree, stop };
            attempt.verify(self, run, progress)?;
        }
        Ok(tree.clear()?)
    }
}

/// The verification of one run after the other, in one tree.
struct Verification<'a> {
    race: &'a RaceRow,
    request: &'a VerifyRequest,
    command: &'a str,
    tree: &'a TrialTree,
    stop: &'a AtomicBool,
}

impl Verification<'_> {
    fn verify(
        &self,
        agency: &mut Agency,
        run: &RunRow,
        progress: &mut dyn FnMut(RaceProgress<'_>),
    ) -> Result<(), RaceError> {
        let before = agency.store.race_result(&run.id)?;
        let work = agency.workspace_of(run)?.branch_work().and_then(|worktree| {
            let work = worktree.protected_work(&self.race.protect)?;
            Ok::<_, MergeError>(work)
        });
        let work = match work {
            Ok(work) if before.is_some_and(|before| before.tree == work.tree) => return Ok(()),
            Ok(work) => work,
            // The worktree of one run may be gone; the others are verified all the same.
            Err(error) => {
                let result = RaceResult::new(String::new(), false, error.to_string(), 0, vec![]);
                agency.store.save_race_result(&run.id, &result)?;
                progress(RaceProgress::Verified { run, result: &result });
                return Ok(());
            }
        };
        progress(RaceProgress::VerifyBegins { run, command: self.command });
        // The tree has nothing that the code of another run left.
        self.tree.clear()?;
        self.tree.check_out(&work.commit)?;
        let logs = agency.home.run(&run.id).file("race");
        create_private_directory(&logs)?;
        let mut environment = self.request.environment.clone();
        environment.insert(RUN_ID_VARIABLE.into(), run.id.as_str().into());
        let log = logs.join("verify.log");
        empty_log(&log)?;
        let check = ShellCommand {
            command: self.command,
            place: &self.tree.path(),
            marker: marker_of(self.tree),
            environment: &environment,
            log,
            limit: self.request.limit,
            stop: self.stop,
            child: &OwnChild::default(),
            is_independent: true,
        };
        let started = Instant::now();
        let end = check.run()?;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if end == CheckEnd::Interrupted {
            return Err(RaceError::Interrupted);
        }
        fault::point("race.verified");
        let protected = work.changed.iter().map(|path| path.display().to_string()).collect();
        let result = RaceResult::new(work.tree, end.is_success(), end.to_string(), duration_ms, protected);
        agency.store.save_race_result(&run.id, &result)?;
        fault::point("race.saved");
        let event = WorkEvent::Checked {
            command: self.command.to_owned(),
            tree: result.tree.clone(),
            succeeded: result.succeeded,
            exit_code: end.exit_code(),
            duration_ms,
        };
        agency.record_work(&run.id, event)?;
        progress(RaceProgress::Verified { run, result: &result });
        Ok(())
    }
}

impl From<agency_workspace::WorkspaceError> for RaceError {
    fn from(error: agency_workspace::WorkspaceError) -> Self {
        RemoveError::from(error).into()
    }
}
