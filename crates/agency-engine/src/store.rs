//! The database where all processes meet: one SQLite file, WAL, short transactions.
//!
//! The one rule: a state is written only by [`Store::apply`], which asks the state machine; a
//! trigger refuses whatever else would be tried.

mod adopt;
mod columns;
mod ends;
mod error;
mod files;
mod known;
mod names;
mod open;
mod query;
mod questions;
mod requests;
mod row;
mod schema;
mod select;
mod write;

pub(crate) use adopt::AdoptedRun;
pub use error::StoreError;
pub(crate) use known::{KnownRun, KnownRuns};
pub use names::MustBeFree;
pub use query::RunFilter;
pub use questions::{Answering, QuestionRow, QuestionState};
pub use requests::{Interrupt, Request, RequestOutcome, TakenRequest};
pub use row::RunRow;
pub use schema::SCHEMA_VERSION;
pub use select::{Purpose, Selected};
pub use write::{AgentNote, Applied, SlotAnswer};
pub(crate) use write::{error_text, now};

use std::cell::OnceCell;
use std::path::PathBuf;

use rusqlite::Connection;

/// A connection to the database. A clone has one of its own.
#[derive(Debug)]
pub struct Store {
    /// Empty in a clone that was not used yet.
    connection: OnceCell<Connection>,
    path: PathBuf,
    /// Which files were opened; others may be at the path by now.
    files: Option<files::Files>,
    /// Counts how often other files were found at the path.
    openings: u32,
}

impl Clone for Store {
    fn clone(&self) -> Self {
        Self { connection: OnceCell::new(), path: self.path.clone(), files: self.files, openings: 0 }
    }
}

#[cfg(test)]
mod tests;
