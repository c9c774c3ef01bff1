//! What a supervisor holds while its run is live.

use std::io;
use std::time::Duration;

use agency_model::run::{Phase, Progress, Run, State};
use agency_model::{Event, Mode, RunId};
use agency_system::process::TerminalSize;
use tokio::sync::mpsc;

use super::activity::ActivityRow;
use super::agent_screen::AgentScreen;
use super::control::{ControlMessage, Waiter};
use super::conversation::ConversationDriver;
use super::drain::DrainStage;
use super::event_loop::Signals;
use super::logs::Logs;
use super::notifier::Notifier;
use super::output::HeadlessOutput;
use super::pane::Pane;
use super::protocol::ProtocolReader;
use super::scope::SupervisorScope;
use super::screen_reader::ScreenReader;
use super::store_sync::StoreSync;
use super::timers::{RunTimer, Timer, Timers};
use super::typing::Typing;
use super::viewer::Viewer;
use crate::home::{Home, RunDirectory};
use crate::record::event_log::EventLog;
use crate::runner::ProcessRunner;
use crate::store::{RunRow, Store};
use crate::wire::Start;
use crate::wire::{Environment, LaunchOrders};

/// A supervisor at work.
pub(super) struct Supervisor<'a> {
    pub(super) scope: SupervisorScope,
    pub(super) home: &'a Home,
    pub(super) id: RunId,
    pub(super) directory: RunDirectory,
    pub(super) launch: LaunchOrders,
    /// What the next process is started with.
    pub(super) start: Start,
    /// The time between TERM and KILL.
    pub(super) grace: Duration,
    pub(super) environment: Environment,
    pub(super) run: Run,
    pub(super) row: RunRow,
    pub(super) store: Store,
    pub(super) store_sync: StoreSync,
    pub(super) events: EventLog,
    pub(super) logs: Logs,
    pub(super) protocol: ProtocolReader,
    pub(super) conversation: ConversationDriver,
    pub(super) activity_row: ActivityRow,
    pub(super) screen_reader: ScreenReader,
    pub(super) typing: Typing,
    pub(super) notifier: Notifier,
    /// Whether it was said that telling the user went wrong; once is enough.
    pub(super) notifying_failed: bool,
    pub(super) agent: Option<Box<dyn ProcessRunner>>,
    pub(super) pane: Option<Pane>,
    pub(super) viewers: Vec<Viewer>,
    pub(super) waiters: Vec<Waiter>,
    pub(super) screen: Option<AgentScreen>,
    pub(super) headless_output: HeadlessOutput,
    pub(super) size: TerminalSize,
    pub(super) timers: Timers,
    pub(super) drain: Option<DrainStage>,
    pub(super) start_error: Option<String>,
    pub(super) control: mpsc::Receiver<ControlMessage>,
    pub(super) signals: Option<Signals>,
}

impl<'a> Supervisor<'a> {
    pub(super) fn new(
        home: &'a Home,
        row: &RunRow,
        (scope, launch, environment): (SupervisorScope, LaunchOrders, Environment),
        store: Store,
        control: mpsc::Receiver<ControlMessage>,
    ) -> io::Result<Self> {
        let directory = home.run(&row.id);
        let mut events = EventLog::open(&directory.events()).map_err(io::Error::other)?;
        events.append(1, Event::StateChange { from: Some(State::Queued), to: State::Running });
        let pane = scope.pane(launch.mode)?;
        let size = pane.as_ref().and_then(Pane::size).unwrap_or(launch.size);
        let screen = (launch.mode == Mode::Interactive).then(|| AgentScreen::new(size));
        let (screen_reader, trouble) = ScreenReader::new(&launch.screen);
        if let Some(message) = trouble {
            events.append(1, Event::Error { message });
        }
        let phase = Phase::Starting(None);
        let progress = Progress::Running { attempt: 1, failures: 0, phase };
        let mut timers = Timers::default();
        if let Some(limit) = launch.wall_time_ms {
            timers.arm(Timer::Run(RunTimer::WallTime), Duration::from_millis(limit));
        }
        Ok(Self {
            home,
            id: row.id.clone(),
            logs: Logs::open(&directory).map_err(io::Error::other)?,
            protocol: ProtocolReader::new(&launch),
            conversation: ConversationDriver::default(),
            activity_row: ActivityRow::default(),
            screen_reader,
            typing: Typing::default(),
            notifier: Notifier::new(launch.notify.clone(), &environment),
            notifying_failed: false,
            run: Run { progress, failures_allowed: launch.restart.failures_allowed },
            start: launch.start.clone(),
            grace: Duration::from_millis(launch.grace_ms),
            directory,
            launch,
            environment,
            row: row.clone(),
            store,
            store_sync: StoreSync::default(),
            events,
            agent: None,
            pane,
            viewers: vec![],
            headless_output: HeadlessOutput::default(),
            waiters: vec![],
            screen,
            size,
            timers,
            drain: None,
            start_error: None,
            control,
            signals: scope.signals()?,
            scope,
        })
    }
}
