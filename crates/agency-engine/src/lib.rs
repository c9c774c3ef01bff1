//! Runs agents: each in its own workspace, watched by its own supervisor, with nothing lost.
//!
//! The library never prints, exits or parses arguments; the `agency` binary does.
//!
//! # Where to begin
//!
//! | To … | use |
//! | --- | --- |
//! | start, list, stop, answer and remove runs | [`Agency`](agency::Agency), whose verbs are in [`runs`] |
//! | follow one run or all of them | [`runs::watcher`], [`runs::changes`], [`runs::inbox`]; files and directories with [`watch`] |
//! | keep named agents | [`AgentManager`](agents::AgentManager) |
//! | drive workflow sessions | [`Orchestrator`](orchestrator::Orchestrator), with files read by [`workflow`] |
//! | ask a question about sources | [`SubagentRunner`](ask::SubagentRunner), with [`sources`] |
//! | run a program on a terminal or on pipes | [`runner`] |
//! | supervise, in a program of one's own | [`supervise`](supervise::supervise) |
//!
//! Below them are the [`store`] (the database), the [`config`]uration, the [`home`] (file names), [`agent_files`] (the
//! files of agents) and [`wire`] (what processes send each other). A use between modules points down: `scripts/figures`
//! refuses cycles.
//!
//! [`adapter`] and [`screen`] are the crate `agency-adapters`, [`workspace`] is the crate `agency-workspace`.
//!
//! Modules that only the `agency` binary and the tests need are hidden from this documentation.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub use agency_adapters as adapter;
pub use agency_adapters::screen;
pub use agency_workspace as workspace;

#[doc(hidden)]
pub use agency_system::{fault, lock, process, uuid};

pub mod agency;
pub mod agent_files;
pub mod agents;
pub mod ask;
pub mod config;
pub mod home;
pub mod orchestrator;
pub mod runner;
pub mod runs;
pub mod sources;
pub mod store;
pub mod supervise;
pub mod watch;
pub mod wire;
pub mod workflow;

#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod scripted;

mod variant_name;
