//! Checks a merge that no branch points to yet, in a working tree that keeps build output for the next check.
//!
//! The one rule: each command begins with exactly the tracked files of the merge, whatever the one before wrote.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::{RunId, WorkEvent};
use agency_system::process::RUN_ID_VARIABLE;
use agency_workspace::{ProposedMerge, Repository, TrialTree};
use sha2::{Digest, Sha256};

use super::{CheckEnd, FailedCheck, LandError};
use crate::home::{HomeError, create_private_directory, open_for_append};
use crate::watch::last_bytes;
use crate::worktree::{
    Marker, OwnChild, Preparation, SETUP_VARIABLE, ShellCommand, TREE_VARIABLE, WorktreeSettings, end_all,
    remove_copies,
};

/// How long another landing may check in the same tree.
const TREE_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);
/// How often an interrupt by the user is looked for meanwhile.
const TREE_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Names the branch of a landing for its checks.
const TARGET_VARIABLE: &str = "AGENCY_LAND_TARGET";
/// Names the commit that is checked.
const COMMIT_VARIABLE: &str = "AGENCY_LAND_COMMIT";
/// How much of the output is shown.
const MAX_SHOWN_BYTES: u64 = 8 * 1024;
/// How many hexadecimal digits of a hash name a branch.
const NAME_BYTES: usize = 8;

/// The commands that a merge has to pass.
pub(crate) struct Checks<'a> {
    /// The run whose work is merged.
    pub(crate) id: &'a RunId,
    pub(crate) repository: &'a Repository,
    pub(crate) commands: &'a [String],
    /// How long each may take.
    pub(crate) limit: Duration,
    pub(crate) fresh: bool,
    /// What the tree gets beside the merged files.
    pub(crate) settings: WorktreeSettings,
    /// The whole environment.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// Set by the user to end them.
    pub(crate) stop: &'a AtomicBool,
    /// The parent of all trees.
    pub(crate) trials: PathBuf,
    /// Where their output goes.
    pub(crate) logs: PathBuf,
}

/// The progress of the checks.
pub(crate) enum CheckReport<'a> {
    WaitingForTree,
    Preparing(&'a str),
    Begins { command: &'a str, log: &'a Path },
    Ended { command: &'a str, end: CheckEnd, output: &'a str, event: WorkEvent },
}

/// Takes reports; an error of it ends the checks.
pub(crate) type TakeReport<'a> = dyn FnMut(CheckReport<'_>) -> Result<(), LandError> + 'a;

