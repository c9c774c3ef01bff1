//! A supervisor: what it consists of, and how it begins.
//!
//! The one rule: each part does its own I/O; the methods in the files of this folder connect them.

use std::io;
use std::time::Duration;

use agency_model::run::{Phase, Progress, Run, State};
use agency_model::{Event, RunId};

use super::checkpoints::Checkpoints;
use super::control::{ControlServer, Waiter};
use super::conversation::ConversationDriver;
use super::display::Display;
use super::event_loop::LoopInputs;
use super::files::RunFiles;
use super::notifier::Notifier;
use super::process::AgentProcess;
use super::protocol::ProtocolReader;
use super::scope::SupervisorScope;
use super::screen_reader::ScreenReader;
use super::setup::Setup;
use super::store_sync::RowSync;
use super::timers::{RunTimer, Timer, Timers};
use crate::home::Home;
use crate::store::{RunRow, Store};
use crate::wire::{Environment, LaunchOrders};

/// A supervisor whose run is live.
pub(super) struct Supervisor<'a> {
    pub(super) home: &'a Home,
    pub(super) id: RunId,
    pub(super) launch: LaunchOrders,
    /// The state machine of the run.
    pub(super) run: Run,
    /// The state machine of the conversation.
    pub(super) conversation: ConversationDriver,
    pub(super) timers: Timers,
    pub(super) inputs: LoopInputs,
    pub(super) process: AgentProcess,
    /// What a headless agent prints.
    pub(super) protocol: ProtocolReader,
    /// What an interactive agent shows.
    pub(super) screen_reader: ScreenReader,
    pub(super) files: RunFiles,
    pub(super) store: Store,
    /// The row as it was stored last.
    pub(super) row: RunRow,
    pub(super) row_sync: RowSync,
    pub(super) display: Display,
    pub(super) notifier: Notifier,
    pub(super) checkpoints: Checkpoints,
    pub(super) setup: Setup,
    /// Commands that wait for a change.
    pub(super) waiters: Vec<Waiter>,
}

impl<'a> Supervisor<'a> {
    pub(super) fn new(
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
    pub(super) fn append(&mut self, event: Event) {
        self.files.append(self.run.attempt(), event);
    }
}
