//! The condition of a process, as the kernel reports it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use rustix::param::clock_ticks_per_second;
use schemars::JsonSchema;
use serde::Serialize;

use super::ProcessHandle;
use super::stat::Stat;

/// Whether a process does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// It uses a processor, or waits for one.
    Running,
    /// It waits for something.
    Sleeping,
    /// It was stopped by a signal.
    Stopped,
}

impl ProcessState {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Sleeping => "sleeping",
            Self::Stopped => "stopped",
        }
    }
}

/// What a process is doing, and since when it is there.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Whether it does something.
    pub state: ProcessState,
    /// The processor time it used.
    pub used: Duration,
    /// When it was started.
    pub since: Timestamp,
    /// Its working directory, if that may be read.
    pub directory: Option<PathBuf>,
}

impl ProcessHandle {
    /// What it is doing; `None` if it is gone.
    #[must_use]
    pub fn condition(&self) -> Option<Condition> {
        let stat = Stat::read(self.pid()).ok()?;
        let condition = Condition {
            state: match stat.state {
                'R' => ProcessState::Running,
                'T' | 't' => ProcessState::Stopped,
                _ => ProcessState::Sleeping,
            },
            used: ticks(stat.used),
            since: started_at()?.checked_add(ticks(stat.started)).ok()?,
            directory: fs::read_link(format!("/proc/{}/cwd", self.pid())).ok(),
        };
        // Only now is it certain that all this was about it.
        self.is_running().then_some(condition)
    }
}

fn ticks(count: u64) -> Duration {
    Duration::from_millis(count.saturating_mul(1000) / clock_ticks_per_second().max(1))
}

/// When the machine was started.
fn started_at() -> Option<Timestamp> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let seconds = text.lines().find_map(|line| line.strip_prefix("btime "))?;
    Timestamp::from_second(seconds.trim().parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::Signal;

    use super::*;

    #[test]
    fn a_stopped_process_is_told_from_a_sleeping_one_and_a_dead_one_tells_nothing() {
        let before = Timestamp::now();
        let mut child = Command::new("sleep").arg("600").current_dir("/").spawn().unwrap();
        let process = ProcessHandle::open(child.id()).unwrap();
        process.signal(Signal::STOP);
        let condition = loop {
            let condition = process.condition().unwrap();
            if condition.state == ProcessState::Stopped {
                break condition;
            }
            std::thread::yield_now();
        };
        assert_eq!(condition.directory, Some("/".into()));
        // The kernel rounds the time at which the machine was started.
        assert!(condition.since.duration_since(before).as_secs().abs() < 60, "{condition:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(process.condition().is_none());
    }
}
