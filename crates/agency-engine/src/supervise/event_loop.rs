//! The loop: everything that happens becomes one [`LoopEvent`], and one function handles it.

use std::io;

use agency_adapters::StreamItem;
use agency_model::Event;
use agency_system::process::reap_adopted;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Supervisor;
use super::checkpoints::Outcome;
use super::control::{ControlMessage, ControlServer};
use super::notifier::Notifier;
use super::pane::PaneNews;
use super::setup::SetupNews;
use super::stream_reader::StreamReader;
use super::timers::Timer;
use super::viewer::drain_viewers;
use crate::runner::RunnerEvent;

/// The signals that the supervisor listens for.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    resize: Signal,
    child: Signal,
}

/// What reaches the supervisor from outside, besides its agent and its pane.
pub(super) struct LoopInputs {
    /// None in a thread of a program, whose signals are its own.
    pub(super) signals: Option<Signals>,
    pub(super) control: ControlServer,
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
    Checkpoint(Option<Box<Outcome>>),
    Setup(SetupNews),
}

impl Supervisor<'_> {
    /// Handles events until the run has finished. Returns the notifier, whose programs may still run.
    pub(super) async fn run_to_end(mut self) -> Notifier {
        while !self.run.state().is_terminal() {
            let event = self.next().await;
            self.handle(event);
        }
        let viewers = self.display.take_viewers();
        let notifier = self.finish().await;
        drain_viewers(viewers).await;
        notifier
    }

    async fn next(&mut self) -> LoopEvent {
        let keeps_up = self.display.keeps_up() && self.protocol.reader.as_ref().is_none_or(StreamReader::keeps_up);
        // Control comes before a flood of output.
        tokio::select! {
            biased;
            event = next_signal(self.inputs.signals.as_mut()) => event,
            Some(message) = self.inputs.control.next() => LoopEvent::Control(message),
            timer = self.timers.next() => LoopEvent::Timer(timer),
            news = self.display.next_of_pane() => LoopEvent::Pane(news),
            outcome = self.checkpoints.next() => LoopEvent::Checkpoint(outcome.map(Box::new)),
            news = self.setup.next() => LoopEvent::Setup(news),
            items = next_items(self.protocol.reader.as_mut()) => LoopEvent::Understood(items),
            event = self.process.next(), if keeps_up => LoopEvent::Agent(event),
        }
    }

    fn handle(&mut self, event: LoopEvent) {
        match event {
            LoopEvent::Agent(event) => self.handle_agent(event),
            LoopEvent::Understood(items) => self.handle_items(items),
            LoopEvent::Pane(PaneNews::Typed(length)) => {
                // Keys for an agent that reads no input have no effect, as on any terminal.
                let _ = self.process.write(self.display.typed(length));
            }
            LoopEvent::Pane(PaneNews::Shown) => {}
            LoopEvent::Pane(PaneNews::Gone) | LoopEvent::Hangup => self.lose_pane(),
            LoopEvent::Control(ControlMessage::Wake) => self.handle_requests(),
            LoopEvent::Control(ControlMessage::Attached { viewer, size }) => self.attach_viewer(viewer, size),
            LoopEvent::Control(ControlMessage::Watched(viewer)) => self.display.add_viewer(viewer),
            LoopEvent::Control(ControlMessage::CaughtUp) => self.display.catch_up(),
            LoopEvent::Control(ControlMessage::Input(bytes)) => {
                let _ = self.process.write(&bytes);
            }
            LoopEvent::Control(ControlMessage::Resized(size)) => self.resize(size),
            LoopEvent::Control(ControlMessage::Waiting(waiter)) => self.waiters.push(waiter),
            LoopEvent::Control(ControlMessage::Notice(message)) => {
                self.append(Event::Notice { message });
            }
            LoopEvent::Timer(timer) => self.handle_timer(timer),
            LoopEvent::Stop => self.feed_stop(None),
            LoopEvent::Checkpoint(outcome) => self.checkpoint_taken(outcome.map(|outcome| *outcome)),
            LoopEvent::Setup(news) => self.handle_setup(news),
            LoopEvent::Resized => {
                if let Some(size) = self.display.pane_size() {
                    self.resize(size);
                }
            }
            LoopEvent::ChildExited => {
                self.collect_notifications();
                // Held, so that no command starts or ends between the two.
                let command = self.setup.child().hold();
                let own = self.process.pid().into_iter().chain(self.notifier.pids()).chain(*command);
                reap_adopted(&own.collect::<Vec<u32>>());
                drop(command);
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
            Timer::WriteSnapshot => self.write_snapshot(),
            Timer::ReleaseMemory => self.release_memory(),
            Timer::ReadScreen => self.read_screen(),
            Timer::NextKey => self.type_next(),
            Timer::Notification => self.end_overdue_notifications(),
        }
    }

    fn handle_agent(&mut self, event: RunnerEvent) {
        match event {
            RunnerEvent::Wrote(stream, length) => self.keep_output(stream, length),
            RunnerEvent::TookInput => {}
            RunnerEvent::Exited => {
                if let Some(panic) = self.process.panic() {
                    let message = format!("the runner of the agent panicked: {panic}");
                    self.append(Event::Error { message });
                }
                self.start_drain();
            }
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

async fn next_items(reader: Option<&mut StreamReader>) -> Vec<StreamItem> {
    match reader {
        Some(reader) => reader.next().await,
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
