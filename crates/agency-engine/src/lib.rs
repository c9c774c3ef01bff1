//! Runs agents, and keeps what they do from being lost.
//!
//! The one rule: nothing here prints, or knows of a command line.

#[cfg(test)]
mod bare_environment;
pub mod sample;
pub mod scripted;
