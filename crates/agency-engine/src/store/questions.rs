//! Questions: what agents ask, stored before it is shown.

use std::str::FromStr;

use agency_model::{Answer, Caller, Question, QuestionId, RunId, SessionId, UnknownValue};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::info;

use super::columns::{optional_parsed, parsed, read_optional_text, read_text};
use super::requests::Request;
use super::write::now;
use super::{Store, StoreError};

/// The outcome of an answer whose supervisor was killed while it delivered the answer.
const DELIVERY_UNKNOWN: &str = "the run has finished; whether the agent received the answer is not known";

/// What has become of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// It has no answer yet.
    Open,
    /// There is an answer, which has not reached the agent yet.
    Answered,
    /// The agent has the answer.
    Delivered,
    /// The agent does not wait for an answer any more.
    Expired,
}

impl FromStr for QuestionState {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        match text {
            "open" => Ok(Self::Open),
            "answered" => Ok(Self::Answered),
            "delivered" => Ok(Self::Delivered),
            "expired" => Ok(Self::Expired),
            _ => Err(UnknownValue(text.to_owned())),
        }
    }
}

/// One row of the table `questions`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct QuestionRow {
    /// The question.
    pub id: QuestionId,
    /// Whose agent asks.
    pub run_id: RunId,
    /// The attempt that asked.
    pub attempt: u32,
    /// What has become of it.
    pub state: QuestionState,
    /// What is asked.
    pub question: Question,
    /// When.
    pub asked_at: Timestamp,
    /// The answer.
    pub answer: Option<Answer>,
    /// Who answered: a user, or a rule.
    pub answered_by: Option<String>,
    /// The process that answered; absent for rules, and for answers that older versions recorded.
    pub answered_from: Option<Caller>,
    /// When.
    pub answered_at: Option<Timestamp>,
    /// When the answer was delivered, or the question expired.
    pub settled_at: Option<Timestamp>,
    /// What was seen then.
    pub outcome: Option<String>,
    /// The question of an earlier process or run that this one repeats.
    pub repeats: Option<QuestionId>,
}

impl QuestionRow {
    /// A question that was asked now, and waits: for tests of code that gets one.
    #[must_use]
    pub fn open(id: QuestionId, run_id: RunId, question: Question) -> Self {
        Self {
            id,
            run_id,
            attempt: 1,
            state: QuestionState::Open,
            question,
            asked_at: now(),
            answer: None,
            answered_by: None,
            answered_from: None,
            answered_at: None,
            settled_at: None,
            outcome: None,
            repeats: None,
        }
    }
}

/// What answering did.
#[derive(Debug, Clone, PartialEq)]
pub enum Answering {
    /// It is the answer now, and the supervisor was asked to deliver it by this request.
    Recorded(i64),
    /// Another answer, or the end, was first.
    TooLate(Box<QuestionRow>),
    /// There is no such question.
    Unknown,
}

pub(super) const COLUMNS: &str = "id, run_id, attempt, state, content, asked_at, answer, answered_by, answered_at, settled_at, \
    outcome, repeats, answered_from";

/// Oldest first. The ids of one millisecond have no order.
const AS_ASKED: &str = "ORDER BY rowid";

/// The shortest end of an id that is looked for.
const MIN_SUFFIX_CHARS: usize = 4;
/// How many candidates an ambiguity lists.
const CANDIDATES: u32 = 10;

impl QuestionRow {
    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: parsed(row, 0, "id")?,
            run_id: parsed(row, 1, "run_id")?,
            attempt: row.get(2)?,
            state: parsed(row, 3, "state")?,
            question: read_text(row, 4, "content", |text| serde_json::from_str(text).ok())?,
            asked_at: parsed(row, 5, "asked_at")?,
            answer: read_optional_text(row, 6, "answer", |text| serde_json::from_str(text).ok())?,
            answered_by: row.get(7)?,
            answered_at: optional_parsed(row, 8, "answered_at")?,
            settled_at: optional_parsed(row, 9, "settled_at")?,
            outcome: row.get(10)?,
            repeats: optional_parsed(row, 11, "repeats")?,
            answered_from: read_optional_text(row, 12, "answered_from", |text| serde_json::from_str(text).ok())?,
        })
    }
}

