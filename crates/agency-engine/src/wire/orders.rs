//! The orders that `agency run` gives to a supervisor, and the report that the supervisor sends back.
//!
//! Both go over a socket in the run directory. The environment travels here, so that no secret is
//! on a command line, in a file, or in a tmux server that is days old.
//!
//! The one rule: the two may be of different versions. Orders without a version are of the version before the first, and
//! a field that is added later has a default.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use agency_adapters::{Opening, StreamFormat};
use agency_model::policy::Policy;
use agency_model::{ErrorCode, Host, Mode, Usage};
use agency_system::process::TerminalSize;
use agency_workspace::UncommittedCheck;
use serde::{Deserialize, Serialize};

use crate::config::ScreenSource;
use crate::runner::StdinPlan;
use crate::worktree::WorktreeOrders;

/// The version of the orders that are sent.
pub const ORDERS_VERSION: u32 = 1;

/// Stands for the agent's own id of the conversation. No argument can hold it by accident.
pub const SESSION: &str = "\0session\0";
/// Stands for the message that a restarted agent receives.
pub const WORDS: &str = "\0words\0";

/// What one process is started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// All its arguments.
    pub args: Vec<String>,
    /// What it reads.
    pub stdin: StdinPlan,
    /// What a conversation with it begins with, where there is one.
    pub opening: Option<Opening>,
}

/// What the next process is started with when one has crashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartPlan {
    /// If the agent was in the middle of its work.
    #[serde(rename = "midway")]
    pub mid_turn: Start,
    /// If it had nothing to do.
    pub idle: Start,
    /// The name of the agent's adapter.
    #[serde(default)]
    pub adapter: String,
}

/// Where notifications go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// Whether the bell rings in the run's pane.
    pub bell: bool,
    /// The program that shows something on the desktop, absolute.
    pub desktop: Option<PathBuf>,
    /// The user's own program, absolute, and its arguments.
    pub command: Option<(PathBuf, Vec<String>)>,
}

/// The orders of a supervisor, apart from the environment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LaunchOrders {
    /// [`ORDERS_VERSION`] of the sender; 0 for one that had none.
    #[serde(default)]
    pub version: u32,
    /// The agent's executable, absolute.
    pub program: PathBuf,
    /// What its first process is started with.
    pub start: Start,
    /// What further ones are started with, where the agent can continue a conversation.
    #[serde(rename = "again")]
    pub restart_plan: Option<RestartPlan>,
    /// The adapter of its agent, if the program has registered it; a supervisor that does not know it refuses.
    #[serde(default)]
    pub adapter: Option<String>,
    /// How often it may crash, and what follows.
    pub restart: RestartRules,
    /// Whether it stays after its turn, and waits for a message.
    pub stays: bool,
    /// Where it works.
    pub directory: PathBuf,
    /// What it is connected to: a screen or a stream.
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
    /// How long it may make no progress.
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
    /// Which permissions need no user.
    #[serde(default)]
    pub policy: Policy,
    /// Where notifications go when the agent asks, and when the run has finished.
    pub notify: Notify,
    /// The lock of the process that waits for the answer; when it is released, the run is stopped.
    #[serde(default, rename = "leash")]
    pub parent_lock: Option<PathBuf>,
    /// What to look for in the user's checkout, where that was not finished when the run was created.
    #[serde(default)]
    pub uncommitted: Option<UncommittedCheck>,
    /// How the worktree is prepared before the agent starts, where that is still to be done.
    #[serde(default)]
    pub worktree: Option<WorktreeOrders>,
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
    /// The agent did not start; which is in the row already.
    Failed {
        /// Why.
        code: ErrorCode,
        /// Why, in words.
        message: String,
    },
    /// The run was stopped before it began.
    Stopped,
}

/// The maximum size of an environment.
const MAX_BLOCK_BYTES: u32 = 64 * 1024 * 1024;

/// The environment of the agent.
pub type Environment = BTreeMap<OsString, OsString>;

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
pub fn receive_orders(stream: &mut impl Read) -> io::Result<(LaunchOrders, Environment)> {
    let launch: LaunchOrders = serde_json::from_slice(&read_block(stream)?)?;
    if launch.version > ORDERS_VERSION {
        let message = format!("the orders have version {}, and this program knows {ORDERS_VERSION}", launch.version);
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let block = read_block(stream)?;
    let entries = block.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (entry.get(..equals)?, entry.get(equals + 1..)?);
        Some((OsString::from_vec(name.to_vec()), OsStr::from_bytes(value).to_owned()))
    });
    Ok((launch, entries.collect()))
}

