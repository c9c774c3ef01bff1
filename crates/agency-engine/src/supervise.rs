//! The supervisor: one process per run that owns the agent from start to end.
//!
//! It holds the run's lock for as long as it lives, is the only writer of the run's files, and
//! ends by writing the markers and then the row, so that a crash at any point can be reconciled.
//!
//! A program does not call [`supervise`] itself: [`init`](crate::init()) does, in the process that the library starts.
//!
//! ```
//! use agency_engine::home::Home;
//! use agency_engine::supervise::{SuperviseError, supervise};
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! let run = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?;
//! let refused = runtime.block_on(async { supervise(&Home::new("/nowhere".into()), &run) });
//! assert!(matches!(refused, Err(SuperviseError::WithinRuntime)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activity;
mod agent_screen;
mod asked_question;
mod control;
mod conversation;
mod crlf;
mod drain;
mod effects;
mod event_loop;
mod finish;
mod logs;
mod messages;
mod notifier;
mod notify;
mod output;
mod pane;
mod parent_watch;
mod partial_sequence;
mod protocol;
mod questions;
mod render;
mod restart;
mod scope;
mod screen_reader;
mod slot;
mod startup;
mod store_sync;
mod supervisor;
mod timers;
mod typing;
mod unrecognised;
mod view;
mod viewer;

pub use notifier::Notification;
pub(crate) use startup::supervise_in_thread;
pub use startup::{SuperviseError, supervise};