impl Checks<'_> {
    /// Runs all commands; the first that fails is an error.
    pub(crate) fn run(&self, proposed: &ProposedMerge, report: &mut TakeReport<'_>) -> Result<(), LandError> {
        let tree = self.open(proposed, report)?;
        // Of a landing that was killed.
        end_all(marker_of(&tree));
        end_all(Marker { variable: SETUP_VARIABLE, value: &tree.path() });
        if self.fresh {
            tree.clear()?;
        }
        create_private_directory(&self.logs)?;
        let checked = self.repository.tree_of(&proposed.commit)?;
        let environment = self.environment_of(proposed);
        for (position, command) in self.commands.iter().enumerate() {
            let setup = if position == 0 { Setup::Execute } else { Setup::Keep };
            self.fill(&tree, proposed, (&environment, setup), report)?;
            let log = self.logs.join(format!("check-{}.log", position + 1));
            report(CheckReport::Begins { command, log: &log })?;
            empty_log(&log)?;
            let check = ShellCommand {
                command,
                place: &tree.path(),
                marker: marker_of(&tree),
                environment: &environment,
                log: log.clone(),
                limit: self.limit,
                stop: self.stop,
                child: &OwnChild::default(),
                is_independent: true,
            };
            let started = Instant::now();
            let end = check.run()?;
            let output = printed_in(&log);
            let event = event_of(command, &checked, end, started.elapsed());
            report(CheckReport::Ended { command, end, output: &output, event })?;
            self.refuse(end, proposed, command, (log, output))?;
        }
        Ok(())
    }

    /// Gives the tree the merged files, and what worktrees of the project get.
    fn fill(
        &self,
        tree: &TrialTree,
        proposed: &ProposedMerge,
        (environment, setup): (&BTreeMap<OsString, OsString>, Setup),
        report: &mut TakeReport<'_>,
    ) -> Result<(), LandError> {
        let (checkout, place) = (self.repository.root(), tree.path());
        // Copies of an earlier check may be older than the files; what is tracked is checked out again.
        remove_copies(checkout, &place, &self.settings)?;
        tree.check_out(&proposed.commit)?;
        if !self.settings.prepare_anything() {
            return Ok(());
        }
        let log = self.logs.join("setup.log");
        if setup == Setup::Execute {
            empty_log(&log)?;
        }
        let preparation = Preparation {
            checkout,
            worktree: &place,
            settings: &self.settings,
            environment,
            log: &log,
            stop: self.stop,
            child: &OwnChild::default(),
            is_independent: true,
        };
        let mut said = vec![];
        let placed = preparation.place(&mut |message| said.push(message));
        if setup == Setup::Execute {
            said.iter().try_for_each(|message| report(CheckReport::Preparing(message)))?;
        }
        placed?;
        match setup {
            Setup::Keep => Ok(()),
            Setup::Execute => {
                let mut refused = None;
                let executed = preparation.execute(&mut |message| {
                    refused = refused.take().or(report(CheckReport::Preparing(&message)).err());
                });
                refused.map_or(Ok(()), Err)?;
                Ok(executed?)
            }
        }
    }

    /// An error unless the check succeeded.
    fn refuse(
        &self,
        end: CheckEnd,
        proposed: &ProposedMerge,
        command: &str,
        (log, output): (PathBuf, String),
    ) -> Result<(), LandError> {
        match end {
            CheckEnd::Exited(0) => Ok(()),
            CheckEnd::Interrupted => Err(LandError::Interrupted),
            CheckEnd::Exited(_) | CheckEnd::Signalled(_) | CheckEnd::TimedOut(_) => {
                let (id, target) = (self.id.clone(), proposed.target.clone());
                let command = command.to_owned();
                Err(LandError::CheckFailed(Box::new(FailedCheck { id, target, command, end, log, output })))
            }
        }
    }

    /// Opens the tree of this repository and branch, once no other landing uses it.
    fn open(&self, proposed: &ProposedMerge, report: &mut TakeReport<'_>) -> Result<TrialTree, LandError> {
        let place = self.place(&proposed.target);
        let started = Instant::now();
        let mut told = false;
        while started.elapsed() < TREE_LIMIT {
            if let Some(tree) = TrialTree::open(&place, self.repository.root(), TREE_POLL_INTERVAL)? {
                return Ok(tree);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(LandError::Interrupted);
            }
            if !told {
                report(CheckReport::WaitingForTree)?;
                told = true;
            }
        }
        let why = format!("another landing has checked in {} for a day", place.display());
        Err(LandError::NotReady { id: self.id.clone(), why })
    }

    fn place(&self, target: &str) -> PathBuf {
        let digest = Sha256::digest(target.as_bytes());
        let name = digest.iter().take(NAME_BYTES).fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        self.trials.join(self.repository.fingerprint()).join(name)
    }

    fn environment_of(&self, proposed: &ProposedMerge) -> BTreeMap<OsString, OsString> {
        let own = [
            (RUN_ID_VARIABLE, self.id.as_str()),
            (TARGET_VARIABLE, proposed.target.as_str()),
            (COMMIT_VARIABLE, proposed.commit.as_str()),
        ];
        let mut environment = self.environment.clone();
        environment.extend(own.map(|(name, value)| (name.into(), value.into())));
        environment
    }
}

/// By what the processes of the checks in a tree are found.
pub(crate) fn marker_of(tree: &TrialTree) -> Marker<'_> {
    Marker { variable: TREE_VARIABLE, value: tree.directory() }
}

/// The end of what a command printed.
pub(crate) fn printed_in(log: &Path) -> String {
    String::from_utf8_lossy(&last_bytes(log, 0, MAX_SHOWN_BYTES).unwrap_or_default()).into_owned()
}

/// Makes a log begin anew.
pub(crate) fn empty_log(log: &Path) -> Result<(), HomeError> {
    open_for_append(log)?.set_len(0).map_err(|source| HomeError::new("empty", log, source))
}

/// Whether the commands of the setup are executed: once for each merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setup {
    Execute,
    Keep,
}

fn event_of(command: &str, tree: &str, end: CheckEnd, took: Duration) -> WorkEvent {
    WorkEvent::Checked {
        command: command.to_owned(),
        tree: tree.to_owned(),
        succeeded: end.is_success(),
        exit_code: end.exit_code(),
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}
