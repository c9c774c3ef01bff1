//! The commands of script steps: each in a process group of its own, which outlives a driver that dies.
//!
//! The one rule: a command is run once. A wrapper holds the step's lock as long as it runs and writes its exit code
//! itself, so that a later driver finds its result, and starts it again only if nothing ever did.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use agency_model::workflow::{MAX_LINE_BYTES, StepResult};
use agency_system::process::{INDEPENDENT_VARIABLE, LOG_VARIABLE, signal_group};
use rustix::process::Signal;
use tracing::debug;

use super::workdir::Workdir;
use crate::home::{HomeError, create_private_directory, open_for_append, read_text};
use crate::watch::last_bytes;

/// Names the files of the step on every process of its command.
pub(super) const STEP_VARIABLE: &str = "AGENCY_STEP_DIR";
/// Keeps the lock on its standard input to itself, and writes down how the program ended.
const RUN_PROGRAM: &str = r#"result=$1; shift; "$@" </dev/null; echo $? >"$result""#;
/// The same for a line of shell. Another shell would take as long as the line itself; what it sees is as if there were one.
const RUN_LINE: &str = r#"(eval "shift 2
$2") </dev/null; echo $? >"$1""#;

/// A command to run.
#[derive(Debug, Clone)]
pub(super) struct ScriptRun {
    /// Where its files are kept.
    pub(super) directory: PathBuf,
    /// What is run.
    pub(super) what: ScriptSource,
    /// Its whole environment.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// The workspace.
    pub(super) workspace: PathBuf,
    /// Where in the workspace it runs.
    pub(super) workdir: Option<String>,
    /// Set to stop it.
    pub(super) stopped: Arc<AtomicBool>,
}

