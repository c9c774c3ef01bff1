//! The supervisor: one process per run that owns the agent from start to end.
//!
//! It holds the run's lock for as long as it lives, is the only writer of the run's files, and
//! ends by writing the markers and then the row, so that a crash at any point can be reconciled.

mod act;
mod again;
mod agent_screen;
mod asking;
mod control;
mod denial_words;
mod doing;
mod ear;
mod finish;
mod last_words;
mod launch;
mod leash;
mod logs;
mod look;
mod notifier;
mod notify;
mod open_question;
mod orders;
mod pane;
mod relay;
mod render;
mod show;
mod slot;
mod stored;
mod talk;
mod timers;
mod turn;
mod typing;
mod unfinished;
mod unrecognised;
mod view;
mod viewer;

pub use again::{Again, SESSION, Start, WORDS};
pub use control::{ATTACH, BELL, INPUT, RESIZE, WAIT, WATCH, write_frame};
pub use launch::{Launch, Report, RestartRules, receive_report, send_orders};
pub use notifier::{Notification, Notify};
pub use orders::{SuperviseError, supervise};
