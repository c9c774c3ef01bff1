//! The loop: whatever happens becomes one arrival, and one function answers it.

use std::io;
use std::time::Duration;

use agency_model::run::{Input, Phase, Progress, Run, State, StopCause};
use agency_model::{Event, Mode, RunId};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::again::Start;
use super::agent_screen::AgentScreen;
use super::control::{ControlMessage, Waiter};
use super::doing::Doing;
use super::ear::Ear;
use super::last_words::LastWords;
use super::launch::{Environment, Launch};
use super::logs::Logs;
use super::look::Eye;
use super::notifier::Notifier;
use super::open_question::Asking;
use super::pane::{Pane, PaneNews};
use super::show::HeadlessOutput;
use super::stored::Stored;
use super::talk::Talk;
use super::timers::{Passed, Timers};
use super::typing::Typing;
use super::viewer::{Viewer, see_off};
use crate::event_log::EventLog;
use crate::home::{Home, RunDirectory};
use crate::process::{TerminalSize, reap_adopted};
use crate::runner::{ProcessRunner, RunnerEvent};
use crate::store::{RunRow, Store};

/// A supervisor at work.
pub(super) struct Supervisor<'a> {
    pub(super) home: &'a Home,
    pub(super) id: RunId,
    pub(super) directory: RunDirectory,
    pub(super) launch: Launch,
    /// What the next process is started with.
    pub(super) start: Start,
    /// The time between TERM and KILL.
    pub(super) grace: Duration,
    pub(super) environment: Environment,
    pub(super) run: Run,
    pub(super) row: RunRow,
    pub(super) store: Store,
    pub(super) stored: Stored,
    pub(super) events: EventLog,
    pub(super) logs: Logs,
    pub(super) ear: Ear,
    pub(super) talk: Talk,
    pub(super) asking: Asking,
    pub(super) doing: Doing,
    pub(super) eye: Eye,
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
    pub(super) last_words: Option<LastWords>,
    pub(super) trouble: Option<String>,
    bells: mpsc::Receiver<ControlMessage>,
    signals: Signals,
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    resize: Signal,
    child: Signal,
}

/// Anything that can happen.
enum Arrival {
    Agent(RunnerEvent),
    Pane(PaneNews),
    Control(ControlMessage),
    Timer(Passed),
    Stop,
    Resized,
    Hangup,
    Orphan,
}

impl<'a> Supervisor<'a> {
    pub(super) fn new(
        home: &'a Home,
        row: &RunRow,
        (launch, environment): (Launch, Environment),
        store: Store,
        bells: mpsc::Receiver<ControlMessage>,
    ) -> io::Result<Self> {
        let directory = home.run(&row.id);
        let mut events = EventLog::open(&directory.events()).map_err(io::Error::other)?;
        events.append(1, Event::StateChange { from: Some(State::Queued), to: State::Running });
        let pane = Pane::open(launch.mode)?;
        let size = pane.as_ref().and_then(Pane::size).unwrap_or(launch.size);
        let screen = (launch.mode == Mode::Interactive).then(|| AgentScreen::new(size));
        let (eye, trouble) = Eye::new(&launch.screen);
        if let Some(message) = trouble {
            events.append(1, Event::Error { message });
        }
        let phase = Phase::Starting(None);
        let progress = Progress::Running { attempt: 1, failures: 0, phase };
        let wall_time = launch
            .wall_time_ms
            .map(|limit| (Instant::now() + Duration::from_millis(limit), Input::Stop(StopCause::WallTime)));
        Ok(Self {
            home,
            id: row.id.clone(),
            logs: Logs::open(&directory).map_err(io::Error::other)?,
            ear: Ear::new(&launch),
            talk: Talk::default(),
            asking: Asking::default(),
            doing: Doing::nothing_yet(),
            eye,
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
            stored: Stored::default(),
            events,
            agent: None,
            pane,
            viewers: vec![],
            headless_output: HeadlessOutput::default(),
            waiters: vec![],
            screen,
            size,
            timers: Timers { wall_time, ..Timers::default() },
            last_words: None,
            trouble: None,
            bells,
            signals: Signals::listen()?,
        })
    }

    /// Answers arrivals until the run is over. What still tells the user about it is handed back.
    pub(super) async fn run_to_end(mut self) -> Notifier {
        while !self.run.state().is_terminal() {
            let arrival = self.next().await;
            self.answer(arrival);
        }
        let viewers = std::mem::take(&mut self.viewers);
        let notifier = self.finish();
        see_off(viewers).await;
        notifier
    }

