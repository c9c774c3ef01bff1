//! A process of a world: always watched, never left behind.

use crate::wait::poll;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long any process may take unless a test says otherwise.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// What a process that ended left.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

impl Output {
    /// The one JSON object that standard output holds; panics when it holds anything else.
    #[track_caller]
    pub fn object(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => panic!("standard output is JSON, but no object\n{self}"),
            Err(error) => panic!("standard output is not exactly one JSON object: {error}\n{self}"),
        }
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}\n--- stdout\n{}\n--- stderr\n{}", self.status, self.stdout, self.stderr)
    }
}

/// A running process, which is killed when it is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    stdout: CollectedStream,
    stderr: CollectedStream,
}

impl Process {
    /// Starts a command. Its output is collected; its input is empty.
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Self {
        // The environment is not part of the name, because a failure prints the name.
        let words = [command.get_program()].into_iter().chain(command.get_args());
        let name = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("cannot start `{name}`: {error}"));
        let stdout = CollectedStream::collect(child.stdout.take().unwrap());
        let stderr = CollectedStream::collect(child.stderr.take().unwrap());
        Self { name, child, stdout, stderr }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it printed so far.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// What it complained about so far.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Whether it has not ended yet.
    pub fn is_running(&self) -> bool {
        // It was not waited for, so its number is still its own.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with('Z'))
    }

    /// Sends a signal.
    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the process has ended and its output is closed; panics with all that is known when that takes too long.
    #[track_caller]
    pub fn wait(self) -> Output {
        self.wait_at_most(WAIT_LIMIT)
    }

    /// The same for a process that may take longer than others.
    #[track_caller]
    pub fn wait_at_most(self, limit: Duration) -> Output {
        let name = self.name.clone();
        match self.wait_within(limit) {
            Ok(output) => output,
            Err(known) => panic!("`{name}` took more than {limit:?}: {known}"),
        }
    }

    /// Waits for at most `limit`; afterwards returns what is known.
    pub(crate) fn wait_within(mut self, limit: Duration) -> Result<Output, String> {
        let mut ended = None;
        let closed = poll(limit, || {
            ended = ended.or_else(|| self.child.try_wait().unwrap());
            ended.filter(|_| self.stdout.closed() && self.stderr.closed())
        });
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        match (closed, ended) {
            (Some(status), _) => Ok(Output { status, stdout, stderr }),
            (None, Some(status)) => {
                let output = Output { status, stdout, stderr };
                Err(format!("it ended, but something still holds its output open\n{output}"))
            }
            (None, None) => Err(format!("it still runs\n--- stdout\n{stdout}\n--- stderr\n{stderr}")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Collects what comes out of a pipe.
#[derive(Debug)]
struct CollectedStream {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl CollectedStream {
    fn collect(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 8 * 1024];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                collected.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..length]);
            }
        });
        Self { bytes, reader }
    }

    fn closed(&self) -> bool {
        self.reader.is_finished()
    }

    fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Process;
    use crate::wait_for;
    use rustix::process::Signal;
    use std::process::Command;
    use std::time::Duration;

    fn shell(script: &str) -> Process {
        Process::start(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn output_is_collected() {
        let output = shell("echo a; echo b >&2; exit 3").wait();
        assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(3), "a\n".into(), "b\n".into()));
    }

    #[test]
    fn a_running_process_can_be_read_and_signalled() {
        let process = shell("trap 'echo bye; exit' TERM; echo ready; while :; do sleep 0.01; done");
        wait_for("ready", Duration::from_secs(20), || process.stdout().contains("ready").then_some(()));
        process.signal(Signal::TERM);
        assert_eq!(process.wait().stdout, "ready\nbye\n");
    }

    #[test]
    fn a_process_that_does_not_end_is_told_apart_from_one_that_leaves_its_output_open() {
        let limit = Duration::from_millis(300);
        assert!(shell("echo here; exec sleep 60").wait_within(limit).unwrap_err().starts_with("it still runs"));
        let left = shell("sleep 5 & echo here").wait_within(limit).unwrap_err();
        assert!(left.contains("holds its output open") && left.contains("here"), "{left}");
    }

    #[test]
    fn one_object_is_exactly_one_object() {
        assert_eq!(shell("echo '{\"a\": 1}'").wait().object()["a"], 1);
        for wrong in ["echo 1", "echo '{} {}'", "echo text '{}'", "true"] {
            let output = shell(wrong).wait();
            std::panic::catch_unwind(|| output.object()).unwrap_err();
        }
    }
}
