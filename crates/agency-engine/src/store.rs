//! The database where all processes meet: one SQLite file, WAL, short transactions.
//!
//! The one rule: a state is written only by [`Store::apply`], which asks the state machine; a
//! trigger refuses whatever else would be tried.

mod adopt;
mod columns;
mod ends;
mod error;
mod known;
mod open;
mod query;
mod questions;
mod requests;
mod row;
mod schema;
mod write;

pub(crate) use adopt::AdoptedRun;
pub use error::StoreError;
pub(crate) use known::{KnownRun, KnownRuns};
pub use query::{RunFilter, Selected};
pub use questions::{Answering, QuestionRow, QuestionState};
pub use requests::{Interrupt, Request, RequestOutcome, TakenRequest};
pub use row::RunRow;
pub use schema::SCHEMA_VERSION;
pub use write::{AgentNote, Applied, SlotAnswer};
pub(crate) use write::{error_text, now};

use std::path::PathBuf;

use rusqlite::Connection;

/// A connection to the database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Which file was opened; another one may be at the path by now.
    file: Option<open::FileIdentity>,
    /// Counts how often another file was found at the path.
    openings: u32,
}

#[cfg(test)]
mod tests;
