//! The supervisor: one process per run that owns the agent from start to end.
//!
//! It holds the run's lock for as long as it lives, is the only writer of the run's files, and
//! ends by writing the markers and then the row, so that a crash at any point can be reconciled.

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
mod stream_reader;
mod supervisor;
mod timers;
mod typing;
mod unrecognised;
mod view;
mod viewer;

pub use notifier::Notification;
pub(crate) use startup::supervise_in_thread;
pub use startup::{SuperviseError, supervise};
