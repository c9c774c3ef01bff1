//! What `agency run` tells the supervisor, and what the supervisor answers.
//!
//! Both go over a socket in the run directory. The environment travels here, so that no secret is
//! on a command line, in a file, or in a tmux server that is days old.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use agency_model::policy::Policy;
use agency_model::{ErrorCode, Host, Mode, Usage};
use serde::{Deserialize, Serialize};

use super::notifier::Notify;
use super::restart::{RestartPlan, Start};
use crate::adapter::StreamFormat;
use crate::config::ScreenSource;
use crate::process::TerminalSize;
use crate::workspace::UncommittedCheck;

/// The orders of a supervisor, apart from the environment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LaunchOrders {
    /// The agent's executable, absolute.
    pub program: PathBuf,
    /// What its first process is started with.
    pub start: Start,
    /// What further ones are started with, where the agent can continue a conversation.
    #[serde(rename = "again")]
    pub restart_plan: Option<RestartPlan>,
    /// How often it may crash, and what follows.
    pub restart: RestartRules,
    /// Whether it stays when its turn is over, and waits for a message.
    pub stays: bool,
    /// Where it works.
    pub directory: PathBuf,
    /// What it talks to.
    pub mode: Mode,
    /// What it prints.
    pub stream: StreamFormat,
    /// What its conversation has used before this run.
    pub spent: Usage,
    /// How its screen is read.
    pub screen: ScreenSource,
    /// What the supervisor runs in.
    pub host: Host,
    /// The size of its terminal until a viewer attaches.
    pub size: TerminalSize,
    /// How long it may run.
    pub wall_time_ms: Option<u64>,
    /// How long it may give no sign of life.
    pub no_progress_ms: Option<u64>,
    /// How long a question of it may wait for an answer.
    pub question_ms: Option<u64>,
    /// How long its screen may be one that is not recognised.
    pub unknown_ms: Option<u64>,
    /// The time between TERM and KILL.
    pub grace_ms: u64,
    /// How many runs may be live at once.
    pub max_agents: u32,
    /// Whether to wait for a free slot.
    pub may_wait: bool,
    /// How long to wait for the database.
    pub lock_timeout_ms: u64,
    /// Where the pid file goes, where that is not in the home.
    pub pid_dir: Option<PathBuf>,
    /// Which permissions need no human.
    #[serde(default)]
    pub policy: Policy,
    /// Whom to tell when the agent asks, and when the run is over.
    pub notify: Notify,
    /// The lock of the process that waits for the answer; when it is released, the run is stopped.
    #[serde(default, rename = "leash")]
    pub parent_lock: Option<PathBuf>,
    /// What to look for in the user's checkout, where that was not finished when the run was created.
    #[serde(default)]
    pub uncommitted: Option<UncommittedCheck>,
}

/// How often an agent may crash, and what follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartRules {
    /// How many crashes in a row end the run.
    pub failures_allowed: u32,
    /// The pauses before the next attempts; the last one holds for all that follow.
    pub pauses_ms: Vec<u64>,
    /// After which time without a crash the earlier ones do not count any more.
    pub healthy_ms: u64,
}

/// The supervisor's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The agent runs.
    Running,
    /// The run waits for a slot.
    Queued,
    /// The agent did not start; the row says so already.
    Failed {
        /// Why.
        code: ErrorCode,
        /// Why, in words.
        message: String,
    },
    /// The run was stopped before it began.
    Stopped,
}

/// The longest block that is accepted.
const MAX_BLOCK_BYTES: u32 = 64 * 1024 * 1024;

/// The environment of the agent.
pub(super) type Environment = BTreeMap<OsString, OsString>;

/// Hands the orders to a supervisor that has connected.
pub fn send_orders(
    stream: &mut impl Write,
    launch: &LaunchOrders,
    environment: &BTreeMap<OsString, OsString>,
) -> io::Result<()> {
    write_block(stream, &serde_json::to_vec(launch)?)?;
    let mut block = vec![];
    for (name, value) in environment {
        block.extend_from_slice(name.as_bytes());
        block.push(b'=');
        block.extend_from_slice(value.as_bytes());
        block.push(0);
    }
    write_block(stream, &block)
}

/// Receives what [`send_orders`] sent.
pub(super) fn receive_orders(stream: &mut impl Read) -> io::Result<(LaunchOrders, Environment)> {
    let launch = serde_json::from_slice(&read_block(stream)?)?;
    let block = read_block(stream)?;
    let entries = block.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (entry.get(..equals)?, entry.get(equals + 1..)?);
        Some((OsString::from_vec(name.to_vec()), OsStr::from_bytes(value).to_owned()))
    });
    Ok((launch, entries.collect()))
}

/// Sends the answer.
pub(super) fn send_report(stream: &mut impl Write, report: &Report) -> io::Result<()> {
    write_block(stream, &serde_json::to_vec(report)?)
}

/// Receives the answer.
pub fn receive_report(stream: &mut impl Read) -> io::Result<Report> {
    Ok(serde_json::from_slice(&read_block(stream)?)?)
}

fn write_block(stream: &mut impl Write, block: &[u8]) -> io::Result<()> {
    let length = u32::try_from(block.len()).ok().filter(|length| *length <= MAX_BLOCK_BYTES);
    let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(block)?;
    stream.flush()
}

fn read_block(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > MAX_BLOCK_BYTES {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut block = vec![0; length as usize];
    stream.read_exact(&mut block)?;
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::StdinPlan;

    #[test]
    fn orders_arrive_as_they_were_sent_whatever_bytes_the_environment_holds() {
        let launch = LaunchOrders {
            program: "/bin/true".into(),
            start: Start { args: vec!["--x".into()], stdin: StdinPlan::Text("hi\n".into()), opening: None },
            restart_plan: None,
            restart: RestartRules { failures_allowed: 3, pauses_ms: vec![1000], healthy_ms: 600_000 },
            stays: false,
            directory: "/tmp".into(),
            mode: Mode::Headless,
            stream: StreamFormat::Text,
            spent: Usage::default(),
            screen: ScreenSource::None,
            host: Host::Detached,
            size: TerminalSize::UNSEEN,
            wall_time_ms: None,
            no_progress_ms: None,
            question_ms: None,
            unknown_ms: None,
            grace_ms: 1,
            max_agents: 8,
            may_wait: true,
            lock_timeout_ms: 1,
            pid_dir: None,
            policy: Policy::default(),
            notify: Notify::default(),
            parent_lock: None,
            uncommitted: None,
        };
        let odd = OsString::from_vec(vec![b'a', b'=', b'\n', 0xff]);
        let environment = BTreeMap::from([("KEY".into(), odd), ("EMPTY".into(), OsString::new())]);
        let mut wire = vec![];
        send_orders(&mut wire, &launch, &environment).unwrap();
        let (received, received_environment) = receive_orders(&mut wire.as_slice()).unwrap();
        assert_eq!(received.start, launch.start);
        assert_eq!(received_environment, environment);
    }
}
