//! Runs agents: where they work, how they are started, and what is known of them afterwards.
//!
//! The one rule: this crate prints nothing and decides no exit code; it returns values and errors.

pub mod config;
