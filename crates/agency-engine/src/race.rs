//! `agency race`: several agents or models get one prompt on one base; their work is verified in the same way, and one of
//! them lands.
//!
//! The one rule: a run cannot influence how it or another one is verified. Each is verified in a tree of agency's own
//! that has the tracked files of its work, the protected files of the base, and nothing else.
//!
//! ```
//! # use std::time::Duration;
//! # use agency_engine::race::VerifyRequest;
//! let mut request = VerifyRequest::new();
//! request.limit = Duration::from_secs(600);
//! ```

mod error;
mod standing;
mod start;
mod verify;

pub use error::RaceError;
pub use standing::{Race, RaceEntry};
pub use start::{FailedEntry, RaceRequest, StartedRace};
pub use verify::{RaceProgress, VerifyRequest};
