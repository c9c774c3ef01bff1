//! Runs agents: each in its own workspace, watched by its own supervisor, with nothing lost.
//!
//! The library never prints, exits or parses arguments; the `agency` binary does.
//!
//! # Where to begin
//!
//! | To … | use |
//! | --- | --- |
//! | start, list, stop, answer and remove runs | [`Agency`](agency::Agency) with [`create`], [`messages`], [`stop`], [`remove`] |
//! | follow one run or all of them | [`watch`]: callbacks, events, directories, screens; [`inbox`] for questions |
//! | keep named agents | [`AgentManager`](agents::AgentManager) |
//! | drive workflow sessions | [`Orchestrator`](orchestrator::Orchestrator), with files read by [`workflow`] |
//! | ask a question about sources | [`SubagentRunner`](ask::SubagentRunner), with [`sources`] |
//! | run a program on a terminal or on pipes | [`runner`] |
//! | supervise, in a program of one's own | [`supervise`](supervise::supervise) |
//!
//! Below them are the [`store`] (the database), the [`workspace`]s of git and jj, the [`adapter`]s (what agents say and
//! how they are started), the [`screen`] rules, the [`config`]uration, the [`home`] (file names) and [`wire`] (what
//! processes send each other). A use between modules points down; `scripts/figures` lists the exceptions.
//!
//! Modules that only the `agency` binary and the tests need are hidden from this documentation.

pub mod adapter;
pub mod agency;
pub mod agents;
pub mod ask;
pub mod attach;
pub mod config;
pub mod create;
pub mod doctor;
pub mod home;
pub mod inbox;
pub mod messages;
pub mod orchestrator;
pub mod policy;
pub mod reconcile;
pub mod remove;
pub mod runner;
pub mod screen;
pub mod sources;
pub mod stop;
pub mod store;
pub mod supervise;
pub mod watch;
pub mod wire;
pub mod workflow;
pub mod workspace;

#[doc(hidden)]
pub mod adopt;
#[doc(hidden)]
pub mod caller;
#[doc(hidden)]
pub mod fault;
#[doc(hidden)]
pub mod finish;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod lock;
#[doc(hidden)]
pub mod orphans;
#[doc(hidden)]
pub mod pid_file;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod sample;
#[doc(hidden)]
pub mod scripted;
#[doc(hidden)]
pub mod stray;
#[doc(hidden)]
pub mod version;

#[cfg(test)]
mod bare_environment;
mod event_log;
mod follow;
mod serve;
mod tail;
mod uuid;