    async fn next(&mut self) -> Arrival {
        let keeps_up = self.pane.as_ref().is_none_or(Pane::keeps_up);
        // Those who steer come before a flood of output.
        tokio::select! {
            biased;
            arrival = self.signals.next() => arrival,
            Some(message) = self.bells.recv() => Arrival::Control(message),
            passed = self.timers.next() => Arrival::Timer(passed),
            news = next_of_pane(self.pane.as_mut()) => Arrival::Pane(news),
            event = next_of_agent(self.agent.as_deref_mut()), if keeps_up => Arrival::Agent(event),
        }
    }

    fn answer(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Agent(event) => self.hear(event),
            Arrival::Pane(PaneNews::Typed(length)) => {
                if let (Some(agent), Some(pane)) = (&mut self.agent, &self.pane) {
                    agent.type_in(pane.typed(length));
                }
            }
            Arrival::Pane(PaneNews::Shown) => {}
            Arrival::Pane(PaneNews::Gone) | Arrival::Hangup => self.lose_pane(),
            Arrival::Control(ControlMessage::Bell) => self.look_at_requests(),
            Arrival::Control(ControlMessage::Attached { viewer, size }) => self.welcome(viewer, size),
            Arrival::Control(ControlMessage::Watched(viewer)) => self.admit(viewer),
            Arrival::Control(ControlMessage::CaughtUp) => self.catch_up(),
            Arrival::Control(ControlMessage::Input(bytes)) => {
                if let Some(agent) = &mut self.agent {
                    agent.type_in(&bytes);
                }
            }
            Arrival::Control(ControlMessage::Resized(size)) => self.resize(size),
            Arrival::Control(ControlMessage::Waiting(waiter)) => self.waiters.push(waiter),
            Arrival::Control(ControlMessage::Notice(message)) => {
                self.events.append(self.run.attempt(), Event::Notice { message });
            }
            Arrival::Timer(Passed::Input(input)) => self.feed(&input),
            Arrival::Timer(Passed::Drain) => self.last_words_are_over(),
            Arrival::Timer(Passed::Note) => self.note_activity(),
            Arrival::Timer(Passed::Life) => self.look_for_life(),
            Arrival::Timer(Passed::Question) => self.no_answer_came(),
            Arrival::Timer(Passed::Ask) => self.ask_again(),
            Arrival::Timer(Passed::Close) => self.end_conversation(),
            Arrival::Timer(Passed::Dismiss) => self.dismiss(),
            Arrival::Timer(Passed::Requests) => self.look_for_answers(),
            Arrival::Timer(Passed::Look) => self.look(),
            Arrival::Timer(Passed::Unrecognised) => self.ask_about_screen(),
            Arrival::Timer(Passed::Key) => self.type_next(),
            Arrival::Timer(Passed::Notify) => self.end_overdue_notifications(),
            Arrival::Stop => self.feed_stop(None),
            Arrival::Resized => {
                if let Some(size) = self.pane.as_ref().and_then(Pane::size) {
                    self.resize(size);
                }
            }
            Arrival::Orphan => {
                self.collect_notifications();
                let own: Vec<u32> = self.agent.iter().map(|agent| agent.pid()).chain(self.notifier.pids()).collect();
                reap_adopted(&own);
                self.listen_on();
            }
        }
    }

    fn hear(&mut self, event: RunnerEvent) {
        match event {
            RunnerEvent::Wrote(stream, length) => self.keep_output(stream, length),
            RunnerEvent::TookInput => {}
            RunnerEvent::Exited => self.hear_last_words(),
            RunnerEvent::Closed => self.listen_on(),
        }
    }
}

async fn next_of_agent(agent: Option<&mut (dyn ProcessRunner + 'static)>) -> RunnerEvent {
    match agent {
        Some(agent) => agent.next().await,
        None => std::future::pending().await,
    }
}

async fn next_of_pane(pane: Option<&mut Pane>) -> PaneNews {
    match pane {
        Some(pane) => pane.next().await,
        None => std::future::pending().await,
    }
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            resize: signal(SignalKind::window_change())?,
            child: signal(SignalKind::child())?,
        })
    }

    async fn next(&mut self) -> Arrival {
        tokio::select! {
            _ = self.terminate.recv() => Arrival::Stop,
            _ = self.interrupt.recv() => Arrival::Stop,
            _ = self.hangup.recv() => Arrival::Hangup,
            _ = self.resize.recv() => Arrival::Resized,
            _ = self.child.recv() => Arrival::Orphan,
        }
    }
}