impl Store {
    /// Stores a new question, and returns which earlier one it repeats. Only the holder of the run's lock calls it.
    pub fn ask(
        &mut self,
        id: &QuestionId,
        run: &RunId,
        attempt: u32,
        question: &Question,
    ) -> Result<Option<QuestionId>, StoreError> {
        let transaction = self.begin()?;
        let repeats = earlier(&transaction, run, question)?;
        transaction.execute(
            "INSERT INTO questions (id, run_id, attempt, state, kind, content, asked_at, repeats) \
             VALUES (?1, ?2, ?3, 'open', ?4, ?5, ?6, ?7)",
            params![
                id.as_str(),
                run.as_str(),
                attempt,
                question.kind.as_str(),
                json(question),
                now().to_string(),
                repeats.as_ref().map(QuestionId::as_str),
            ],
        )?;
        transaction.commit()?;
        info!(%run, question = %id, kind = question.kind.as_str(), "question stored");
        Ok(repeats)
    }

    /// The question with this id.
    pub fn question(&self, id: &QuestionId) -> Result<Option<QuestionRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM questions WHERE id = ?1");
        Ok(rows(self.connection()?, &sql, [id.as_str()])?.pop())
    }

    /// The questions whose id begins or ends so, newest first.
    pub fn questions_like(&self, prefix: &str) -> Result<Vec<QuestionRow>, StoreError> {
        let rest = prefix.strip_prefix("q_").unwrap_or(prefix).to_ascii_uppercase();
        if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(vec![]);
        }
        // Every character of an id is below 'a', so this is the range of all ids with the prefix.
        let sql = format!(
            "SELECT {COLUMNS} FROM questions WHERE (id >= 'q_' || ?1 AND id < 'q_' || ?1 || 'a') \
             OR (length(?1) >= {MIN_SUFFIX_CHARS} AND substr(id, -length(?1)) = ?1) ORDER BY id DESC LIMIT {CANDIDATES}"
        );
        rows(self.connection()?, &sql, [rest])
    }

    /// Whether the agent of a run waits for an answer.
    pub fn has_open_question(&self, run: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM questions \
                   WHERE run_id = ?1 AND attempt > 0 AND state IN ('open', 'answered') AND settled_at IS NULL LIMIT 1";
        Ok(self.connection()?.query_row(sql, [run.as_str()], |_| Ok(())).optional()?.is_some())
    }

    /// The open questions of agents and of agency itself, oldest first.
    pub fn open_questions(&self) -> Result<Vec<QuestionRow>, StoreError> {
        rows(self.connection()?, &format!("SELECT {COLUMNS} FROM questions WHERE state = 'open' {AS_ASKED}"), [])
    }

    /// All questions of a run, oldest first.
    pub fn questions_of(&self, run: &RunId) -> Result<Vec<QuestionRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM questions WHERE run_id = ?1 {AS_ASKED}");
        rows(self.connection()?, &sql, [run.as_str()])
    }

    /// The open questions of all runs of a workflow session, oldest first.
    pub fn questions_in_session(&self, session: &SessionId) -> Result<Vec<QuestionRow>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM questions WHERE state = 'open' \
             AND run_id IN (SELECT id FROM runs WHERE workflow_session = ?1) {AS_ASKED}"
        );
        rows(self.connection()?, &sql, [session.as_str()])
    }

    /// The runs that asked something, newest first.
    pub fn runs_that_asked(&self, most: u32) -> Result<Vec<RunId>, StoreError> {
        let mut statement =
            self.connection()?.prepare_cached("SELECT DISTINCT run_id FROM questions ORDER BY run_id DESC LIMIT ?1")?;
        let mut rows = statement.query([most])?;
        let mut found = vec![];
        while let Some(row) = rows.next()? {
            found.push(parsed(row, 0, "run_id")?);
        }
        Ok(found)
    }

    /// Answers a question; the first answer stands. The supervisor finds a request to deliver it.
    pub fn answer(
        &mut self,
        id: &QuestionId,
        answer: &Answer,
        by: &str,
        from: &Caller,
    ) -> Result<Answering, StoreError> {
        let transaction = self.begin()?;
        let sql = format!("SELECT {COLUMNS} FROM questions WHERE id = ?1");
        let Some(row) = rows(&transaction, &sql, [id.as_str()])?.pop() else {
            return Ok(Answering::Unknown);
        };
        if row.state != QuestionState::Open {
            return Ok(Answering::TooLate(Box::new(row)));
        }
        let at = now().to_string();
        transaction.execute(
            "UPDATE questions SET state = 'answered', answer = ?2, answered_by = ?3, answered_at = ?4, \
             answered_from = ?5 WHERE id = ?1",
            params![id.as_str(), json(answer), by, at, json(from)],
        )?;
        let request = Request::Answer(id.clone());
        transaction.execute(
            "INSERT INTO requests (run_id, kind, content, created_at) VALUES (?1, ?2, ?3, ?4)",
            params![row.run_id.as_str(), request.as_str(), request.content(), at],
        )?;
        let number = transaction.last_insert_rowid();
        transaction.commit()?;
        info!(run = %row.run_id, question = %id, request = number, "answer stored");
        Ok(Answering::Recorded(number))
    }

    /// Notes an answer that the supervisor itself gave, by a rule, and delivered.
    pub fn settle_by_rule(&mut self, id: &QuestionId, answer: &Answer, by: &str) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        let at = now().to_string();
        transaction.execute(
            "UPDATE questions SET state = 'answered', answer = ?2, answered_by = ?3, answered_at = ?4 \
             WHERE id = ?1 AND state = 'open'",
            params![id.as_str(), json(answer), by, at],
        )?;
        transaction.commit()?;
        info!(question = %id, "answer of a rule stored");
        Ok(())
    }

    /// Notes that an answer was delivered, and what was seen then.
    pub fn question_delivered(&mut self, id: &QuestionId, outcome: &str) -> Result<(), StoreError> {
        self.settle(id, "delivered", outcome)
    }

    /// Records that the question is closed, and why.
    pub fn question_expired(&mut self, id: &QuestionId, why: &str) -> Result<(), StoreError> {
        self.settle(id, "expired", why)
    }

    fn settle(&mut self, id: &QuestionId, state: &str, outcome: &str) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE questions SET state = ?2, settled_at = ?3, outcome = ?4 \
             WHERE id = ?1 AND state IN ('open', 'answered')",
            params![id.as_str(), state, now().to_string(), outcome],
        )?;
        transaction.commit()?;
        info!(question = %id, state, "question settled");
        Ok(())
    }
}

