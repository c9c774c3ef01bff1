//! Reads from `events.ndjson` what the row and the questions of a run are rebuilt from.
//!
//! The one rule: total on any bytes. A line that is too long, damaged or unknown is skipped.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use agency_model::run::{Reason, State};
use agency_model::{Activity, Event, EventLine, QuestionId, RunId, Usage, WorkEvent};
use jiff::Timestamp;

use crate::home::open_to_read;
use crate::store::{QuestionRow, QuestionState, RunRow};

/// A longer line is nothing that a row is rebuilt from.
const MAX_LINE_BYTES: u64 = 4 * 1024 * 1024;
/// The outcome of a question that was open when its run ended.
const RUN_HAS_FINISHED: &str = "the run has finished";

/// What the events of a run record about it.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) created_at: Option<Timestamp>,
    running_since: Option<Timestamp>,
    attempt: u32,
    usage: Usage,
    activity: Option<(Activity, Timestamp)>,
    end: Option<End>,
    landed: Option<Landed>,
    questions: Vec<QuestionRow>,
    /// Where in the list a question is.
    places: HashMap<QuestionId, usize>,
}

/// Where the work was brought last.
#[derive(Debug)]
struct Landed {
    target: String,
    commit: String,
    at: Timestamp,
}

#[derive(Debug)]
struct End {
    state: State,
    exit_code: Option<i32>,
    reason: Reason,
    error: Option<String>,
    at: Timestamp,
}

