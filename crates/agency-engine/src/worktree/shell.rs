//! One command of a project, such as a check of merged files or a step of the setup.
//!
//! The one rule: when it has ended, no process of it is left, however it ended. It may run code that an agent wrote, so
//! it has no terminal, and what it starts counts as started by that agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agency_model::escaped_line;
use agency_system::process::{
    INDEPENDENT_VARIABLE, LOG_VARIABLE, ProcessHandle, in_new_session, kill_by_env, signal_group,
};
use agency_workspace::REPOSITORY_VARIABLES;
use rustix::process::Signal;
use tracing::debug;

use crate::home::{HomeError, open_for_append};

/// Names the tree of a check on every process of it.
pub(crate) const TREE_VARIABLE: &str = "AGENCY_LAND_TREE";
/// Names the worktree on every process of its setup or teardown.
pub(crate) const SETUP_VARIABLE: &str = "AGENCY_SETUP_TREE";
/// How often an interrupt by the user is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long the processes of a check get to end when they have to.
const GRACE: Duration = Duration::from_secs(2);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CommandEnd {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It took longer than it may.
    TimedOut(Duration),
    /// The user ended it.
    Interrupted,
}

impl CommandEnd {
    /// Whether it succeeded.
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

impl fmt::Display for CommandEnd {
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
pub(crate) struct ShellCommand<'a> {
    pub(crate) command: &'a str,
    /// Where it runs.
    pub(crate) place: &'a Path,
    /// By what its processes are found.
    pub(crate) marker: Marker<'a>,
    /// The whole environment.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// Where the output goes.
    pub(crate) log: PathBuf,
    /// How long it may take.
    pub(crate) limit: Duration,
    /// Set by the user to end it.
    pub(crate) stop: &'a AtomicBool,
    /// Where its process is noted while it is at work.
    pub(crate) child: &'a OwnChild,
    /// Whether supervisors leave it alone, since its caller ends it.
    pub(crate) is_independent: bool,
}

/// A variable that every process of a command has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marker<'a> {
    pub(crate) variable: &'static str,
    pub(crate) value: &'a Path,
}

/// The process of a command, for code that reaps children in another thread: it leaves this one to the command.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnChild(Arc<Mutex<Option<u32>>>);

impl OwnChild {
    /// Keeps a child from being started or ended meanwhile.
    pub(crate) fn hold(&self) -> MutexGuard<'_, Option<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShellCommand<'_> {
    /// Runs the command, and ends everything that it started.
    pub(crate) fn run(&self) -> Result<CommandEnd, HomeError> {
        let problem = |source| HomeError::new("execute a command in", self.place, source);
        let started = Instant::now();
        let mut child = {
            let mut noted = self.child.hold();
            let child = self.start()?;
            *noted = Some(child.id());
            child
        };
        let end = self.end_of(&mut child, started).map_err(problem);
        *self.child.hold() = None;
        end_all(self.marker);
        let end = end?;
        debug!(ms = started.elapsed().as_millis(), %end, "command of a project ended");
        Ok(end)
    }

    /// Writes into the log which command follows.
    pub(crate) fn announce(&self) -> Result<(), HomeError> {
        let mut log = open_for_append(&self.log)?;
        writeln!(log, "$ {}", escaped_line(self.command)).map_err(|source| HomeError::new("write", &self.log, source))
    }

    #[expect(clippy::disallowed_methods, reason = "commands of a project are started here")]
    fn start(&self) -> Result<Child, HomeError> {
        let problem = |source| HomeError::new("execute a command in", self.place, source);
        let output = open_for_append(&self.log)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", self.command]).env_clear().envs(self.environment);
        for name in REPOSITORY_VARIABLES.iter().copied().chain([LOG_VARIABLE]) {
            command.env_remove(name);
        }
        if self.is_independent {
            command.env(INDEPENDENT_VARIABLE, "1");
        }
        command
            .env(self.marker.variable, self.marker.value)
            .current_dir(self.place)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(problem)?)
            .stderr(output);
        in_new_session(&mut command).spawn().map_err(problem)
    }

    /// Waits for the command, up to its limit. Its group is ended before its number can be another's.
    fn end_of(&self, child: &mut Child, started: Instant) -> io::Result<CommandEnd> {
        let process = ProcessHandle::open(child.id());
        let early = loop {
            if process.as_ref().is_none_or(|process| process.wait(POLL_INTERVAL)) {
                break None;
            }
            if self.stop.load(Ordering::Relaxed) {
                break Some(CommandEnd::Interrupted);
            }
            if started.elapsed() >= self.limit {
                break Some(CommandEnd::TimedOut(self.limit));
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
}

fn exited(status: ExitStatus) -> CommandEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => CommandEnd::Exited(code),
        (None, signal) => CommandEnd::Signalled(signal.unwrap_or_default()),
    }
}

/// Ends every process with a marker: those too that left their group, and those of a process of agency that was killed.
pub(crate) fn end_all(marker: Marker<'_>) {
    let marked = marker.value.display().to_string();
    kill_by_env(marker.variable, |value| value == marked, GRACE);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn run(place: &Path, command: &str, limit: Duration) -> (CommandEnd, String) {
        let environment = std::env::vars_os().collect();
        let stop = AtomicBool::new(false);
        let log = place.join("log");
        let (marker, child) = (Marker { variable: TREE_VARIABLE, value: place }, &OwnChild::default());
        fs::write(&log, "").unwrap();
        let environment = &environment;
        let check =
            ShellCommand { command, place, marker, environment, log, limit, stop: &stop, child, is_independent: true };
        let end = check.run().unwrap();
        (end, fs::read_to_string(place.join("log")).unwrap())
    }

    #[test]
    fn a_check_gives_its_end_and_its_output() {
        let place = tempfile::tempdir().unwrap();
        let limit = Duration::from_secs(60);
        assert_eq!(
            run(place.path(), "echo out; echo err >&2", limit),
            (CommandEnd::Exited(0), "out\nerr\n".to_owned())
        );
        assert_eq!(run(place.path(), "cat; exit 3", limit), (CommandEnd::Exited(3), String::new()));
        assert_eq!(run(place.path(), "kill -9 $$", limit).0, CommandEnd::Signalled(9));
    }

    #[test]
    fn what_a_check_starts_ends_with_it_in_other_sessions_too() {
        let place = tempfile::tempdir().unwrap();
        let command = "sleep 600 & setsid sleep 600 & trap '' TERM; echo $$; sleep 600";
        let (end, _) = run(place.path(), command, Duration::from_millis(300));
        assert_eq!(end, CommandEnd::TimedOut(Duration::from_millis(300)));
        let (end, _) = run(place.path(), "setsid sleep 600 & sleep 600 & true", Duration::from_secs(60));
        assert_eq!(end, CommandEnd::Exited(0));
        let of_tree = |entry: &std::fs::DirEntry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let marker = format!("{TREE_VARIABLE}={}", place.path().display());
            environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
        };
        let left = std::fs::read_dir("/proc").unwrap().flatten().filter(of_tree).count();
        assert_eq!(left, 0);
    }
}