/// The run has finished: the open questions of its agent are withdrawn. An answer that its supervisor had taken, and of which it did not
/// store what became, may have reached the agent, so that its question has not expired.
pub(super) fn expire_all(transaction: &Transaction<'_>, run: &RunId, at: &str) -> Result<(), StoreError> {
    transaction.execute(
        "UPDATE questions SET settled_at = ?2, outcome = ?3 \
         WHERE run_id = ?1 AND state = 'answered' AND NOT EXISTS (SELECT 1 FROM requests \
         WHERE run_id = ?1 AND kind = 'answer' AND content = questions.id AND taken_at IS NULL)",
        params![run.as_str(), at, DELIVERY_UNKNOWN],
    )?;
    transaction.execute(
        "UPDATE questions SET state = 'expired', settled_at = ?2, outcome = 'the run has finished' \
         WHERE run_id = ?1 AND attempt > 0 AND state IN ('open', 'answered') AND settled_at IS NULL",
        params![run.as_str(), at],
    )?;
    Ok(())
}

/// The same question, asked before by this run or the one it continues, whose answer never arrived.
fn earlier(connection: &Connection, run: &RunId, question: &Question) -> Result<Option<QuestionId>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions WHERE state = 'expired' \
         AND run_id IN (?1, (SELECT parent_id FROM runs WHERE id = ?1)) {AS_ASKED} DESC LIMIT 50"
    );
    let same = |row: &QuestionRow| {
        let before = &row.question;
        (before.kind, &before.title, &before.detail) == (question.kind, &question.title, &question.detail)
    };
    Ok(rows(connection, &sql, [run.as_str()])?.into_iter().find(same).map(|row| row.id))
}

pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<QuestionRow>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut found = vec![];
    while let Some(row) = rows.next()? {
        found.push(QuestionRow::read(row)?);
    }
    Ok(found)
}

pub(super) fn json(value: &impl Serialize) -> String {
    // Plain data always has a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}
