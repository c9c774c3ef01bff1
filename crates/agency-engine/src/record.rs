//! What a run leaves in its files beside its logs: events, exit markers, and the pid file of its agent.
//!
//! The one rule: only the owner of a run writes them.

pub mod finish;
pub mod pid_file;

pub(crate) mod event_log;
