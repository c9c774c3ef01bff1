//! Callbacks for programs that run agents: an agent's output, its questions, the end of its run.
//!
//! Everything comes from the run's files, by cursors: a program that begins late, or is slow, misses nothing, and the
//! agent never waits for it. The program calls [`init`](crate::init()) first.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! use agency_model::{Answer, QuestionKind};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(ASKING)?;
//! let mut said = String::new();
//! let result = agency
//!     .watch_run(&run.id)
//!     .on_output(|text| said.push_str(text))
//!     .on_question(|asked| match asked.question.kind {
//!         QuestionKind::Permission if asked.question.detail.starts_with("cargo test") => Some(Answer::Allow { message: None }),
//!         // It stays in the inbox, for a user.
//!         _ => None,
//!     })
//!     .on_complete(|result| assert!(result.error.is_none()))
//!     .run()?;
//!
//! assert_eq!(said, "I should test this.");
//! assert_eq!(result.state, State::Completed);
//! assert_eq!(result.summary.as_deref(), Some("It works."));
//! # assert_eq!(result.changed_files.unwrap_or_default()[0].path, "tested");
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::io;

use agency_adapters::StreamFormat;
use agency_model::run::{ChangedPath, State};
use agency_model::spec::RunSpec;
use agency_model::{Answer, Event, Mode, QuestionId, RunId};

use crate::agency::Agency;
use crate::home::{HomeError, read_whole};
use crate::record::finish::read_markers;
use crate::runs::messages::DeliveryError;
use crate::runs::wait::WaitError;
use crate::store::{QuestionRow, QuestionState, RunRow, StoreError};
use crate::watch::{DirectoryWatch, EventReader, StopHandle, Tail};

/// The answer of the first callback, for the others.
const ANSWERED_BY: &str = "a program";

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CompletionResult {
    /// `completed`, `failed` or `killed`.
    pub state: State,
    /// The agent's last answer, where its stream is understood.
    pub summary: Option<String>,
    /// The files that differ from the base commit; absent if the run shared its workspace with its user.
    pub changed_files: Option<Vec<ChangedPath>>,
    /// What went wrong, beginning with its code.
    pub error: Option<String>,
}

impl CompletionResult {
    /// The end of a run in this state, without anything else: for tests of code that gets one.
    #[must_use]
    pub const fn new(state: State) -> Self {
        Self { state, summary: None, changed_files: None, error: None }
    }
}

/// Why watching a run broke off. The run continues.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WatcherError {
    /// The run could not be followed.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its [`StopHandle`] was stopped.
    #[error("watching {0} was stopped; the run continues")]
    Stopped(RunId),
    /// An answer could not be given.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
}

type OnOutput<'a> = Box<dyn FnMut(&str) + 'a>;
type OnQuestion<'a> = Box<dyn FnMut(&QuestionRow) -> Option<Answer> + 'a>;
type OnComplete<'a> = Box<dyn FnMut(&CompletionResult) + 'a>;

/// Watches one run, and calls back.
#[must_use = "nothing is watched before `run`"]
pub struct Watcher<'a> {
    agency: &'a mut Agency,
    id: RunId,
    stop: StopHandle,
    on_output: Option<OnOutput<'a>>,
    on_question: Option<OnQuestion<'a>>,
    on_complete: Option<OnComplete<'a>>,
}

impl fmt::Debug for Watcher<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watcher").field("id", &self.id).field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl Agency {
    /// Prepares to watch a run from its beginning, whether it has finished or not.
    ///
    /// An agent whose stream is not understood gives its output as it is:
    ///
    /// ```standalone_crate
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (mut agency, run, _place) = start(PLAIN)?;
    /// let mut said = String::new();
    /// agency.watch_run(&run.id).on_output(|text| said.push_str(text)).run()?;
    /// assert_eq!(said, "one\ntwo\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch_run(&mut self, id: &RunId) -> Watcher<'_> {
        Watcher {
            agency: self,
            id: id.clone(),
            stop: StopHandle::new(),
            on_output: None,
            on_question: None,
            on_complete: None,
        }
    }
}

impl<'a> Watcher<'a> {
    /// Stops [`run`](Self::run), from another thread or from a callback. The agent and its run continue.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Calls back with the agent's output.
    pub fn on_output(mut self, call: impl FnMut(&str) + 'a) -> Self {
        self.on_output = Some(Box::new(call));
        self
    }

    /// Calls back with each question that waits for an answer. The answer is delivered; without one, it waits on. Where
    /// another answer comes first, that answer stands.
    pub fn on_question(mut self, call: impl FnMut(&QuestionRow) -> Option<Answer> + 'a) -> Self {
        self.on_question = Some(Box::new(call));
        self
    }

    /// Calls back when the run has finished and all its output was handed out.
    pub fn on_complete(mut self, call: impl FnMut(&CompletionResult) + 'a) -> Self {
        self.on_complete = Some(Box::new(call));
        self
    }

