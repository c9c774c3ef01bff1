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
//!
//! Two machines of `agency-model` decide: [`run`](agency_model::run) about the process and the state, and
//! [`conversation`](agency_model::conversation) about messages, questions and activity. The files here do the I/O:
//!
//! | Topic | Files |
//! | --- | --- |
//! | From the start to the end | `startup`, `slot`, `supervisor`, `scope`, `setup`, `event_loop`, `timers`, `effects`, `drain`, `restart`, `finish` |
//! | The agent | `process`, `panics`, `output`, `protocol`, `screen_reader`, `typing` |
//! | The conversation | `conversation`, `messages`, `questions`, `asked_question`, `unrecognised`, `activity` |
//! | The worktree | `checkpoints` |
//! | What is kept | `files`, `logs`, `store_sync` |
//! | What is shown | `display`, `pane`, `view`, `viewer`, `agent_screen`, `partial_sequence`, `crlf`, `render` |
//! | Users | `control`, `notify`, `notifier`, `parent_watch` |

mod activity;
mod agent_screen;
mod asked_question;
mod checkpoints;
mod control;
mod conversation;
mod crlf;
mod display;
mod drain;
mod effects;
mod event_loop;
mod files;
mod finish;
mod logs;
mod messages;
mod notifier;
mod notify;
mod output;
mod pane;
mod panics;
mod parent_watch;
mod partial_sequence;
mod process;
mod protocol;
mod questions;
mod render;
mod restart;
mod scope;
mod screen_reader;
mod setup;
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

pub use self::notifier::Notification;
pub(crate) use self::startup::supervise_in_thread;
pub use self::startup::{SuperviseError, supervise};
use self::supervisor::Supervisor;
