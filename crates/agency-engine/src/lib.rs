//! Runs agents: each in its own workspace, watched by its own supervisor, with nothing lost.
//!
//! The library never prints, exits or parses arguments; the `agency` binary does.

pub mod adapter;
pub mod adopt;
pub mod agency;
pub mod agents;
pub mod ask;
pub mod attach;
#[cfg(test)]
mod bare_environment;
pub mod caller;
pub mod config;
pub mod control_client;
pub mod create;
pub mod doctor;
pub mod event_log;
pub mod fault;
pub mod finish;
pub mod follow;
pub mod home;
pub mod host;
pub mod inbox;
pub mod lock;
pub mod messages;
pub mod orchestrator;
pub mod orphans;
pub mod pid_file;
pub mod policy;
pub mod process;
pub mod reconcile;
pub mod remove;
pub mod runner;
pub mod sample;
pub mod screen;
pub mod scripted;
pub mod serve;
pub mod sources;
pub mod stop;
pub mod store;
pub mod stray;
pub mod supervise;
mod tail;
mod uuid;
pub mod version;
pub mod watch;
pub mod workflow;
pub mod workspace;
