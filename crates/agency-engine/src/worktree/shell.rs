//! One command that checks merged files.
//!
//! The one rule: when it is over, nothing of it runs any more, however it ended. It may run code that an agent wrote, so
//! it has no terminal, and what it starts counts as started by that agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_system::process::{
    INDEPENDENT_VARIABLE, LOG_VARIABLE, ProcessHandle, in_new_session, kill_by_env, signal_group,
};
use agency_workspace::REPOSITORY_VARIABLES;
use rustix::process::Signal;
use tracing::debug;

use crate::home::{HomeError, open_for_append};
use crate::watch::last_bytes;

/// Names the tree of a check on every process of it.
pub(crate) const TREE_VARIABLE: &str = "AGENCY_LAND_TREE";
/// How often an interrupt by the user is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long the processes of a check get to end when they have to.
const GRACE: Duration = Duration::from_secs(2);
/// So much of the output is shown.
const MAX_SHOWN_BYTES: u64 = 8 * 1024;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CheckEnd {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It took longer than it may.
    TimedOut(Duration),
    /// The user ended it.
    Interrupted,
}

impl CheckEnd {
    /// Whether what was checked may land.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }

    /// The exit code, if it exited.
    #[must_use]
    pub const fn exit_code(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Signalled(_) | Self::TimedOut(_) | Self::Interrupted => None,
        }
    }
}

impl fmt::Display for CheckEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(0) => write!(formatter, "passed"),
            Self::Exited(code) => write!(formatter, "failed with code {code}"),
            Self::Signalled(signal) => write!(formatter, "was ended by signal {signal}"),
            Self::TimedOut(limit) => write!(formatter, "took longer than {} s", limit.as_secs()),
            Self::Interrupted => write!(formatter, "was interrupted"),
        }
    }
}

/// A command to run.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    pub(crate) command: &'a str,
    /// The top of the merged files.
    pub(crate) place: &'a Path,
    /// What identifies their tree.
    pub(crate) tree: &'a Path,
    /// The whole environment.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// Where the output goes.
    pub(crate) log: PathBuf,
    /// How long it may take.
    pub(crate) limit: Duration,
    /// Set by the user to end it.
    pub(crate) stop: &'a AtomicBool,
}

impl Check<'_> {
    /// Runs the command, and ends everything that it started.
    pub(crate) fn run(&self) -> Result<CheckEnd, HomeError> {
        let problem = |source| HomeError::new("start a check in", self.place, source);
        let started = Instant::now();
        let mut child = self.start()?;
        let end = self.end_of(&mut child, started).map_err(problem)?;
        end_all(self.tree);
        debug!(ms = started.elapsed().as_millis(), %end, "check ended");
        Ok(end)
    }

    #[expect(clippy::disallowed_methods, reason = "checks of merged files are started here")]
    fn start(&self) -> Result<Child, HomeError> {
        let problem = |source| HomeError::new("start a check in", self.place, source);
        let output = open_for_append(&self.log)?;
        output.set_len(0).map_err(problem)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", self.command]).env_clear().envs(self.environment);
        for name in REPOSITORY_VARIABLES.iter().copied().chain([LOG_VARIABLE]) {
            command.env_remove(name);
        }
        command
            .env(TREE_VARIABLE, self.tree)
            // It is ours to end, not a supervisor's.
            .env(INDEPENDENT_VARIABLE, "1")
            .current_dir(self.place)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(problem)?)
            .stderr(output);
        in_new_session(&mut command).spawn().map_err(problem)
    }

    /// Waits for the command, up to its limit. Its group is ended before its number can be another's.
    fn end_of(&self, child: &mut Child, started: Instant) -> io::Result<CheckEnd> {
        let process = ProcessHandle::open(child.id());
        let early = loop {
            if process.as_ref().is_none_or(|process| process.wait(POLL_INTERVAL)) {
                break None;
            }
            if self.stop.load(Ordering::Relaxed) {
                break Some(CheckEnd::Interrupted);
            }
            if started.elapsed() >= self.limit {
                break Some(CheckEnd::TimedOut(self.limit));
            }
        };
        if early.is_some() {
            signal_group(child.id(), Signal::TERM);
            let _ = process.as_ref().is_some_and(|process| process.wait(GRACE));
        }
        signal_group(child.id(), Signal::KILL);
        let status = child.wait()?;
        Ok(early.unwrap_or_else(|| exited(status)))
    }

    /// The end of what it printed.
    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&last_bytes(&self.log, 0, MAX_SHOWN_BYTES).unwrap_or_default()).into_owned()
    }
}

fn exited(status: ExitStatus) -> CheckEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => CheckEnd::Exited(code),
        (None, signal) => CheckEnd::Signalled(signal.unwrap_or_default()),
    }
}

/// Ends every process of the checks in a tree: those too that left their group, and those of a landing that was killed.
pub(crate) fn end_all(tree: &Path) {
    let tree = tree.display().to_string();
    kill_by_env(TREE_VARIABLE, |value| value == tree, GRACE);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(place: &Path, command: &str, limit: Duration) -> (CheckEnd, String) {
        let environment = std::env::vars_os().collect();
        let stop = AtomicBool::new(false);
        let log = place.join("log");
        let check = Check { command, place, tree: place, environment: &environment, log, limit, stop: &stop };
        (check.run().unwrap(), check.printed())
    }

    #[test]
    fn a_check_gives_its_end_and_its_output() {
        let place = tempfile::tempdir().unwrap();
        let limit = Duration::from_secs(60);
        assert_eq!(run(place.path(), "echo out; echo err >&2", limit), (CheckEnd::Exited(0), "out\nerr\n".to_owned()));
        assert_eq!(run(place.path(), "cat; exit 3", limit), (CheckEnd::Exited(3), String::new()));
        assert_eq!(run(place.path(), "kill -9 $$", limit).0, CheckEnd::Signalled(9));
    }

    #[test]
    fn what_a_check_starts_ends_with_it_in_other_sessions_too() {
        let place = tempfile::tempdir().unwrap();
        let command = "sleep 600 & setsid sleep 600 & trap '' TERM; echo $$; sleep 600";
        let (end, _) = run(place.path(), command, Duration::from_millis(300));
        assert_eq!(end, CheckEnd::TimedOut(Duration::from_millis(300)));
        let (end, _) = run(place.path(), "setsid sleep 600 & sleep 600 & true", Duration::from_secs(60));
        assert_eq!(end, CheckEnd::Exited(0));
        let of_tree = |entry: std::fs::DirEntry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let marker = format!("{TREE_VARIABLE}={}", place.path().display());
            environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
        };
        assert_eq!(
            std::fs::read_dir("/proc")
                .unwrap()
                .flatten()
                .filter(|_| true)
                .filter_map(|entry| of_tree(entry).then_some(()))
                .count(),
            0
        );
    }
}
