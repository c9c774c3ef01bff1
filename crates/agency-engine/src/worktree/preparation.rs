//! Prepares a worktree: copies, links, then the commands of `setup`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::{ErrorCode, escaped_line};
use agency_system::fault;
use agency_workspace::WorkspaceError;

use super::{CommandEnd, Marker, OwnChild, SETUP_VARIABLE, ShellCommand, WorktreeSettings, place_files};
use crate::home::HomeError;

/// A worktree that is to be prepared.
pub(crate) struct Preparation<'a> {
    /// The user's own checkout.
    pub(crate) checkout: &'a Path,
    pub(crate) worktree: &'a Path,
    pub(crate) settings: &'a WorktreeSettings,
    /// The whole environment of commands.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// Where their output goes.
    pub(crate) log: &'a Path,
    /// Set to end it.
    pub(crate) stop: &'a AtomicBool,
    /// Where the process at work is noted.
    pub(crate) child: &'a OwnChild,
    /// Whether supervisors leave the commands alone, since their caller ends them.
    pub(crate) is_independent: bool,
}

/// Why a worktree is not prepared.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PrepareError {
    /// A command failed.
    #[error("setup: {} {end}; its output is in {}", escaped_line(command), log.display())]
    Command {
        /// The command.
        command: String,
        /// How it ended.
        end: CommandEnd,
        /// Where its output is.
        log: PathBuf,
    },
    /// It was ended on request.
    #[error("the setup was stopped")]
    Stopped,
    /// The files of the checkout or of the worktree.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The files of the run.
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl PrepareError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Command { .. } => ErrorCode::SetupFailed,
            Self::Stopped => ErrorCode::Interrupted,
            Self::Workspace(error) => error.code(),
            Self::Home(error) => error.code(),
        }
    }
}

impl Preparation<'_> {
    /// Does everything, and reports what a user should know. Returns the files that were copied.
    pub(crate) fn run(&self, report: &mut dyn FnMut(String)) -> Result<Vec<PathBuf>, PrepareError> {
        self.check_stop()?;
        let copied = self.place(report)?;
        self.execute(report)?;
        Ok(copied)
    }

    /// Copies and links.
    pub(crate) fn place(&self, report: &mut dyn FnMut(String)) -> Result<Vec<PathBuf>, PrepareError> {
        let (copied, warnings) = place_files(self.checkout, self.worktree, self.settings)?;
        warnings.into_iter().for_each(report);
        Ok(copied)
    }

    /// Executes the commands of `setup`; the first that fails is an error.
    pub(crate) fn execute(&self, report: &mut dyn FnMut(String)) -> Result<(), PrepareError> {
        for command in &self.settings.setup {
            self.check_stop()?;
            report(format!("setup: {} (output in {})", escaped_line(command), self.log.display()));
            let shell = ShellCommand {
                command,
                place: self.worktree,
                marker: Marker { variable: SETUP_VARIABLE, value: self.worktree },
                environment: self.environment,
                log: self.log.to_owned(),
                limit: self.settings.setup_limit(),
                stop: self.stop,
                child: self.child,
                is_independent: self.is_independent,
            };
            shell.announce()?;
            let end = shell.run()?;
            fault::point("setup.command");
            match end {
                CommandEnd::Exited(0) => {}
                CommandEnd::Interrupted => return Err(PrepareError::Stopped),
                CommandEnd::Exited(_) | CommandEnd::Signalled(_) | CommandEnd::TimedOut(_) => {
                    return Err(PrepareError::Command { command: command.clone(), end, log: self.log.to_owned() });
                }
            }
        }
        Ok(())
    }

    fn check_stop(&self) -> Result<(), PrepareError> {
        if self.stop.load(Ordering::Relaxed) { Err(PrepareError::Stopped) } else { Ok(()) }
    }
}
