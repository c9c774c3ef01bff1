//! How a run ended, and the marker that proves it.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::State;
use crate::ErrorCode;
use crate::string_enum::string_enum;

/// How a process went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Exit {
    /// Its exit code, if it exited.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

impl Exit {
    /// Whether the process says it succeeded.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self.exit_code, Some(0))
    }
}

/// What the agent itself said about its work, in its own protocol. Agents exit with 0 after errors too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Nothing, or nothing that we understand: the exit code decides.
    None,
    /// It succeeded.
    Success,
    /// It succeeded, and was then ended by us because it did not go by itself: how it went says nothing.
    Dismissed,
    /// It failed.
    Failure,
}

string_enum! {
    /// Why a run has finished.
    Reason {
        /// The agent exited by itself.
        Exited = "exited",
        /// A user stopped it.
        Stopped = "stopped",
        /// Its wall time was over.
        WallTime = "wall_time",
        /// Nothing came from the agent, or no answer came to it, for too long.
        Timeout = "timeout",
        /// Its agent could not be started.
        CouldNotStart = "could_not_start",
        /// Its supervisor died without leaving a marker.
        Disappeared = "disappeared",
        /// Another program did it, whose worktree was imported.
        Imported = "imported",
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ending {
    /// The terminal state.
    pub state: State,
    /// How the last process exited, if it is known.
    pub exit: Option<Exit>,
    /// Why it has finished.
    pub reason: Reason,
    /// The code for a bad end that the exit code does not explain.
    pub code: Option<ErrorCode>,
    /// How many processes were started.
    pub attempts: u32,
}

/// The content of `done.json`, which the supervisor writes before the row, so that any process
/// can complete the record after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marker {
    /// The version of this format.
    pub schema_version: u32,
    /// The terminal state.
    pub state: State,
    /// The exit code of the last process.
    pub exit_code: Option<i32>,
    /// The signal that ended the last process.
    pub signal: Option<i32>,
    /// Why the run has finished.
    pub reason: Reason,
    /// The error as the row holds it.
    pub error: Option<String>,
    /// How many processes were started.
    pub attempts: u32,
    /// When the supervisor took the run over.
    pub started_at: Option<Timestamp>,
    /// When the run was over.
    pub ended_at: Timestamp,
    /// The agent's last answer, where its stream is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The files that differ from the base commit, as the workspace says, not the agent; absent if the run shared its
    /// workspace with its user or never had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_files: Option<Vec<ChangedPath>>,
}

/// A file that differs from the base commit of its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedPath {
    /// The path below the workspace; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The bytes of a path that is not UTF-8, as hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// What happened to it.
    pub status: ChangeStatus,
    /// Lines that are new; absent for a binary file.
    pub added: Option<u64>,
    /// Lines that are gone; absent for a binary file.
    pub removed: Option<u64>,
}

impl ChangedPath {
    /// What happened to a file of any name.
    #[must_use]
    pub fn new(path: &[u8], status: ChangeStatus) -> Self {
        let text = String::from_utf8_lossy(path);
        let hex = || path.iter().map(|byte| format!("{byte:02x}")).collect();
        let path_hex = matches!(text, Cow::Owned(_)).then(hex);
        Self { path: text.into_owned(), path_hex, status, added: None, removed: None }
    }

    /// The bytes of the path.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let digits = self.path_hex.as_ref().map(String::as_bytes).unwrap_or_default();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        bytes.filter(|bytes| !bytes.is_empty()).unwrap_or_else(|| self.path.clone().into_bytes())
    }
}

string_enum! {
    /// What happened to a file.
    ChangeStatus {
        /// It is new.
        Added = "added",
        /// Its content or mode is different.
        Modified = "modified",
        /// It is gone.
        Deleted = "deleted",
        /// It was called something else before.
        Renamed = "renamed",
        /// It became a file of another kind, as a symlink.
        TypeChanged = "type_changed",
    }
}