/// A report with its version.
#[derive(Debug, Serialize, Deserialize)]
struct VersionedReport {
    version: u32,
    report: Report,
}

/// Sends the report to the sender of orders of this version.
pub fn send_report(stream: &mut impl Write, orders_version: u32, report: &Report) -> io::Result<()> {
    let block = match orders_version {
        // A sender before the first version reads the report alone.
        0 => serde_json::to_vec(report)?,
        _ => serde_json::to_vec(&VersionedReport { version: ORDERS_VERSION, report: report.clone() })?,
    };
    write_block(stream, &block)
}

/// Receives the report, of a supervisor of any version.
pub fn receive_report(stream: &mut impl Read) -> io::Result<Report> {
    let block = read_block(stream)?;
    match serde_json::from_slice::<VersionedReport>(&block) {
        Ok(versioned) => Ok(versioned.report),
        Err(_) => Ok(serde_json::from_slice(&block)?),
    }
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

    fn orders() -> LaunchOrders {
        LaunchOrders {
            version: ORDERS_VERSION,
            program: "/bin/true".into(),
            start: Start { args: vec!["--x".into()], stdin: StdinPlan::Text("hi\n".into()), opening: None },
            adapter: None,
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
            worktree: None,
        }
    }

    fn sent(orders: &serde_json::Value) -> Vec<u8> {
        let mut wire = vec![];
        write_block(&mut wire, orders.to_string().as_bytes()).unwrap();
        write_block(&mut wire, b"KEY=value\0").unwrap();
        wire
    }

    #[test]
    fn orders_arrive_as_they_were_sent_whatever_bytes_the_environment_holds() {
        let launch = orders();
        let odd = OsString::from_vec(vec![b'a', b'=', b'\n', 0xff]);
        let environment = BTreeMap::from([("KEY".into(), odd), ("EMPTY".into(), OsString::new())]);
        let mut wire = vec![];
        send_orders(&mut wire, &launch, &environment).unwrap();
        let (received, received_environment) = receive_orders(&mut wire.as_slice()).unwrap();
        assert_eq!(received.start, launch.start);
        assert_eq!(received_environment, environment);
    }

    #[test]
    fn orders_without_a_version_are_understood_and_those_of_a_newer_one_are_refused() {
        let mut old = serde_json::to_value(orders()).unwrap();
        let fields = old.as_object_mut().unwrap();
        // What the version before the first did not send.
        for field in ["version", "policy", "leash", "uncommitted", "worktree"] {
            assert!(fields.remove(field).is_some(), "{field}");
        }
        let (received, environment) = receive_orders(&mut sent(&old).as_slice()).unwrap();
        assert_eq!((received.version, received.start), (0, orders().start));
        assert_eq!(environment, BTreeMap::from([("KEY".into(), "value".into())]));
        old["version"] = (ORDERS_VERSION + 1).into();
        let refused = receive_orders(&mut sent(&old).as_slice()).unwrap_err().to_string();
        assert_eq!(refused, "the orders have version 2, and this program knows 1");
    }

    #[test]
    fn reports_are_understood_by_senders_and_supervisors_of_both_versions() {
        let failed = Report::Failed { code: ErrorCode::MaxAgents, message: "8 runs are live".to_owned() };
        for report in [Report::Running, Report::Queued, failed, Report::Stopped] {
            let (mut old, mut new) = (vec![], vec![]);
            send_report(&mut old, 0, &report).unwrap();
            send_report(&mut new, ORDERS_VERSION, &report).unwrap();
            // A sender before the first version.
            let alone: Report = serde_json::from_slice(&read_block(&mut old.as_slice()).unwrap()).unwrap();
            assert_eq!(alone, report);
            assert_eq!(receive_report(&mut old.as_slice()).unwrap(), report);
            assert_eq!(receive_report(&mut new.as_slice()).unwrap(), report);
        }
    }
}
