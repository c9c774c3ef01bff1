//! What a runner is to start.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::{SpawnError, TerminalSize};

/// A program and everything it starts with. Nothing is inherited but, unless it is set, the directory.
#[derive(Clone)]
pub struct RunnerCommand {
    pub(super) program: PathBuf,
    args: Vec<OsString>,
    directory: Option<PathBuf>,
    environment: BTreeMap<OsString, OsString>,
    pub(super) size: TerminalSize,
    pub(super) stdin: StdinPlan,
    pub(super) separate_stderr: bool,
}

/// What a program reads on its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StdinPlan {
    /// Its terminal, or nothing where it has none.
    Keyboard,
    /// This text, and then the end.
    Text(String),
    /// A pipe, for as long as [`super::ProcessRunner::close_input`] is not called.
    Open,
}

impl RunnerCommand {
    /// A program without arguments and environment, at a keyboard.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: vec![],
            directory: None,
            environment: BTreeMap::new(),
            size: TerminalSize::UNSEEN,
            stdin: StdinPlan::Keyboard,
            separate_stderr: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets where it works.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Adds variables to its environment.
    #[must_use]
    pub fn environment<Name, Value>(mut self, variables: impl IntoIterator<Item = (Name, Value)>) -> Self
    where
        Name: Into<OsString>,
        Value: Into<OsString>,
    {
        self.environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The program.
    #[must_use]
    pub fn get_program(&self) -> &Path {
        &self.program
    }

    /// Its arguments.
    pub fn get_args(&self) -> impl Iterator<Item = &OsStr> {
        self.args.iter().map(OsString::as_os_str)
    }

    /// Where it works, if that is set.
    #[must_use]
    pub fn get_directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// A variable of its environment.
    #[must_use]
    pub fn get_variable(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.environment.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Sets the first size of its terminal.
    #[must_use]
    pub const fn size(mut self, size: TerminalSize) -> Self {
        self.size = size;
        self
    }

    /// Sets what it reads.
    #[must_use]
    pub fn stdin(mut self, stdin: StdinPlan) -> Self {
        self.stdin = stdin;
        self
    }

    /// Gives a program on a terminal a second terminal for its standard error, so that the two streams can be kept
    /// apart. Without it, both are one stream in exactly the order in which they were written. With it, they are read in
    /// the order of arrival as far as two terminals allow: the order of writes that are less than about a millisecond
    /// apart is not defined, and what was written to both in turn before it is read comes as one piece per stream. Pipes
    /// are always separate.
    #[must_use]
    pub const fn separate_stderr(mut self) -> Self {
        self.separate_stderr = true;
        self
    }

    #[expect(clippy::disallowed_methods, reason = "agents are started here")]
    pub(super) fn to_tokio(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(&self.environment);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    pub(super) fn refused(&self, source: std::io::Error) -> SpawnError {
        let program = self.program.clone();
        // The system gives the same error for a program and a directory that are not there.
        match self.directory.clone().filter(|directory| !directory.is_dir()) {
            Some(directory) => SpawnError::Directory { program, directory, source },
            None => SpawnError::Program { program, source },
        }
    }
}

/// The environment may hold secrets.
impl fmt::Debug for RunnerCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RunnerCommand")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
