//! What can be done with runs: one file per verb, each of them methods of [`Agency`](crate::agency::Agency).
//!
//! | Verb | File |
//! | --- | --- |
//! | create, resume | [`create`] |
//! | list, select | `list` |
//! | wait, follow, watch | [`wait`], `follow`, [`changes`], [`inbox`], [`watcher`], `screen`; where output is read in [`output_form`] |
//! | send, interrupt, answer | [`messages`], for [`caller`]s that may; questions of agency itself in `agency_questions` |
//! | attach | [`attach`] |
//! | stop | [`stop`] |
//! | review, comment, approve | [`review`] |
//! | remove, restore | [`remove`] |
//! | reconcile, serve | [`reconcile`], `serve`; rows from files in [`adopt`], what crashes left in [`garbage`] and [`orphans`] |
//! | checkpoint | [`checkpoints`] |
//! | trust a project file | [`trust`] |
//! | doctor | [`doctor`] |
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(PLAIN)?;
//! use agency_engine::store::RunFilter;
//!
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! assert_eq!(ended.state, State::Completed);
//! assert_eq!(agency.list(&RunFilter::default())?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! The one rule: a verb that changes a run first settles it, so that a run whose supervisor died is never acted on as if
//! it were alive.

#[doc(hidden)]
pub mod adopt;
pub(crate) mod agency_questions;
pub mod attach;
#[doc(hidden)]
pub mod caller;
pub mod changes;
pub mod checkpoints;
pub mod create;
pub mod doctor;
#[doc(hidden)]
pub mod garbage;
pub mod import;
pub mod inbox;
pub mod list;
pub mod messages;
pub mod orphans;
pub mod output_form;
#[doc(hidden)]
pub mod policy;
pub mod reconcile;
pub mod remove;
pub mod review;
pub mod stop;
pub mod trust;
pub mod wait;
pub mod watcher;
pub mod worktree_plan;

mod follow;
mod names;
pub(crate) mod owner;
pub(crate) mod scratch;
mod screen;
mod screen_history;
mod serve;
pub(crate) mod user_repository;
pub mod work_events;
