//! Disk space: what takes it, and what of that nothing needs any more.
//!
//! ```
//! # use std::sync::atomic::AtomicBool;
//! # use agency_engine::{agency::Agency, config::Config};
//! # let place = tempfile::tempdir()?;
//! # let mut agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! use agency_engine::housekeeping::{Listener, UsageRequest};
//!
//! let stop = AtomicBool::new(false);
//! let usage = agency.disk_usage(&UsageRequest::default(), &Listener::silent(&stop))?;
//! assert!(usage.runs.is_empty() && usage.bytes > 0);
//! // Nothing is removed that was not planned.
//! let plan = agency.gc_plan(None, &Listener::silent(&stop))?;
//! assert!(plan.entries.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The one rule: a worktree is removed as `agency rm` does it, and only if the removal has nothing to save.

mod error;
mod gc;
mod listener;
mod places;
mod size;
mod usage;

pub use self::error::HousekeepingError;
pub use self::gc::{DiskLimits, GcAction, GcCategory, GcEntry, GcNews, GcReport, KeptDirectory};
pub use self::listener::Listener;
pub use self::size::size_text;
pub use self::usage::{DiskKind, DiskUsage, KindUsage, RepositoryUsage, RunUsage, UsageRequest};