impl History {
    /// Reads the events of a run; a missing file yields nothing.
    pub(super) fn read(id: &RunId, path: &Path) -> io::Result<Self> {
        let mut history = Self::default();
        match open_to_read(path) {
            Ok(file) => each_line(BufReader::new(file), |line| history.take_in(id, line))?,
            // Another kind of file in its place yields nothing either.
            Err(_) if path.symlink_metadata().is_ok_and(|found| !found.is_file()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(history)
    }

    fn take_in(&mut self, id: &RunId, line: &[u8]) {
        if !is_relevant(line) {
            return;
        }
        let Ok(EventLine { at, attempt, event, .. }) = serde_json::from_slice::<EventLine>(line) else {
            return;
        };
        self.created_at.get_or_insert(at);
        self.attempt = self.attempt.max(attempt);
        match event {
            Event::StateChange { to: State::Running, .. } => self.running_since = self.running_since.or(Some(at)),
            Event::Activity { activity, .. } => self.activity = Some((activity, at)),
            Event::Usage(usage) => self.usage = self.usage.plus(usage),
            Event::Completed { state, exit_code, reason, error } if state.is_terminal() => {
                self.end = Some(End { state, exit_code, reason, error, at });
            }
            Event::Question { question_id, question, repeats } => {
                self.places.insert(question_id.clone(), self.questions.len());
                self.questions.push(QuestionRow {
                    id: question_id,
                    run_id: id.clone(),
                    attempt,
                    state: QuestionState::Open,
                    question,
                    asked_at: at,
                    answer: None,
                    answered_by: None,
                    answered_from: None,
                    answered_at: None,
                    settled_at: None,
                    outcome: None,
                    repeats,
                });
            }
            Event::Answer { question_id, answer, by, outcome, delivered, answered_from } => {
                let place = self.places.get(&question_id).copied();
                let Some(row) = place.and_then(|place| self.questions.get_mut(place)) else { return };
                row.settled_at = Some(at);
                row.state = match delivered.unwrap_or(answer.is_some()) {
                    true => QuestionState::Delivered,
                    false => QuestionState::Expired,
                };
                if answer.is_some() {
                    (row.answered_by, row.answered_at, row.outcome) = (Some(by), Some(at), Some(outcome));
                } else {
                    row.outcome = Some(outcome.strip_prefix("expired: ").unwrap_or(&outcome).to_owned());
                }
                row.answer = answer;
                row.answered_from = answered_from.and_then(|from| serde_json::from_value(from).ok());
            }
            Event::Work(WorkEvent::Landed { target, commit, .. }) => self.landed = Some(Landed { target, commit, at }),
            Event::StateChange { .. }
            | Event::Attempt { .. }
            | Event::Exit { .. }
            | Event::Restart { .. }
            | Event::Notice { .. }
            | Event::Error { .. }
            | Event::Output { .. }
            | Event::Thinking { .. }
            | Event::Plan { .. }
            | Event::Task { .. }
            | Event::RateLimit { .. }
            | Event::Compaction { .. }
            | Event::ToolUse { .. }
            | Event::ToolResult { .. }
            | Event::Message { .. }
            | Event::Completed { .. }
            | Event::Work(_)
            | Event::Unknown { .. } => {}
        }
    }

    /// Brings a row up to date with the events. `is_over`: whether nothing will be added to them.
    pub(super) fn complete(&self, row: &mut RunRow, is_over: bool) {
        if let Some(Landed { target, commit, at }) = &self.landed {
            (row.landed_at, row.landed_into) = (Some(*at), Some(target.clone()));
            row.landed_commit = Some(commit.clone());
        }
        if row.state.is_terminal() {
            return;
        }
        if row.state == State::Queued && self.running_since.is_some() {
            row.state = State::Running;
            row.phase.get_or_insert_with(|| "working".to_owned());
        }
        row.started_at = row.started_at.or(self.running_since);
        row.attempt = row.attempt.max(self.attempt);
        if !self.usage.is_empty() {
            row.usage = self.usage;
        }
        if let (Some((activity, since)), State::Running) = (self.activity, row.state) {
            (row.activity, row.activity_at) = (Some(activity), Some(since));
        }
        if let (Some(end), true) = (&self.end, is_over) {
            row.state = end.state;
            (row.phase, row.activity, row.activity_at) = (None, None, None);
            (row.exit_code, row.reason, row.error) = (end.exit_code, Some(end.reason), end.error.clone());
            (row.ended_at, row.updated_at) = (Some(end.at), end.at);
        }
    }

    /// The questions of the run, of which none stays open if it has finished.
    pub(super) fn into_questions(mut self, row: &RunRow) -> Vec<QuestionRow> {
        if row.state.is_terminal() {
            for question in self.questions.iter_mut().filter(|question| question.state == QuestionState::Open) {
                question.state = QuestionState::Expired;
                question.settled_at = row.ended_at;
                question.outcome = Some(RUN_HAS_FINISHED.to_owned());
            }
        }
        self.questions
    }
}

/// Whether a line is of a type that is read here. The type stands before anything that an agent wrote.
fn is_relevant(line: &[u8]) -> bool {
    const KEY: &[u8] = b"\"type\":\"";
    const TYPES: [&[u8]; 8] =
        [b"state_change", b"attempt", b"activity", b"usage", b"completed", b"question", b"answer", b"landed"];
    let place = line.windows(KEY.len()).position(|window| window == KEY);
    let rest = place.and_then(|place| line.get(place + KEY.len()..)).unwrap_or_default();
    TYPES.iter().any(|name| rest.starts_with(name))
}

fn each_line(mut reader: impl BufRead, mut tell: impl FnMut(&[u8])) -> io::Result<()> {
    let mut line = vec![];
    loop {
        line.clear();
        let length = Read::by_ref(&mut reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') || (length as u64) < MAX_LINE_BYTES {
            tell(&line);
        } else {
            reader.skip_until(b'\n')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history_of(text: &[u8]) -> History {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.ndjson");
        std::fs::write(&path, text).unwrap();
        History::read(&"r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(), &path).unwrap()
    }

    #[test]
    fn usage_adds_up_and_rubbish_between_the_lines_does_no_harm() {
        let mut text = b"\xff\xfe\n{\"type\":\"usage\"\n".to_vec();
        for seq in 1..3 {
            text.extend(
                format!(
                    "{{\"seq\":{seq},\"at\":\"2026-01-01T00:00:00Z\",\"attempt\":{seq},\"type\":\"usage\",\
                     \"input_tokens\":5}}\n"
                )
                .into_bytes(),
            );
        }
        text.extend(vec![b'x'; usize::try_from(MAX_LINE_BYTES).unwrap() + 10]);
        text.extend(b"\n{\"seq\":3,\"at\":\"2026-01-01T00:00:01Z\",\"attempt\":2,\"type\":\"state_change\",");
        text.extend(b"\"from\":\"queued\",\"to\":\"running\"}\n{\"seq\":4,\"type\":\"comp");
        let history = history_of(&text);
        assert_eq!(history.usage.input_tokens, Some(10));
        assert_eq!(history.attempt, 2);
        assert_eq!(history.running_since.unwrap().to_string(), "2026-01-01T00:00:01Z");
        assert!(history.end.is_none());
    }
}
