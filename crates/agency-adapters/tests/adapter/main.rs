//! The parsers against what the real agents printed, and against what no agent should print.

#![expect(clippy::disallowed_methods, reason = "the tests read recordings")]

#[cfg(test)]
mod acp;
#[cfg(test)]
mod agent_names;
#[cfg(test)]
#[path = "../any_pieces/mod.rs"]
mod any_pieces;
#[cfg(test)]
mod app_server;
#[cfg(test)]
mod app_server_questions;
#[cfg(test)]
mod app_server_talk;
#[cfg(test)]
mod chunking;
mod claude_kinds;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kept_texts;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod request_ids;
