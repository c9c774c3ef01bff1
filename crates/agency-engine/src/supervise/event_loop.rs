//! The loop: everything that happens becomes one [`LoopEvent`], and one function handles it.

use std::io;

use agency_adapters::StreamItem;
use agency_model::Event;
use agency_system::process::reap_adopted;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::control::ControlMessage;
use super::notifier::Notifier;
use super::pane::{Pane, PaneNews};
use super::stream_reader::StreamReader;
use super::supervisor::Supervisor;
use super::timers::Timer;
use super::viewer::drain_viewers;
use crate::runner::{ProcessRunner, RunnerEvent};

/// The signals that the supervisor listens for.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    resize: Signal,
    child: Signal,
}

/// Anything that can happen.
enum LoopEvent {
    Agent(RunnerEvent),
    Understood(Vec<StreamItem>),
    Pane(PaneNews),
    Control(ControlMessage),
    Timer(Timer),
    Stop,
    Resized,
    Hangup,
    ChildExited,
}

impl Supervisor<'_> {
    /// Handles events until the run is over. Returns the notifier, whose programs may still run.
    pub(super) async fn run_to_end(mut self) -> Notifier {
        while !self.run.state().is_terminal() {
            let event = self.next().await;
            self.handle(event);
        }
        let viewers = std::mem::take(&mut self.viewers);
        let notifier = self.finish();
        drain_viewers(viewers).await;
        notifier
    }

    async fn next(&mut self) -> LoopEvent {
        let keeps_up = self.pane.as_ref().is_none_or(Pane::keeps_up)
            && self.protocol.reader.as_ref().is_none_or(StreamReader::keeps_up);
        // Control comes before a flood of output.
        tokio::select! {
            biased;
            event = next_signal(self.signals.as_mut()) => event,
            Some(message) = self.control.recv() => LoopEvent::Control(message),
            timer = self.timers.next() => LoopEvent::Timer(timer),
            news = next_of_pane(self.pane.as_mut()) => LoopEvent::Pane(news),
            items = next_items(self.protocol.reader.as_mut()) => LoopEvent::Understood(items),
            event = next_of_agent(self.agent.as_deref_mut()), if keeps_up => LoopEvent::Agent(event),
        }
    }

    fn handle(&mut self, event: LoopEvent) {
        match event {
            LoopEvent::Agent(event) => self.handle_agent(event),
            LoopEvent::Understood(items) => self.handle_items(items),
            LoopEvent::Pane(PaneNews::Typed(length)) => {
                if let (Some(agent), Some(pane)) = (&mut self.agent, &self.pane) {
                    // Keys for an agent that reads no input have no effect, as on any terminal.
                    let _ = agent.type_in(pane.typed(length));
                }
            }
            LoopEvent::Pane(PaneNews::Shown) => {}
            LoopEvent::Pane(PaneNews::Gone) | LoopEvent::Hangup => self.lose_pane(),
            LoopEvent::Control(ControlMessage::Bell) => self.handle_requests(),
            LoopEvent::Control(ControlMessage::Attached { viewer, size }) => self.attach_viewer(viewer, size),
            LoopEvent::Control(ControlMessage::Watched(viewer)) => self.add_viewer(viewer),
            LoopEvent::Control(ControlMessage::CaughtUp) => self.catch_up(),
            LoopEvent::Control(ControlMessage::Input(bytes)) => {
                if let Some(agent) = &mut self.agent {
                    let _ = agent.type_in(&bytes);
                }
            }
            LoopEvent::Control(ControlMessage::Resized(size)) => self.resize(size),
            LoopEvent::Control(ControlMessage::Waiting(waiter)) => self.waiters.push(waiter),
            LoopEvent::Control(ControlMessage::Notice(message)) => {
                self.events.append(self.run.attempt(), Event::Notice { message });
            }
            LoopEvent::Timer(timer) => self.handle_timer(timer),
            LoopEvent::Stop => self.feed_stop(None),
            LoopEvent::Resized => {
                if let Some(size) = self.pane.as_ref().and_then(Pane::size) {
                    self.resize(size);
                }
            }
            LoopEvent::ChildExited => {
                self.collect_notifications();
                let own: Vec<u32> = self.agent.iter().map(|agent| agent.pid()).chain(self.notifier.pids()).collect();
                reap_adopted(&own);
                self.continue_drain();
            }
        }
    }

    fn handle_timer(&mut self, timer: Timer) {
        match timer {
            Timer::Run(timer) => self.feed(&timer.input()),
            Timer::Conversation(timer) => self.handle_conversation_timer(timer),
            Timer::Drain => self.drain_stage_over(),
            Timer::StoreActivity => self.store_activity(),
            Timer::ReadScreen => self.read_screen(),
            Timer::NextKey => self.type_next(),
            Timer::Notification => self.end_overdue_notifications(),
        }
    }

    fn handle_agent(&mut self, event: RunnerEvent) {
        match event {
            RunnerEvent::Wrote(stream, length) => self.keep_output(stream, length),
            RunnerEvent::TookInput => {}
            RunnerEvent::Exited => self.start_drain(),
            RunnerEvent::Closed => self.continue_drain(),
        }
    }
}

async fn next_signal(signals: Option<&mut Signals>) -> LoopEvent {
    match signals {
        Some(signals) => signals.next().await,
        None => std::future::pending().await,
    }
}

async fn next_of_agent(agent: Option<&mut (dyn ProcessRunner + 'static)>) -> RunnerEvent {
    match agent {
        Some(agent) => agent.next().await,
        None => std::future::pending().await,
    }
}

async fn next_items(reader: Option<&mut StreamReader>) -> Vec<StreamItem> {
    match reader {
        Some(reader) => reader.next().await,
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
    /// Starts to listen.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            resize: signal(SignalKind::window_change())?,
            child: signal(SignalKind::child())?,
        })
    }

    async fn next(&mut self) -> LoopEvent {
        tokio::select! {
            _ = self.terminate.recv() => LoopEvent::Stop,
            _ = self.interrupt.recv() => LoopEvent::Stop,
            _ = self.hangup.recv() => LoopEvent::Hangup,
            _ = self.resize.recv() => LoopEvent::Resized,
            _ = self.child.recv() => LoopEvent::ChildExited,
        }
    }
}
