//! A private world for each test of the program: home, configuration, tmux server, repositories, scripted agents.
//!
//! The one rule: nothing of the user's is seen or touched, and nothing is left behind.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "this crate runs only inside tests, where a panic reports a failure"
)]

pub mod agent;
pub mod conversation;
mod environment;
mod jj;
mod leftovers;
pub mod long_way;
mod mcp_server;
pub mod model_server;
mod process;
mod process_table;
mod real_agent;
mod repo;
mod report;
mod run;
mod terminal;
mod wait;
mod world;

pub use agent::Agent;
pub use mcp_server::McpServer;
pub use model_server::{ModelServer, Request, Script, Turn};
pub use process::{Output, Process};
pub use process_table::ProcessTable;
pub use real_agent::{Form, RealAgent, mcp_sdk};
pub use repo::Repo;
pub use run::Run;
pub use terminal::Terminal;
pub use wait::wait_for;
pub use world::{JjKind, World};
