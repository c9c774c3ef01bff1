//! Runs agents: each in its own workspace, watched by its own supervisor, with nothing lost.
//!
//! The library never prints, exits or parses arguments; the `agency` binary does.

#[cfg(test)]
mod bare_environment;
pub mod config;
pub mod event_log;
pub mod fault;
pub mod finish;
pub mod home;
pub mod lock;
pub mod process;
pub mod sample;
pub mod scripted;
pub mod store;
pub mod supervise;
