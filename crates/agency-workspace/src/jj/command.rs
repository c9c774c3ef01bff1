//! The only place that starts jj.
//!
//! The one rule: jj reads and writes a working copy only where the caller says so.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tracing::debug;

use super::JjError;
use crate::captured::CapturedOutput;
use crate::error::OLDEST_JJ_MINOR;
use crate::git_command::{self, Finished, subcommand};
use crate::pipes::{self, Sources, Watched};
use crate::{Result, WorkspaceError, search_path};

/// A large working copy is read in minutes at most.
const JJ_TIMEOUT: Duration = Duration::from_secs(600);
/// Everything that is in the working copy is taken in, whatever the user lets jj leave out.
const EVERYTHING: [&str; 4] =
    ["--config", "snapshot.max-new-file-size=0", "--config", r#"snapshot.auto-track="all()""#];

/// One jj command, as it is put together.
pub(super) struct JjCommand {
    command: Command,
    directory: PathBuf,
    /// The words of the subcommand that an error names.
    named: String,
}

impl JjCommand {
    /// Starts to describe a command that leaves the working copy of a workspace alone.
    pub(super) fn reading(workspace: &Path) -> Self {
        let mut jj = Self::on(workspace);
        jj.command.arg("--ignore-working-copy");
        jj
    }

    /// Starts to describe a command on a repository as it was after an operation.
    pub(super) fn at_operation(workspace: &Path, operation: &str) -> Self {
        let mut jj = Self::reading(workspace);
        jj.command.arg("--at-operation").arg(operation);
        jj
    }

    /// Starts to describe a command that first takes in the files of a workspace, as jj does by itself.
    #[expect(clippy::disallowed_methods, reason = "jj is started here")]
    pub(super) fn on(workspace: &Path) -> Self {
        let mut command = Command::new("jj");
        for variable in git_command::cleared().chain(["JJ_LOG", "JJ_TRACE"]) {
            command.env_remove(variable);
        }
        if let Some(path) = search_path::without_relative() {
            command.env("PATH", path);
        }
        command.envs(git_command::TRUE_OBJECTS);
        command.env("LC_ALL", "C").env("JJ_EDITOR", "false").env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
        // An option names the directory: a missing one as the child's own would look like a missing jj.
        command.current_dir("/").args(["--no-pager", "--color=never", "--repository"]).arg(workspace);
        // Signing needs a passphrase, and its program can be set by a file of the workspace.
        for setting in ["signing.behavior=drop", "signing.backend=none", "fsmonitor.backend=none"] {
            command.args(["--config", setting]);
        }
        Self { command, directory: workspace.to_owned(), named: String::new() }
    }

    /// Lets jj take in what it would leave out as too large or by the user's settings.
    pub(super) fn taking_everything(mut self) -> Self {
        self.command.args(EVERYTHING);
        self
    }

    /// Names the subcommand and its fixed arguments.
    pub(super) fn run<const N: usize>(mut self, words: [&str; N]) -> Self {
        self.named = subcommand(&words);
        self.command.args(words);
        self
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Runs jj to its end, whatever its exit code.
    pub(super) fn finish(mut self) -> Result<Finished> {
        let (printed, complaints) = (CapturedOutput::new()?, CapturedOutput::new()?);
        self.command.stdout(printed.writer()?).stderr(complaints.writer()?);
        let started = Instant::now();
        let child = self.command.spawn().map_err(|source| cannot_start(&self.directory, source))?;
        let work_tree = Some(self.directory.clone());
        let sources = Sources { git_dir: None, directory: self.directory.clone(), work_tree };
        let watched = pipes::watch(child, &sources, |mut child| wait(&mut child));
        let ended = match watched.map_err(|source| cannot_start(&self.directory, source))? {
            Watched::Ended(ended) => ended,
            Watched::Waited(file) => return Err(JjError::OddFile { file, what: "a named pipe" }.into()),
        };
        // Of the arguments only the subcommand: others may have secrets.
        let (command, ms) = (self.named.split(' ').next(), started.elapsed().as_millis());
        let exit_code = ended.and_then(|status| status.code());
        debug!(command, directory = %self.directory.display(), exit_code, ms, "jj command");
        let stdout = printed.into_bytes()?;
        let stderr = match ended {
            Some(_) => complaints.into_text()?,
            None => format!("it took longer than {} seconds, and was ended", JJ_TIMEOUT.as_secs()),
        };
        Ok(Finished { success: ended.is_some_and(|status| status.success()), stdout, stderr })
    }

    /// Runs jj and returns what it printed; any other exit code than zero is an error.
    pub(super) fn read(self) -> Result<String> {
        let (command, directory) = (self.named.clone(), self.directory.clone());
        let finished = self.finish()?;
        if finished.success {
            return Ok(String::from_utf8_lossy(&finished.stdout).into_owned());
        }
        Err(JjError::Command { command, directory, message: finished.stderr }.into())
    }
}

/// What jj says of itself; one that is missing or too old is an error.
pub fn jj_version() -> Result<String> {
    let found = JjCommand::reading(Path::new("/")).run(["--version"]).read()?.trim_end().to_owned();
    if is_new_enough(&found) { Ok(found) } else { Err(JjError::TooOld { found }.into()) }
}

/// Reads `jj 0.46.0`, with or without a commit behind the number.
fn is_new_enough(said: &str) -> bool {
    let numbers = said.strip_prefix("jj ").unwrap_or(said).split(|letter: char| !letter.is_ascii_digit());
    let mut numbers = numbers.map(|number| number.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(0), Some(minor)) => minor >= OLDEST_JJ_MINOR,
        (Some(_), Some(_)) => true,
        (_, _) => false,
    }
}

/// Waits for the end of a child; `None` when it had to be ended.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + JJ_TIMEOUT;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn cannot_start(directory: &Path, source: io::Error) -> WorkspaceError {
    if source.kind() == io::ErrorKind::NotFound {
        return JjError::Missing.into();
    }
    WorkspaceError::Io { action: "start jj in", path: directory.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_compared_by_its_numbers() {
        for (said, enough) in [
            ("jj 0.46.0", true),
            ("jj 0.40.0", true),
            ("jj 0.100.1-8bb1a2a", true),
            ("jj 1.0.0", true),
            ("jj 0.39.0", false),
            ("jj 0.9.0", false),
            ("git version 2.47", false),
            ("", false),
        ] {
            assert_eq!(is_new_enough(said), enough, "{said}");
        }
    }
}
