//! A runner without any program, so that code that manages runners can be tested without one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agency_model::run::Exit;
use tokio::sync::Notify;

use super::{InputClosed, NextEvent, ProcessRunner, RunnerEvent, Signal, Stream, TerminalSize};

/// No process has this number: it is above the largest that Linux gives.
const PID: u32 = i32::MAX.unsigned_abs();

/// One thing that a scripted program does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ScriptStep {
    /// Writes this.
    Say(Stream, Vec<u8>),
    /// Continues once this has been typed in since the last such step.
    AwaitInput(Vec<u8>),
    /// Continues once its input is closed.
    AwaitEndOfInput,
    /// From here on it takes no notice of any signal but KILL.
    IgnoreSignals,
    /// Goes away. What it says after that are its last words, still in the pipe.
    Exit(Exit),
}

/// Does what its script says, and records what was done to it.
///
/// At the end of a script without [`ScriptStep::Exit`] it waits for further steps, or for a signal that ends it.
#[derive(Debug)]
pub struct ScriptedRunner {
    shared: Arc<Shared>,
    last_stdout: Vec<u8>,
    last_stderr: Vec<u8>,
    open_streams: u8,
    exit: Option<Exit>,
}

/// The other end of a [`ScriptedRunner`], for the test that gave the runner away.
#[derive(Debug, Clone)]
pub struct ScriptedHandle {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    play: Mutex<Play>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Play {
    script: VecDeque<ScriptStep>,
    ignores_signals: bool,
    ended_by: Option<Signal>,
    typed: Vec<u8>,
    /// How much of what was typed the script has waited for already.
    awaited: usize,
    input_closed: bool,
    sizes: Vec<TerminalSize>,
    signals: Vec<Signal>,
}

impl ScriptedRunner {
    /// A program that does these things one after the other.
    pub fn new(script: impl IntoIterator<Item = ScriptStep>) -> Self {
        let play = Play { script: script.into_iter().collect(), ..Play::default() };
        let shared = Arc::new(Shared { play: Mutex::new(play), changed: Notify::new() });
        Self { shared, last_stdout: vec![], last_stderr: vec![], open_streams: 2, exit: None }
    }

    /// What a test keeps when it gives the runner away.
    #[must_use]
    pub fn handle(&self) -> ScriptedHandle {
        ScriptedHandle { shared: Arc::clone(&self.shared) }
    }

    /// The next step; none while it waits for input.
    fn act(&mut self) -> Option<RunnerEvent> {
        match self.shared.play().next(self.exit.is_some()) {
            Act::Say(Stream::Stdout, bytes) => {
                self.last_stdout = bytes;
                Some(RunnerEvent::Wrote(Stream::Stdout, self.last_stdout.len()))
            }
            Act::Say(Stream::Stderr, bytes) => {
                self.last_stderr = bytes;
                Some(RunnerEvent::Wrote(Stream::Stderr, self.last_stderr.len()))
            }
            Act::Exit(exit) => {
                self.exit = Some(exit);
                Some(RunnerEvent::Exited)
            }
            Act::Nothing if self.exit.is_some() && self.open_streams > 0 => {
                self.open_streams -= 1;
                Some(RunnerEvent::Closed)
            }
            Act::Nothing => None,
        }
    }
}

impl ProcessRunner for ScriptedRunner {
    fn pid(&self) -> u32 {
        PID
    }

    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(async {
            loop {
                if let Some(event) = self.act() {
                    return event;
                }
                self.shared.changed.notified().await;
            }
        })
    }

    fn written(&self, stream: Stream, length: usize) -> &[u8] {
        let said = match stream {
            Stream::Stdout => &self.last_stdout,
            Stream::Stderr => &self.last_stderr,
        };
        said.get(..length).unwrap_or_default()
    }

    fn type_in(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        let mut play = self.shared.play();
        if play.input_closed {
            return Err(InputClosed);
        }
        play.typed.extend(bytes);
        Ok(())
    }

    fn close_input(&mut self) {
        self.shared.play().input_closed = true;
    }

    fn resize(&mut self, size: TerminalSize) {
        self.shared.play().sizes.push(size);
    }

    fn signal(&self, signal: Signal) {
        if self.exit.is_none() {
            self.shared.play().receive(signal);
        }
    }

    fn exit(&self) -> Option<Exit> {
        self.exit
    }

    fn is_silent(&self) -> bool {
        self.open_streams == 0
    }
}

impl ScriptedHandle {
    /// Adds to the end of the script.
    pub fn then(&self, step: ScriptStep) {
        self.shared.play().script.push_back(step);
        self.shared.changed.notify_one();
    }

    /// Everything that was typed in.
    #[must_use]
    pub fn typed(&self) -> Vec<u8> {
        self.shared.play().typed.clone()
    }

    /// Whether its input was closed.
    #[must_use]
    pub fn input_is_closed(&self) -> bool {
        self.shared.play().input_closed
    }

    /// The sizes it was given, oldest first.
    #[must_use]
    pub fn sizes(&self) -> Vec<TerminalSize> {
        self.shared.play().sizes.clone()
    }

    /// The signals it was sent, oldest first.
    #[must_use]
    pub fn signals(&self) -> Vec<Signal> {
        self.shared.play().signals.clone()
    }
}

impl Shared {
    fn play(&self) -> MutexGuard<'_, Play> {
        // A test that panicked elsewhere left nothing half done in here.
        self.play.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Act {
    Say(Stream, Vec<u8>),
    Exit(Exit),
    Nothing,
}

impl Play {
    fn next(&mut self, is_gone: bool) -> Act {
        if let Some(signal) = self.ended_by.filter(|_| !is_gone) {
            self.script.clear();
            return Act::Exit(Exit { exit_code: None, signal: Some(signal.as_raw()) });
        }
        while self.is_ready() {
            match self.script.pop_front() {
                Some(ScriptStep::Say(stream, bytes)) => return Act::Say(stream, bytes),
                Some(ScriptStep::Exit(exit)) => return Act::Exit(exit),
                Some(ScriptStep::IgnoreSignals) => self.ignores_signals = true,
                Some(ScriptStep::AwaitInput(_) | ScriptStep::AwaitEndOfInput) => {}
                None => break,
            }
        }
        Act::Nothing
    }

    /// Whether what the next step waits for has happened.
    fn is_ready(&mut self) -> bool {
        match self.script.front() {
            Some(ScriptStep::AwaitInput(awaited)) => {
                let fresh = self.typed.get(self.awaited..).unwrap_or_default();
                let found = fresh.windows(awaited.len().max(1)).position(|window| window.starts_with(awaited));
                self.awaited += found.map_or(0, |place| place + awaited.len());
                found.is_some()
            }
            Some(ScriptStep::AwaitEndOfInput) => self.input_closed,
            Some(ScriptStep::Say(..) | ScriptStep::IgnoreSignals | ScriptStep::Exit(_)) | None => true,
        }
    }

    fn receive(&mut self, signal: Signal) {
        self.signals.push(signal);
        let ends = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT].contains(&signal) && !self.ignores_signals;
        if ends || signal == Signal::KILL {
            self.ended_by = Some(signal);
        }
    }
}
