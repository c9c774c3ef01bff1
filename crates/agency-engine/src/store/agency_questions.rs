//! Questions that agency itself asks about a run: may an agent land its work, may the commands of a project be executed.
//!
//! The one rule: no supervisor takes part. The answer counts from the transaction that stores it, with what it allows.

use agency_model::{Answer, Caller, Question, QuestionId, QuestionKey, QuestionKind, RunId};
use rusqlite::{Transaction, params};
use tracing::info;
use ulid::Ulid;

use super::questions::{COLUMNS, json, rows};
use super::write::now;
use super::{QuestionRow, QuestionState, Store, StoreError};

/// The attempt of these questions. Those of agents begin with 1.
const ATTEMPT: u32 = 0;

/// The content of a project file that an answer approves.
#[derive(Debug)]
pub(crate) struct ApprovedContent {
    pub(crate) repo: String,
    pub(crate) sha256: String,
    pub(crate) commands: Vec<String>,
}

/// An answer to such a question.
#[derive(Debug)]
pub(crate) struct AgencyAnswer<'a> {
    pub(crate) answer: &'a Answer,
    pub(crate) by: &'a str,
    pub(crate) from: &'a Caller,
    /// What it means, in a sentence.
    pub(crate) outcome: &'a str,
    /// What is approved with it.
    pub(crate) approves: Option<ApprovedContent>,
}

impl QuestionRow {
    /// Whether agency itself asks, and not the agent of the run.
    #[must_use]
    pub const fn is_of_agency(&self) -> bool {
        self.attempt == ATTEMPT
    }
}

/// What the commands of a project file are asked about by.
pub(crate) fn trust_key(repo: &str, sha256: &str) -> QuestionKey {
    QuestionKey::whole(format!("trust:{sha256}:{repo}"))
}

impl Store {
    /// Asks the user about a run. If the same is asked already, or was answered, that question is returned; what was
    /// approved and withdrawn since is asked anew. An open one with the same key that asks about another state expires.
    pub(crate) fn ask_user(&mut self, run: &RunId, question: &Question) -> Result<QuestionRow, StoreError> {
        let transaction = self.begin()?;
        let asked = with_key(&transaction, question.kind, &question.key)?;
        let is_withdrawn = |row: &QuestionRow| {
            question.kind == QuestionKind::Trust && matches!(row.answer, Some(Answer::Allow { .. } | Answer::AllowAll))
        };
        let same = |row: &&QuestionRow| {
            row.state != QuestionState::Expired && row.question.detail == question.detail && !is_withdrawn(row)
        };
        if let Some(row) = asked.iter().rev().find(same) {
            return Ok(row.clone());
        }
        let outdated = asked.iter().filter(|row| row.state == QuestionState::Open);
        for row in outdated {
            expire(&transaction, &row.id, "it was asked anew, about a later state")?;
        }
        let id = QuestionId::from_ulid(Ulid::generate());
        transaction.execute(
            "INSERT INTO questions (id, run_id, attempt, state, kind, content, asked_at) \
             VALUES (?1, ?2, ?3, 'open', ?4, ?5, ?6)",
            params![id.as_str(), run.as_str(), ATTEMPT, question.kind.as_str(), json(question), now().to_string()],
        )?;
        transaction.commit()?;
        info!(%run, question = %id, kind = question.kind.as_str(), "question of agency stored");
        Ok(QuestionRow { attempt: ATTEMPT, ..QuestionRow::open(id, run.clone(), question.clone()) })
    }

    /// Answers such a question; the first answer stands. Returns whether this one does.
    pub(crate) fn answer_agency(&mut self, id: &QuestionId, given: &AgencyAnswer<'_>) -> Result<bool, StoreError> {
        let AgencyAnswer { answer, by, from, outcome, approves } = given;
        let transaction = self.begin()?;
        let answered = transaction.execute(
            "UPDATE questions SET state = 'delivered', answer = ?2, answered_by = ?3, answered_at = ?4, \
             answered_from = ?5, settled_at = ?4, outcome = ?6 WHERE id = ?1 AND state = 'open'",
            params![id.as_str(), json(answer), by, now().to_string(), json(from), outcome],
        )?;
        if let (1, Some(ApprovedContent { repo, sha256, commands })) = (answered, approves) {
            super::trust::insert(&transaction, repo, sha256, commands)?;
        }
        transaction.commit()?;
        info!(question = %id, answered, "answer to a question of agency stored");
        Ok(answered == 1)
    }

    /// Whether a user allowed all that is asked by this key.
    pub(crate) fn is_always_allowed(&self, kind: QuestionKind, key: &QuestionKey) -> Result<bool, StoreError> {
        let asked = with_key(self.connection()?, kind, key)?;
        Ok(asked.iter().any(|row| row.answer == Some(Answer::AllowAll)))
    }
}

/// The questions of agency with a key, oldest first.
fn with_key(
    connection: &rusqlite::Connection,
    kind: QuestionKind,
    key: &QuestionKey,
) -> Result<Vec<QuestionRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM questions WHERE attempt = {ATTEMPT} AND kind = ?1 ORDER BY rowid");
    let mut found = rows(connection, &sql, [kind.as_str()])?;
    found.retain(|row| row.question.key == *key);
    Ok(found)
}

fn expire(transaction: &Transaction<'_>, id: &QuestionId, why: &str) -> Result<(), StoreError> {
    transaction.execute(
        "UPDATE questions SET state = 'expired', settled_at = ?2, outcome = ?3 WHERE id = ?1 AND state = 'open'",
        params![id.as_str(), now().to_string(), why],
    )?;
    Ok(())
}

/// The content was approved in another way: nothing is left to ask.
pub(super) fn expire_about_content(transaction: &Transaction<'_>, repo: &str, sha256: &str) -> Result<(), StoreError> {
    for row in with_key(transaction, QuestionKind::Trust, &trust_key(repo, sha256))? {
        expire(transaction, &row.id, "the commands were approved by agency trust")?;
    }
    Ok(())
}

/// Nothing is left to ask about a run: all of it, or one kind.
pub(super) fn expire_about_run(
    transaction: &Transaction<'_>,
    run: &RunId,
    kind: Option<QuestionKind>,
    why: &str,
) -> Result<(), StoreError> {
    transaction.execute(
        "UPDATE questions SET state = 'expired', settled_at = ?2, outcome = ?3 \
         WHERE run_id = ?1 AND attempt = ?4 AND state = 'open' AND kind = coalesce(?5, kind)",
        params![run.as_str(), now().to_string(), why, ATTEMPT, kind.map(QuestionKind::as_str)],
    )?;
    Ok(())
}