    /// Watches until the run has finished.
    ///
    /// # Errors
    ///
    /// Fails with [`WatcherError::Stopped`] when its [`stop_handle`](Self::stop_handle) is stopped before, when the run is not known, when its files or the database cannot be read, and when an answer does not fit
    /// its question.
    pub fn run(mut self) -> Result<CompletionResult, WatcherError> {
        let run = self.agency.home.run(&self.id);
        let row = self.agency.store.run(&self.id)?;
        let stop = self.stop.clone();
        let (events, log) = (run.events(), run.stdout_log());
        let logs = log.parent().unwrap_or(run.path());
        let watch = DirectoryWatch::stopped_by(&[run.path(), logs], &self.stop).map_err(WaitError::from)?;
        let unreadable = |source| WaitError::Home(HomeError::new("read", run.path(), source));
        let mut events = (Tail::at(&events, 0).map_err(unreadable)?, EventReader::default());
        let mut output = if self.agency.understands(&row) {
            None
        } else {
            Some((Tail::at(&log, 0).map_err(unreadable)?, HalfText::default()))
        };
        while !stop.is_stopped() {
            let row = self.agency.store.run(&self.id)?;
            // The state is read first: what was written before the end is read after it.
            let over = row.state.is_terminal() || self.agency.settle(&row)?.is_some();
            if let (Some((cursor, half)), Some(call)) = (&mut output, &mut self.on_output) {
                let mut each = |text: &str| {
                    if !stop.is_stopped() {
                        call(text);
                    }
                };
                cursor.read(|piece| half.feed(piece, &mut each)).map_err(unreadable)?;
            }
            let mut arrived = vec![];
            let (cursor, reader) = &mut events;
            let keep = |piece: &[u8]| {
                arrived.extend(reader.feed(piece));
                Ok(())
            };
            cursor.read(keep).map_err(unreadable)?;
            for read in arrived.iter().take_while(|_| !stop.is_stopped()) {
                self.hear(&read.event.event)?;
            }
            if over && !stop.is_stopped() {
                return self.complete();
            }
            watch.wait(std::time::Duration::MAX);
        }
        Err(WatcherError::Stopped(self.id))
    }

    fn hear(&mut self, event: &Event) -> Result<(), WatcherError> {
        if let (Event::Output { text, .. }, Some(call)) = (event, &mut self.on_output) {
            call(text);
        }
        if let Event::Question { question_id, .. } = event {
            self.ask(question_id)?;
        }
        Ok(())
    }

    fn ask(&mut self, id: &QuestionId) -> Result<(), WatcherError> {
        let Some(call) = &mut self.on_question else { return Ok(()) };
        // An event is what was; whether it still waits is in the database.
        let row = self.agency.store.question(id)?.filter(|row| row.state == QuestionState::Open);
        let Some((row, answer)) = row.and_then(|row| call(&row).map(|answer| (row, answer))) else {
            return Ok(());
        };
        match self.agency.answer(&row, &answer, ANSWERED_BY) {
            // Another answer, or the end of the run, came first.
            Ok(_)
            | Err(
                DeliveryError::AlreadyAnswered { .. } | DeliveryError::Expired { .. } | DeliveryError::Refused { .. },
            ) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn complete(mut self) -> Result<CompletionResult, WatcherError> {
        let row = self.agency.store.run(&self.id)?;
        let (summary, changed_files) = match read_markers(&self.agency.home.run(&self.id)) {
            Some(ended) => (ended.summary, ended.changed_files),
            None => (None, None),
        };
        let result = CompletionResult { state: row.state, summary, changed_files, error: row.error };
        if let Some(call) = &mut self.on_complete {
            call(&result);
        }
        Ok(result)
    }
}

impl Agency {
    /// Whether the output of a run's agent comes as events.
    pub(crate) fn understands(&self, row: &RunRow) -> bool {
        let spec = read_whole(&self.home.run(&row.id).file("spec.json")).ok();
        let spec: Option<RunSpec> = spec.and_then(|text| serde_json::from_slice(&text).ok());
        let one_shot = spec.is_some_and(|spec| spec.one_shot);
        let agent = self.config.agent(&row.runner_kind);
        let stream = agent.map_or(StreamFormat::Text, |(_, agent)| agent.form(row.mode, one_shot).stream);
        row.mode == Mode::Headless && stream != StreamFormat::Text
    }
}

/// Bytes that may break off within a letter.
#[derive(Debug, Default)]
struct HalfText {
    half: Vec<u8>,
}

impl HalfText {
    /// Hands out all complete characters; a byte that is not text becomes `U+FFFD`.
    fn feed(&mut self, bytes: &[u8], mut call: impl FnMut(&str)) -> io::Result<()> {
        self.half.extend_from_slice(bytes);
        // Only an end that could still become a letter waits, whatever is before it.
        let last = self.half.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
        let is_cut = str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        let whole = self.half.len() - if is_cut { last.len() } else { 0 };
        let text: Vec<u8> = self.half.drain(..whole).collect();
        if !text.is_empty() {
            call(&String::from_utf8_lossy(&text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::HalfText;

    #[test]
    fn a_letter_that_comes_in_two_pieces_stays_one() {
        let (mut half, mut said) = (HalfText::default(), vec![]);
        for piece in [&b"h\xc3"[..], b"\xb6", b"\xff!", b"end"] {
            half.feed(piece, |text| said.push(text.to_owned())).unwrap();
        }
        assert_eq!(said, ["h", "ö", "\u{fffd}!", "end"]);
    }

    #[test]
    fn a_letter_stays_one_after_a_byte_that_is_not_text() {
        let (mut half, mut said) = (HalfText::default(), vec![]);
        for piece in [&b"\xffa\xe2\x82"[..], b"\xac\xff", b"\xc3", b"\xb6"] {
            half.feed(piece, |text| said.push(text.to_owned())).unwrap();
        }
        assert_eq!(said.concat(), "\u{fffd}a€\u{fffd}ö");
    }
}
