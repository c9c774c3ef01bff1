//! Requests to a supervisor. A row, so that none is lost when either process dies.

use std::time::Duration;

use agency_model::{QuestionId, RunId, WorkEvent};
use rusqlite::{OptionalExtension, params};
use tracing::info;

use super::columns::parsed;
use super::write::now;
use super::{Store, StoreError};

/// A request to a supervisor.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Request {
    /// Stop the run.
    Stop {
        /// The time between TERM and KILL, where it differs from the configuration.
        grace: Option<Duration>,
    },
    /// Send the agent this message.
    Message(String),
    /// Let the agent stop what it is doing, and stay.
    Interrupt(Interrupt),
    /// Bring the agent the answer to this question.
    Answer(QuestionId),
    /// Append this to the events: only the owner of a run writes them.
    Record(WorkEvent),
}

/// Whether an interrupt may withdraw a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// It may.
    Always,
    /// It may not: the caller is not allowed to answer.
    UnlessAsked,
}

/// What stands for [`Interrupt::UnlessAsked`]. An earlier version does not read it.
const UNLESS_ASKED: &str = "unless_asked";

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestOutcome {
    /// Whether it was done.
    pub succeeded: bool,
    /// What the supervisor saw.
    pub outcome: String,
}

impl Request {
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Stop { .. } => "stop",
            Self::Message(_) => "message",
            Self::Interrupt(_) => "interrupt",
            Self::Answer(_) => "answer",
            Self::Record(_) => "record",
        }
    }

    pub(super) fn content(&self) -> Option<String> {
        match self {
            Self::Stop { grace } => grace.map(|grace| grace.as_millis().to_string()),
            Self::Interrupt(Interrupt::Always) => None,
            Self::Interrupt(Interrupt::UnlessAsked) => Some(UNLESS_ASKED.to_owned()),
            Self::Message(text) => Some(text.clone()),
            Self::Answer(question) => Some(question.as_str().to_owned()),
            Self::Record(event) => serde_json::to_string(event).ok(),
        }
    }

    /// A kind of a newer agency is for a newer supervisor; this one cannot act on it.
    fn read(word: &str, content: Option<String>) -> Option<Self> {
        match (word, content) {
            ("stop", content) => {
                let milliseconds = content.and_then(|text| text.parse().ok());
                Some(Self::Stop { grace: milliseconds.map(Duration::from_millis) })
            }
            ("interrupt", None) => Some(Self::Interrupt(Interrupt::Always)),
            ("interrupt", Some(_)) => Some(Self::Interrupt(Interrupt::UnlessAsked)),
            ("message", Some(text)) => Some(Self::Message(text)),
            ("answer", Some(question)) => question.parse().ok().map(Self::Answer),
            ("record", Some(event)) => serde_json::from_str(&event).ok().map(Self::Record),
            _ => None,
        }
    }
}

impl Store {
    /// Leaves a request for the supervisor of a run, and returns its number.
    pub fn request(&mut self, id: &RunId, request: &Request) -> Result<i64, StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "INSERT INTO requests (run_id, kind, content, created_at) VALUES (?1, ?2, ?3, ?4)",
            params![id.as_str(), request.as_str(), request.content(), now().to_string()],
        )?;
        let number = transaction.last_insert_rowid();
        transaction.commit()?;
        info!(run = %id, request = number, kind = request.as_str(), "request stored");
        Ok(number)
    }

    /// Whether a run has requests that were not taken yet.
    pub fn has_requests(&self, id: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM requests WHERE run_id = ?1 AND taken_at IS NULL LIMIT 1";
        Ok(self.connection()?.query_row(sql, [id.as_str()], |_| Ok(())).optional()?.is_some())
    }

    /// Takes the open requests of a run with their numbers, oldest first.
    pub fn take_requests(&mut self, id: &RunId) -> Result<Vec<(i64, Request)>, StoreError> {
        let transaction = self.begin()?;
        let mut taken = vec![];
        {
            let mut statement = transaction
                .prepare("SELECT id, kind, content FROM requests WHERE run_id = ?1 AND taken_at IS NULL ORDER BY id")?;
            let mut rows = statement.query([id.as_str()])?;
            while let Some(row) = rows.next()? {
                let request = Request::read(&row.get::<_, String>(1)?, row.get(2)?);
                let number: i64 = row.get(0)?;
                taken.extend(request.map(|request| (number, request)));
            }
        }
        transaction.execute(
            "UPDATE requests SET taken_at = ?2 WHERE run_id = ?1 AND taken_at IS NULL",
            params![id.as_str(), now().to_string()],
        )?;
        transaction.commit()?;
        for (number, request) in &taken {
            info!(run = %id, request = number, kind = request.as_str(), "request taken");
        }
        Ok(taken)
    }

    /// Stores the outcome of a request.
    pub fn finish_request(&mut self, number: i64, outcome: &RequestOutcome) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE requests SET done_at = ?2, succeeded = ?3, outcome = ?4 WHERE id = ?1 AND done_at IS NULL",
            params![number, now().to_string(), outcome.succeeded, outcome.outcome],
        )?;
        transaction.commit()?;
        info!(request = number, succeeded = outcome.succeeded, "request done");
        Ok(())
    }

    /// Whether a request is a message.
    pub fn is_message(&self, number: i64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM requests WHERE id = ?1 AND kind = 'message'";
        Ok(self.connection()?.query_row(sql, [number], |_| Ok(())).optional()?.is_some())
    }

    /// The run whose supervisor a request is for.
    pub fn run_of_request(&self, number: i64) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT run_id FROM requests WHERE id = ?1";
        let mut statement = self.connection()?.prepare_cached(sql)?;
        let mut rows = statement.query([number])?;
        rows.next()?.map(|row| parsed(row, 0, "run_id")).transpose()
    }

    /// Passes the messages that have no outcome from the runs that a run continues to that run, and returns how many.
    pub fn inherit_messages(&mut self, id: &RunId) -> Result<usize, StoreError> {
        let transaction = self.begin()?;
        let passed = transaction.execute(
            "UPDATE requests SET run_id = ?1, taken_at = NULL WHERE kind = 'message' AND done_at IS NULL AND run_id IN (\
             WITH RECURSIVE earlier (id) AS (SELECT parent_id FROM runs WHERE id = ?1 \
             UNION SELECT parent_id FROM runs JOIN earlier USING (id)) SELECT id FROM earlier)",
            [id.as_str()],
        )?;
        transaction.commit()?;
        info!(run = %id, passed, "messages of earlier runs passed on");
        Ok(passed)
    }

    /// The outcome of a request; none as long as it is open.
    pub fn request_outcome(&self, number: i64) -> Result<Option<RequestOutcome>, StoreError> {
        let sql = "SELECT succeeded, outcome FROM requests WHERE id = ?1 AND done_at IS NOT NULL";
        let read = |row: &rusqlite::Row<'_>| Ok(RequestOutcome { succeeded: row.get(0)?, outcome: row.get(1)? });
        Ok(self.connection()?.query_row(sql, [number], read).optional()?)
    }
}
