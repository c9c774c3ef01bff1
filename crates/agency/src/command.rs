//! One file per verb.

pub(crate) mod adapters;
pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod attach;
pub(crate) mod chat;
pub(crate) mod child;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod drive;
pub(crate) mod events;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod interrupt;
pub(crate) mod logs;
pub(crate) mod ls;
pub(crate) mod mcp;
pub(crate) mod policy;
pub(crate) mod reconcile;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod scripted;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod source;
pub(crate) mod stop;
pub(crate) mod tui;
pub(crate) mod wait;
pub(crate) mod why;
pub(crate) mod workflow;

/// The help of every argument that names a run.
const RUN_HELP: &str = "The run: its id, the beginning of its id, or its name";
