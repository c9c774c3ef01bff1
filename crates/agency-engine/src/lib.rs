//! Runs agents: store, workspaces, processes, hosts, supervisor, reconciliation.
//!
//! The one rule: nothing here prints, exits or parses arguments.

pub mod fault;
pub mod workspace;
