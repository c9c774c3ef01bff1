//! Runs agents: each in its own workspace, watched by its own supervisor, with nothing lost.
//!
//! The library prints nothing and parses no arguments; the `agency` binary does. Only [`init`](init()) ends the process:
//! it is the first call of a program that runs agents, because the library starts that program again to supervise.
//!
//! ```standalone_crate
//! use std::sync::atomic::AtomicBool;
//!
//! use agency_engine::agency::Agency;
//! use agency_engine::config::Config;
//! use agency_engine::runs::create::RunRequest;
//! use agency_model::run::State;
//! use agency_model::{Host, Mode};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     agency_engine::init();
//!     # let place = tempfile::tempdir()?;
//!     # let repository = agency_engine::scripted::sample::create(&place.path().join("repository"))?.path;
//!     # let home = place.path().join("home");
//!     let mut agency = Agency::builder().home(home).config(Config::default()).build()?;
//!     let request = RunRequest::new(repository, "scripted").prompt("hello");
//!     let plan = agency.plan(request.mode(Mode::Headless).host(Host::Detached))?;
//!     let run = agency.create(&plan, &AtomicBool::new(false))?;
//!     let ended = agency.wait(&run.id, None, State::is_terminal)?;
//!     assert_eq!(ended.state, State::Completed);
//!     assert_eq!(std::fs::read_to_string(&ended.stdout_log_path)?, "hello\n");
//!     Ok(())
//! }
//! ```
//!
//! Without [`Host::Detached`](agency_model::Host::Detached), a run is in a tmux session where tmux is installed.
//! [`AgentManager`](agents::AgentManager), [`Orchestrator`](orchestrator::Orchestrator) and
//! [`SubagentRunner`](ask::SubagentRunner) are made from a clone of an [`Agency`](agency::Agency).
//!
//! # Where to begin
//!
//! | To … | use |
//! | --- | --- |
//! | start, list, stop, answer and remove runs | [`Agency`](agency::Agency), whose verbs are in [`runs`] |
//! | follow one run or all of them | [`runs::watcher`], [`runs::changes`], [`runs::inbox`]; files and directories with [`watch`] |
//! | keep named agents | [`AgentManager`](agents::AgentManager); in tests, [with scripted ones](agents::AgentManager::with_runner) |
//! | bring the work of runs into a branch, checked | [`land`], with the commands of a [`project`] |
//! | see what takes disk space, and remove what nothing needs | [`housekeeping`] |
//! | drive workflow sessions | [`Orchestrator`](orchestrator::Orchestrator), with files read by [`workflow`] |
//! | ask a question about sources | [`SubagentRunner`](ask::SubagentRunner), with [`sources`] |
//! | run a program on a terminal or on pipes | [`runner`] |
//! | supervise, in a program of one's own | [`init`](init()), or [`Init`] with adapters of one's own |
//! | teach the library another agent | [`AgentAdapter`](agency_adapters::AgentAdapter), given to [`Init`] and to [`AgencyBuilder`](agency::AgencyBuilder) |
//! | test a program without a model | the agent [`scripted`], and its sample repository |
//!
//! Below them are the [`store`] (rows of the database), the [`config`]uration and the [`home`] (file names).
//!
//! What an agent program is started with and prints is in the crate [`agency_adapters`], worktrees are in
//! [`agency_workspace`], processes and locks in [`agency_system`].
//!
//! # Stability
//!
//! Errors, events, requests, rows and settings of this crate are `#[non_exhaustive]`, because they will grow: requests are made by their
//! constructors, the configuration by changing fields of its default. Of other crates' types, only
//! [`Timestamp`](agency_model::Timestamp) and JSON values of `serde_json` are part of the interface.
//!
//! Modules that only the `agency` binary and the tests need are hidden from this documentation, and may change in any
//! version. So may what is seen with the feature `exhaustive`, which is for that binary.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![warn(missing_debug_implementations)]

pub mod agency;
pub mod agents;
pub mod ask;
pub mod config;
pub mod forecast;
pub mod home;
pub mod housekeeping;
pub mod land;
pub mod orchestrator;
pub mod project;
pub mod race;
pub mod runner;
pub mod runs;
pub mod scripted;
pub mod sources;
pub mod store;
pub mod supervise;
pub mod watch;
pub mod workflow;
pub mod worktree;

#[doc(hidden)]
pub mod agent_files;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod wire;

mod deadline;
mod init;
mod own_program;
mod variant_name;

pub use init::{ChildError, ChildProcess, Execution, Init, init};
#[doc(hidden)]
pub use own_program::own_executable;
pub use own_program::{NotInitialised, WorkDone};
