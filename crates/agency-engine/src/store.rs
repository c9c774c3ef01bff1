//! The database where all processes meet: one SQLite file, WAL, short transactions.
//!
//! The one rule: a state is written only by `Store::apply`, which asks the state machine; a
//! trigger refuses whatever else would be tried.
//!
//! Programs read rows through [`Agency`](crate::agency::Agency):
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! use agency_engine::store::{RunFilter, Selected};
//!
//! agency.wait(&run.id, None, State::is_terminal)?;
//! let runs = agency.list(&RunFilter::default().state(State::Completed).limit(10))?;
//! assert_eq!(runs[0].id, run.id);
//! // By its id, the beginning of its id, or its name.
//! assert!(matches!(agency.select(run.id.as_str())?, Selected::One(_)));
//! # Ok(())
//! # }
//! ```

mod adopt;
mod agency_questions;
mod approvals;
mod columns;
mod comments;
mod ends;
mod error;
mod files;
mod known;
mod names;
mod open;
mod open_comments;
mod ports;
mod query;
mod questions;
mod races;
mod requests;
mod row;
mod schema;
mod select;
mod timestamp;
mod trust;
mod write;

pub(crate) use adopt::AdoptedRun;
pub(crate) use agency_questions::{AgencyAnswer, ApprovedContent, trust_key};
pub use approvals::Approval;
pub use comments::CommentRow;
pub(crate) use comments::{Anchor, CommentDraft, Delivery};
pub use error::{SqliteError, StoreError};
pub(crate) use known::{KnownRun, KnownRuns};
#[doc(hidden)]
pub use names::MustBeFree;
pub(crate) use ports::PortRange;
pub use query::RunFilter;
#[doc(hidden)]
pub use questions::Answering;
pub use questions::{QuestionRow, QuestionState};
pub use races::{RaceResult, RaceRow};
#[doc(hidden)]
pub use requests::{Interrupt, Request, RequestOutcome};
pub use row::RunRow;
#[doc(hidden)]
pub use schema::SCHEMA_VERSION;
pub use select::{Purpose, Selected};
pub use trust::TrustedProject;
#[doc(hidden)]
pub use write::{AgentNote, Applied, SlotAnswer, StartedBy};
pub(crate) use write::{error_text, now};

use std::cell::OnceCell;
use std::path::PathBuf;

use rusqlite::Connection;

/// A connection to the database. A clone has one of its own.
#[doc(hidden)]
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
