//! The output of a runner, in pieces that can be stored.

use std::fmt;
use std::time::Duration;

use agency_model::run::Exit;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::{AnsiStripper, ProcessRunner, RunnerEvent, Signal, Stream};
use crate::deadline::capped;

/// How long a stream that another process holds open may be silent once the program has exited.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long a killed program may take to be gone.
const KILL_LIMIT: Duration = Duration::from_secs(5);

/// Something a program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunnerOutput {
    /// Where.
    pub stream: Stream,
    /// Byte for byte.
    pub raw: Vec<u8>,
    /// The same as text without control sequences. One that is cut by the end of `raw` is missing in this piece and
    /// the next; a cut character is in the next.
    pub clean: String,
}

impl RunnerOutput {
    /// A piece of output: for tests of code that gets one.
    pub fn new(stream: Stream, raw: impl Into<Vec<u8>>, clean: impl Into<String>) -> Self {
        Self { stream, raw: raw.into(), clean: clean.into() }
    }
}

/// Reads from a runner until its program has exited.
///
/// The supervisor of a run does not use this: it reads from the runner's own buffers.
pub struct Listener {
    runner: Box<dyn ProcessRunner>,
    stdout: AnsiStripper,
    stderr: AnsiStripper,
    stage: EndStage,
    /// Once the program has exited: until when its streams may be silent. Counted from the call that waits, because a
    /// slow reader is not a silent program.
    silent_until: Option<Instant>,
    /// Whose clock limits the waits, also where another executor polls.
    runtime: Option<Handle>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pid, exit) = (self.runner.pid(), self.runner.exit());
        formatter.debug_struct("Listener").field("pid", &pid).field("exit", &exit).finish_non_exhaustive()
    }
}

/// How far the end has come.
#[derive(Debug, Clone, Copy)]
enum EndStage {
    Working,
    /// It was asked to end, and has until then.
    Asked(Instant),
    /// It was killed, and has until then to be gone.
    Killed(Instant),
    /// There is no more output.
    Over,
}

impl Listener {
    /// Reads from a runner from now on. Call this within the tokio runtime of the runner; any executor may wait for the
    /// output while that runtime runs.
    #[must_use]
    pub fn new(runner: Box<dyn ProcessRunner>) -> Self {
        Self {
            runner,
            stdout: AnsiStripper::new(),
            stderr: AnsiStripper::new(),
            stage: EndStage::Working,
            silent_until: None,
            runtime: Handle::try_current().ok(),
        }
    }

    /// The runner, to type something in or to change its size.
    pub fn runner(&mut self) -> &mut dyn ProcessRunner {
        &mut *self.runner
    }

    /// What the program writes next; `None` when it has exited and all its output was returned.
    ///
    /// Dropping this before it is ready loses nothing.
    pub async fn next(&mut self) -> Option<RunnerOutput> {
        loop {
            if self.is_over() {
                return self.unfinished();
            }
            if self.is_too_late() {
                // A program that always has more to say must not put this off.
                self.lose_patience();
                continue;
            }
            let event = match self.deadline() {
                Some(deadline) => {
                    let next = self.runner.next();
                    let limited = {
                        let _within = self.runtime.as_ref().map(Handle::enter);
                        timeout_at(deadline, next)
                    };
                    limited.await.ok()
                }
                None => Some(self.runner.next().await),
            };
            match event {
                Some(RunnerEvent::Wrote(stream, length)) => return Some(self.output(stream, length)),
                Some(RunnerEvent::Closed | RunnerEvent::Exited | RunnerEvent::TookInput) => {}
                None => self.lose_patience(),
            }
        }
    }

    /// Sends TERM to the whole group, and KILL after `grace`, also to processes of its session that are left when the
    /// program itself has exited. [`Self::next`] does the waiting and continues to return what they write meanwhile.
    pub fn terminate(&mut self, grace: Duration) {
        if let EndStage::Working = self.stage {
            self.runner.terminate();
            self.stage = EndStage::Asked(Instant::now() + capped(grace));
        }
    }

    /// Does the same as [`Self::terminate`], waits, and returns how the program ended; `None` if it did not. What the
    /// program writes meanwhile is not kept.
    pub async fn stop(&mut self, grace: Duration) -> Option<Exit> {
        self.terminate(grace);
        while self.next().await.is_some() {}
        self.runner.exit()
    }

    fn is_over(&self) -> bool {
        let is_silent = self.runner.exit().is_some() && self.runner.is_silent();
        match self.stage {
            EndStage::Working | EndStage::Killed(_) => is_silent,
            // What is left of its session has until then, too.
            EndStage::Asked(_) => is_silent && !self.runner.has_survivors(),
            EndStage::Over => true,
        }
    }

    fn is_too_late(&self) -> bool {
        match self.stage {
            EndStage::Working | EndStage::Over => false,
            EndStage::Asked(deadline) | EndStage::Killed(deadline) => Instant::now() >= deadline,
        }
    }

    fn deadline(&mut self) -> Option<Instant> {
        let limit = match self.stage {
            EndStage::Working | EndStage::Over => None,
            EndStage::Asked(deadline) | EndStage::Killed(deadline) => Some(deadline),
        };
        if self.runner.exit().is_none() {
            return limit;
        }
        let silent = *self.silent_until.get_or_insert_with(|| Instant::now() + LAST_WORDS);
        Some(limit.map_or(silent, |limit| limit.min(silent)))
    }

    fn lose_patience(&mut self) {
        self.silent_until = None;
        self.stage = match self.stage {
            EndStage::Asked(deadline) if Instant::now() >= deadline => {
                self.runner.signal(Signal::KILL);
                self.runner.kill_survivors();
                EndStage::Killed(Instant::now() + KILL_LIMIT)
            }
            EndStage::Asked(deadline) if self.runner.has_survivors() => EndStage::Asked(deadline),
            EndStage::Working | EndStage::Asked(_) | EndStage::Killed(_) | EndStage::Over => EndStage::Over,
        };
    }

    fn output(&mut self, stream: Stream, length: usize) -> RunnerOutput {
        self.silent_until = None;
        let raw = self.runner.written(stream, length).to_vec();
        let clean = self.cleaner(stream).feed(&raw);
        RunnerOutput { stream, raw, clean }
    }

    /// An incomplete character is returned once.
    fn unfinished(&mut self) -> Option<RunnerOutput> {
        [Stream::Stdout, Stream::Stderr].into_iter().find_map(|stream| {
            let clean = self.cleaner(stream).finish();
            (!clean.is_empty()).then(|| RunnerOutput { stream, raw: vec![], clean })
        })
    }

    fn cleaner(&mut self, stream: Stream) -> &mut AnsiStripper {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}
