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
//! | From the start to the end | `startup`, `slot`, `scope`, `setup`, `event_loop`, `timers`, `effects`, `drain`, `restart`, `finish` |
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
mod timers;
mod typing;
mod unrecognised;
mod view;
mod viewer;

use std::io;
use std::time::Duration;

use agency_model::run::{Phase, Progress, Run, State};
use agency_model::{Event, RunId};

use self::checkpoints::Checkpoints;
use self::control::{ControlServer, Waiter};
use self::conversation::ConversationDriver;
use self::display::Display;
use self::event_loop::LoopInputs;
use self::files::RunFiles;
use self::notifier::Notifier;
use self::process::AgentProcess;
use self::protocol::ProtocolReader;
use self::scope::SupervisorScope;
use self::screen_reader::ScreenReader;
use self::setup::Setup;
use self::store_sync::RowSync;
use self::timers::{RunTimer, Timer, Timers};
use crate::home::Home;
use crate::store::{RunRow, Store};
use crate::wire::{Environment, LaunchOrders};

pub use self::notifier::Notification;
pub(crate) use self::startup::supervise_in_thread;
pub use self::startup::{SuperviseError, supervise};

/// A supervisor whose run is live. Each part does its own I/O; the methods in the files above connect them.
struct Supervisor<'a> {
    home: &'a Home,
    id: RunId,
    launch: LaunchOrders,
    /// The state machine of the run.
    run: Run,
    /// The state machine of the conversation.
    conversation: ConversationDriver,
    timers: Timers,
    inputs: LoopInputs,
    process: AgentProcess,
    /// What a headless agent prints.
    protocol: ProtocolReader,
    /// What an interactive agent shows.
    screen_reader: ScreenReader,
    files: RunFiles,
    store: Store,
    /// The row as it was stored last.
    row: RunRow,
    row_sync: RowSync,
    display: Display,
    notifier: Notifier,
    checkpoints: Checkpoints,
    setup: Setup,
    /// Commands that wait for a change.
    waiters: Vec<Waiter>,
}

impl<'a> Supervisor<'a> {
    fn new(
        home: &'a Home,
        row: RunRow,
        (scope, launch, environment): (SupervisorScope, LaunchOrders, Environment),
        store: Store,
        control: ControlServer,
    ) -> io::Result<Self> {
        let directory = home.run(&row.id);
        let display = Display::new(scope.pane(launch.mode)?, launch.mode, launch.size, &directory);
        let mut files = RunFiles::open(directory).map_err(io::Error::other)?;
        files.append(1, Event::StateChange { from: Some(State::Queued), to: State::Running });
        let (screen_reader, mistake) = ScreenReader::new(&launch.screen);
        if let Some(message) = mistake {
            files.append(1, Event::Error { message });
        }
        let progress = Progress::Running { attempt: 1, failures: 0, phase: Phase::Starting(None) };
        let mut timers = Timers::default();
        if let Some(limit) = launch.wall_time_ms {
            timers.arm(Timer::Run(RunTimer::WallTime), Duration::from_millis(limit));
        }
        Ok(Self {
            home,
            id: row.id.clone(),
            checkpoints: Checkpoints::of(home, &row),
            run: Run { progress, failures_allowed: launch.restart.failures_allowed },
            conversation: ConversationDriver::default(),
            timers,
            inputs: LoopInputs { signals: scope.signals()?, control },
            protocol: ProtocolReader::new(&launch),
            screen_reader,
            files,
            store,
            row,
            row_sync: RowSync::default(),
            display,
            notifier: Notifier::new(launch.notify.clone(), &environment),
            setup: Setup::default(),
            waiters: vec![],
            process: AgentProcess::new(scope, environment, &launch),
            launch,
        })
    }

    /// Appends an event of the present attempt.
    fn append(&mut self, event: Event) {
        self.files.append(self.run.attempt(), event);
    }
}