/// What a script step runs.
#[derive(Debug, Clone)]
pub(super) enum ScriptSource {
    /// A line for the shell.
    Line(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

impl ScriptRun {
    /// Runs the command, or waits for it where it runs already, and returns its outcome.
    pub(super) fn run(&self) -> StepResult {
        match self.finish() {
            Ok(Finish::Exited(0)) => StepResult { exit_code: Some(0), ..StepResult::success("") },
            Ok(Finish::Exited(code)) => {
                StepResult { exit_code: Some(code), ..StepResult::failure(format!("exit code {code}")) }
            }
            Ok(Finish::Killed(signal)) => StepResult::failure(format!("it was ended by signal {signal}")),
            Err(error) => StepResult::failure(error.to_string()),
        }
        .with_output(&self.printed())
    }

    fn finish(&self) -> Result<Finish, HomeError> {
        create_private_directory(&self.directory)?;
        let path = self.directory.join("lock");
        let problem = |action| {
            let path = path.clone();
            move |source| HomeError::new(action, path, source)
        };
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let lock = lock.map_err(problem("open the lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            // It was started by a driver that is gone.
            Err(TryLockError::WouldBlock) => lock.lock().map_err(problem("lock"))?,
            Err(TryLockError::Error(source)) => return Err(problem("lock")(source)),
        }
        if let Some(code) = self.result() {
            return Ok(Finish::Exited(code));
        }
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(Finish::Killed(Signal::TERM.as_raw()));
        }
        self.start(lock)
    }

    #[expect(clippy::disallowed_methods, reason = "commands of workflow steps are started here")]
    fn start(&self, lock: File) -> Result<Finish, HomeError> {
        let output = open_for_append(&self.output())?;
        let place = self.workdir.as_ref().map_or_else(|| self.workspace.clone(), |inside| self.workspace.join(inside));
        let problem = |source| HomeError::new("start a command in", &place, source);
        let workdir = Workdir::open(&self.workspace, self.workdir.as_deref()).map_err(problem)?;
        output.set_len(0).map_err(problem)?;
        // A name that has to be looked up in another PATH than ours would make the start many times dearer.
        let mut command = Command::new("/bin/sh");
        let result = self.directory.join("result");
        match &self.what {
            ScriptSource::Line(line) => command.args(["-c", RUN_LINE, "sh"]).arg(result).arg(line),
            ScriptSource::Program(words) => command.args(["-c", RUN_PROGRAM, "sh"]).arg(result).args(words),
        };
        command
            .env_clear()
            .envs(&self.environment)
            .env_remove(LOG_VARIABLE)
            .env(STEP_VARIABLE, &self.directory)
            // It is ours to end, not our supervisor's.
            .env(INDEPENDENT_VARIABLE, "1")
            .current_dir(workdir.path())
            .process_group(0)
            .stdin(lock)
            .stdout(output.try_clone().map_err(problem)?)
            .stderr(output);
        let started = Instant::now();
        let mut child = command.spawn().map_err(problem)?;
        debug!(pid = child.id(), step = %self.directory.display(), "command of a step started");
        // The last process that holds the lock releases it.
        drop(command);
        if self.stopped.load(Ordering::Relaxed) {
            // It was requested before the process could be found.
            signal_group(child.id(), Signal::KILL);
        }
        let status = child.wait().map_err(problem)?;
        let ms = started.elapsed().as_millis();
        debug!(pid = child.id(), exit_code = self.result(), signal = status.signal(), ms, "command of a step ended");
        match (self.result(), status.signal()) {
            (Some(code), _) => Ok(Finish::Exited(code)),
            (None, Some(signal)) => Ok(Finish::Killed(signal)),
            (None, None) => Err(problem(io::Error::other("its exit code could not be written"))),
        }
    }

    /// The exit code that the wrapper wrote; a torn one is none.
    fn result(&self) -> Option<i32> {
        let text = read_text(&self.directory.join("result")).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }

    fn output(&self) -> PathBuf {
        output_of(&self.directory)
    }

    /// The end of what it printed: enough to know its last line, however long that may be.
    fn printed(&self) -> String {
        const MAX_TAIL_BYTES: u64 = MAX_LINE_BYTES as u64 + 1;
        String::from_utf8_lossy(&last_bytes(&self.output(), 0, MAX_TAIL_BYTES).unwrap_or_default()).into_owned()
    }
}

/// Where a command's output is kept, below the files of its step.
#[must_use]
pub(crate) fn output_of(directory: &Path) -> PathBuf {
    directory.join("output.log")
}

enum Finish {
    Exited(i32),
    Killed(i32),
}

#[cfg(test)]
mod tests {
    use agency_model::workflow::StepStatus;

    use super::*;

    fn script(directory: &Path, command: &str) -> ScriptRun {
        ScriptRun {
            directory: directory.join("step"),
            what: ScriptSource::Line(command.to_owned()),
            environment: std::env::vars_os().collect(),
            workspace: directory.to_owned(),
            workdir: None,
            stopped: Arc::default(),
        }
    }

    // proves W10
    #[test]
    fn a_command_gives_its_exit_code_and_its_output() {
        let directory = tempfile::tempdir().unwrap();
        let result = script(directory.path(), "echo out; echo err >&2; cat; exit 3").run();
        assert_eq!((result.status, result.exit_code), (StepStatus::Failed, Some(3)));
        assert_eq!((result.output.as_str(), result.error.as_deref()), ("out\nerr\n", Some("exit code 3")));
    }

    #[test]
    fn a_line_sees_no_arguments_and_may_exit_fail_to_parse_or_become_another_program() {
        for (line, code, output) in [
            ("echo \"$# $*\"; exit 4", 4, "0 \n"),
            ("exec sh -c 'exit 5'", 5, ""),
            ("set -e; false; echo never", 1, ""),
            ("cat; echo end", 0, "end\n"),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let result = script(directory.path(), line).run();
            assert_eq!((result.exit_code, result.output.as_str()), (Some(code), output), "{line}");
        }
        let directory = tempfile::tempdir().unwrap();
        let broken = script(directory.path(), "if").run();
        assert_eq!((broken.status, broken.exit_code), (StepStatus::Failed, Some(2)), "{broken:?}");
    }

    #[test]
    fn a_program_gets_its_words_and_no_shell_reads_them() {
        let directory = tempfile::tempdir().unwrap();
        let words = ["printf", "%s|", "a b", "$HOME", "'"].map(str::to_owned).to_vec();
        let result = ScriptRun { what: ScriptSource::Program(words), ..script(directory.path(), "") }.run();
        assert_eq!((result.exit_code, result.output.as_str()), (Some(0), "a b|$HOME|'|"));
    }

    // proves W9
    #[test]
    fn a_command_that_ended_is_not_run_again_and_one_that_runs_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let first = script(directory.path(), "echo once >>count; until [ -e go ]; do sleep 0.01; done");
        let other = first.clone();
        let running = std::thread::spawn(move || other.run());
        while !directory.path().join("count").exists() {
            std::thread::yield_now();
        }
        let again = first.clone();
        let waiting = std::thread::spawn(move || again.run());
        std::fs::write(directory.path().join("go"), "").unwrap();
        let (running, waiting) = (running.join().unwrap(), waiting.join().unwrap());
        assert_eq!((running.status, &running), (StepStatus::Succeeded, &waiting));
        assert_eq!(first.run().status, StepStatus::Succeeded);
        assert_eq!(std::fs::read_to_string(directory.path().join("count")).unwrap(), "once\n");
    }

    // A link that an agent made after the workflow was checked.
    #[test]
    fn a_command_does_not_run_outside_of_the_workspace() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().join("workspace");
        std::fs::create_dir_all(workspace.join("inside")).unwrap();
        std::os::unix::fs::symlink("..", workspace.join("out")).unwrap();
        std::os::unix::fs::symlink("/", workspace.join("root")).unwrap();
        std::os::unix::fs::symlink("inside", workspace.join("link")).unwrap();
        for (number, (workdir, runs)) in
            [("inside", true), ("link", true), ("", true), ("out", false), ("root", false), ("..", false), ("/", false)]
                .into_iter()
                .enumerate()
        {
            let step = script(&directory.path().join(number.to_string()), "pwd; touch here");
            let step = ScriptRun { workspace: workspace.clone(), workdir: Some(workdir.to_owned()), ..step };
            let result = step.run();
            assert_eq!(result.status == StepStatus::Succeeded, runs, "{workdir}: {result:?}");
            let outside = result.error.unwrap_or_default().contains("outside of the workspace");
            assert_eq!(outside, !runs, "{workdir}");
        }
        assert!(!directory.path().join("here").exists());
    }

    // proves W9
    #[test]
    fn what_a_command_leaves_in_the_background_holds_up_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let result = script(directory.path(), "sleep 60 >/dev/null 2>&1 & echo $! >pid").run();
        assert_eq!(result.status, StepStatus::Succeeded);
        let pid: u32 = std::fs::read_to_string(directory.path().join("pid")).unwrap().trim().parse().unwrap();
        let left = agency_system::process::ProcessHandle::open(pid).unwrap();
        assert_eq!(script(directory.path(), "true").run().status, StepStatus::Succeeded);
        left.signal(rustix::process::Signal::KILL);
    }
}
