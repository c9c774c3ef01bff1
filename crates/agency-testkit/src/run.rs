//! A run of a world, looked at from outside: its files and its processes.
//!
//! The one rule: looking changes nothing. Most commands of the program reconcile, so no fact here comes from them.

use crate::process_table::ProcessTable;
use crate::wait_for;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a fact about a run may take.
const WAIT_LIMIT: Duration = Duration::from_secs(30);

/// A run, by its id.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// Its directory.
    pub directory: PathBuf,
}

impl Run {
    /// The run whose directory this is.
    #[track_caller]
    pub(crate) fn at(directory: PathBuf) -> Self {
        let id = directory.file_name().unwrap().to_str().unwrap().to_owned();
        Self { id, directory }
    }

    /// A file of its directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// What the agent said: `runner.stdout.log`, `runner.stderr.log` or `runner.log`.
    #[track_caller]
    pub fn log(&self, name: &str) -> Vec<u8> {
        let path = self.directory.join("logs").join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Waits until the agent has said something on standard output.
    #[track_caller]
    pub fn wait_for_output(&self, text: &str) {
        wait_for(&format!("`{text}` in the log of {}", self.id), WAIT_LIMIT, || {
            let log = fs::read(self.directory.join("logs/runner.stdout.log")).ok()?;
            String::from_utf8_lossy(&log).contains(text).then_some(())
        });
    }

    /// The facts in `events.ndjson`; panics unless they are numbered without gaps from 1.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.file("events.ndjson")).unwrap();
        let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event["seq"], index + 1, "the events are numbered without gaps:\n{text}");
        }
        events
    }

    /// What a [`conversation`](crate::conversation) agent has read so far, line by line, over all its processes.
    #[track_caller]
    pub fn heard(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.file("heard.ndjson")).unwrap_or_default();
        // The last line may not have been written yet.
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The replies that a [`conversation`](crate::conversation) agent got to its requests, with the ids of the requests.
    #[track_caller]
    pub fn replies(&self) -> Vec<(String, Value)> {
        let heard = self.heard().into_iter().filter(|line| line["type"] == "control_response");
        let reply = |mut line: Value| {
            (line["response"]["request_id"].as_str().unwrap().to_owned(), line["response"]["response"].take())
        };
        heard.map(reply).collect()
    }

    /// The messages of its notices and errors.
    #[track_caller]
    pub fn messages(&self) -> Vec<String> {
        let messages = self.events().into_iter();
        messages.filter_map(|event| event["message"].as_str().map(str::to_owned)).collect()
    }

    /// Whether its supervisor runs: it holds a lock for as long as it does.
    #[track_caller]
    pub fn is_supervised(&self) -> bool {
        is_locked(&self.file("supervisor.lock"))
    }

    /// Waits until its supervisor is gone.
    #[track_caller]
    pub fn wait_until_unsupervised(&self) {
        let what = format!("the end of the supervisor of {}", self.id);
        wait_for(&what, WAIT_LIMIT, || (!self.is_supervised()).then_some(()));
    }

    /// The supervisor's process.
    #[track_caller]
    pub fn supervisor(&self) -> Pid {
        let what = format!("the supervisor of {}", self.id);
        let words = ["supervise", &self.id];
        wait_for(&what, WAIT_LIMIT, || {
            ProcessTable::read().started_with(&words).into_iter().rfind(|found| !is_copy_of_its_parent(*found))
        })
    }

    /// Stops the process of the supervisor, which then reads nothing until it is killed.
    #[track_caller]
    pub fn suspend_supervisor(&self) {
        kill_process(self.supervisor(), Signal::STOP).unwrap();
    }

    /// Kills the supervisor as a crash would, and waits until it is gone.
    #[track_caller]
    pub fn kill_supervisor(&self) {
        kill_process(self.supervisor(), Signal::KILL).unwrap();
        self.wait_until_unsupervised();
    }

    /// The living processes that carry the run's id in their environment.
    pub fn processes(&self) -> Vec<Pid> {
        ProcessTable::read().carrying("AGENCY_RUN_ID", self.id.as_ref())
    }

    /// Waits until no process carries the run's id.
    #[track_caller]
    pub fn wait_until_gone(&self) {
        let what = format!("the end of every process of {}", self.id);
        wait_for(&what, WAIT_LIMIT, || self.processes().is_empty().then_some(()));
    }

    /// The process id of the agent's last attempt.
    #[track_caller]
    pub fn agent(&self) -> Pid {
        let what = format!("the agent of {}", self.id);
        let pid = wait_for(&what, WAIT_LIMIT, || {
            let text = fs::read_to_string(self.file("events.ndjson")).ok()?;
            let mut newest_first = text.lines().rev();
            newest_first.find_map(|line| serde_json::from_str::<Value>(line).ok()?["pid"].as_i64())
        });
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }
}

/// Whether some process holds the lock at this path.
#[track_caller]
fn is_locked(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => file.try_lock_shared().is_err(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Whether a process has executed nothing yet since its parent made it: until then it has the arguments of its parent.
fn is_copy_of_its_parent(process: Pid) -> bool {
    let read = |pid: &str, file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let own = process.as_raw_nonzero().to_string();
    let status = read(&own, "status");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap_or_default().trim();
    read(parent, "cmdline") == read(&own, "cmdline")
}
