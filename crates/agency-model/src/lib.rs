//! What a run is, as plain data and pure functions.
//!
//! The one rule: nothing here touches a file, a clock, the environment or another process.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod activity;
mod answer;
mod caller;
pub mod conversation;
pub mod document;
mod duration_text;
mod error_code;
mod escape;
mod event;
mod id;
mod json_text;
mod launch;
mod mcp;
mod nearest;
pub mod patch;
mod plain_text;
pub mod policy;
mod position;
mod question;
mod question_key;
pub mod review;
pub mod run;
mod run_name;
mod shell;
pub mod spec;
mod string_enum;
pub mod template;
pub mod transcript;
mod usage;
pub mod workflow;

pub use activity::Activity;
pub use answer::{Answer, Decision};
pub use caller::Caller;
pub use duration_text::{InvalidDuration, duration_text, parse_duration};
pub use error_code::ErrorCode;
pub use escape::{Escaper, Sgr, escaped_json, escaped_line, escaped_text};
pub use event::{Event, EventLine, LogOffsets, PlanStep, StepStatus, TaskStatus, WorkEvent, event_words, tool_subject};
pub use id::{InvalidQuestionId, InvalidRunId, InvalidSessionId, QuestionId, RunId, SessionId};
pub use json_text::JsonText;
pub use launch::{Host, HostChoice, Mode, RunKind, ThemeChoice, Vcs, VcsChoice, WorkspaceKind};
pub use mcp::{
    McpPreset, McpServer, McpServers, McpTransport, hide_mcp_values, merged_mcp_servers, parse_mcp_config,
    without_values,
};
pub use nearest::nearest;
pub use plain_text::{Spacer, cut, one_line, plain_text, spaced};
pub use position::Position;
pub use question::{Question, QuestionKind, QuestionOption, QuickAction, ShownQuestion, ToolRequest, UnfitAnswer};
pub use question_key::QuestionKey;
pub use run_name::{BranchParts, BranchTemplate, InvalidBranchTemplate, generated_name, numbered_name};
pub use shell::shell_quoted;
pub use string_enum::UnknownValue;
pub use usage::Usage;

/// A moment, to the nanosecond and without a time zone. It converts from and into `std::time::SystemTime`.
#[doc(inline)]
pub use jiff::Timestamp;
