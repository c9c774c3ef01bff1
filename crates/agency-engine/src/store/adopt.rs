//! Writes rows that were rebuilt from the files of their runs.
//!
//! The one rule: a row only moves forward, by the transitions that the triggers allow.

use agency_model::run::State;
use agency_model::{QuestionId, RunId, SessionId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::known::{KnownRun, KnownRuns, last_two};
use super::questions::QuestionState;
use super::row::COLUMNS;
use super::{QuestionRow, RunRow, Store, StoreError};

/// A run as its files tell it.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedRun {
    pub(crate) row: RunRow,
    /// In the order in which they were asked.
    pub(crate) questions: Vec<QuestionRow>,
}

impl Store {
    /// What the files of all runs are compared with, by one pass over the table.
    pub(crate) fn known_runs(&self) -> Result<KnownRuns, StoreError> {
        let sql = "SELECT id, state, removed_at IS NOT NULL, updated_at, worktree_path FROM runs";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut known = KnownRuns::default();
        while let Some(row) = rows.next()? {
            let id = super::row::parsed(row, 0, "id", |text| text.parse().ok())?;
            let state = super::row::parsed(row, 1, "state", |text| text.parse().ok())?;
            let worktree =
                super::row::optional_parsed(row, 4, "worktree_path", |path| Some(last_two(path).to_owned()))?;
            let updated_at = super::row::parsed(row, 3, "updated_at", |text| text.parse().ok())?;
            known.add(id, KnownRun { state, removed: row.get(2)?, updated_at }, worktree);
        }
        Ok(known)
    }

    /// The same by reading every row whole, which finds values that are damaged.
    pub(crate) fn known_runs_thoroughly(&self) -> Result<KnownRuns, StoreError> {
        let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS} FROM runs"))?;
        let mut rows = statement.query([])?;
        let mut known = KnownRuns::default();
        // Thousands of rows at once would cost more memory than reading them costs time.
        while let Some(row) = rows.next()? {
            known.add_row(RunRow::read(row)?);
        }
        Ok(known)
    }

    /// Inserts runs that have no row, and brings rows forward to what the files tell; all in one transaction. Gives back
    /// the runs that contradict another row, which are left out.
    pub(crate) fn adopt(&mut self, runs: &[&AdoptedRun]) -> Result<Vec<(RunId, StoreError)>, StoreError> {
        let mut refused = vec![];
        let mut questions: Vec<&QuestionRow> = vec![];
        let mut transaction = self.begin()?;
        for run in runs {
            let part = transaction.savepoint()?;
            match adopt_row(&part, &run.row) {
                Ok(()) => {
                    part.commit()?;
                    questions.extend(&run.questions);
                }
                Err(error) if error.is_constraint() => refused.push((run.row.id.clone(), error)),
                Err(error) => return Err(error),
            }
        }
        // Questions are listed in the order of their insertion.
        questions.sort_by_key(|question| question.asked_at);
        for question in questions {
            write_question(&transaction, question)?;
        }
        transaction.commit()?;
        Ok(refused)
    }
}

fn adopt_row(connection: &Connection, row: &RunRow) -> Result<(), StoreError> {
    let sql = "SELECT state FROM runs WHERE id = ?1";
    let stored = connection.query_row(sql, [row.id.as_str()], |row| row.get::<_, String>(0)).optional()?;
    let from = match stored.as_deref().map(|text| text.parse::<State>().ok()) {
        Some(Some(state)) => state,
        Some(None) => return Err(StoreError::BadValue { column: "state", value: stored.unwrap_or_default() }),
        None => {
            insert(connection, row)?;
            State::Queued
        }
    };
    move_forward(connection, from, row)
}

fn insert(connection: &Connection, row: &RunRow) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO runs (id, name, state, repo_path, repo_fingerprint, base_ref, base_commit, new_branch, \
         worktree_path, workspace, runner_kind, runner_args_json, mode, host, restart_policy, created_at, updated_at, \
         stdout_log_path, stderr_log_path, tmux_session_name, tmux_socket, parent_id, kind, vcs, workflow_session) \
         VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15, ?16, ?17, ?18, ?19, \
         ?20, ?21, ?22, ?23)",
        params![
            row.id.as_str(),
            row.name,
            row.repo_path,
            row.repo_fingerprint,
            row.base_ref,
            row.base_commit,
            row.new_branch,
            row.worktree_path,
            row.workspace.as_str(),
            row.runner_kind,
            json(&row.runner_args),
            row.mode.as_str(),
            row.host.as_str(),
            row.restart_policy.as_str(),
            row.created_at.to_string(),
            row.stdout_log_path,
            row.stderr_log_path,
            row.tmux_session_name,
            row.tmux_socket,
            row.parent_id.as_ref().map(RunId::as_str),
            row.kind.as_str(),
            row.vcs.as_str(),
            row.workflow_session.as_ref().map(SessionId::as_str),
        ],
    )?;
    Ok(())
}

fn move_forward(connection: &Connection, from: State, row: &RunRow) -> Result<(), StoreError> {
    let steps: &[State] = match (from, row.state) {
        (from, to) if from == to => &[],
        (State::Queued, State::Completed) => &[State::Running, State::Completed],
        (_, to) => &[to],
    };
    for state in steps {
        connection.execute("UPDATE runs SET state = ?2 WHERE id = ?1", params![row.id.as_str(), state.as_str()])?;
    }
    let count = |tokens: Option<u64>| tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX));
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    connection.execute(
        "UPDATE runs SET phase = ?2, attempt = ?3, updated_at = ?4, started_at = ?5, ended_at = ?6, exit_code = ?7, \
         signal = ?8, reason = ?9, error = ?10, saved_ref = ?11, removed_at = coalesce(removed_at, ?12), \
         agent_session = ?13, input_tokens = ?14, output_tokens = ?15, cached_tokens = ?16, cost_usd = ?17, \
         agent_version = ?18, activity = ?19, activity_at = ?20, end_recorded = 1 WHERE id = ?1",
        params![
            row.id.as_str(),
            row.phase,
            row.attempt,
            row.updated_at.to_string(),
            time(row.started_at),
            time(row.ended_at),
            row.exit_code,
            row.signal,
            row.reason.map(agency_model::run::Reason::as_str),
            row.error,
            row.saved_ref,
            time(row.removed_at),
            row.agent_session,
            count(row.usage.input_tokens),
            count(row.usage.output_tokens),
            count(row.usage.cached_tokens),
            row.usage.cost_usd,
            row.agent_version,
            row.activity.map(agency_model::Activity::as_str),
            time(row.activity_at),
        ],
    )?;
    Ok(())
}

/// Inserts a question, or settles a stored one that the files say is settled. A settled one is left as it is.
fn write_question(connection: &Connection, row: &QuestionRow) -> Result<(), StoreError> {
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let answer = row.answer.as_ref().map(json);
    connection.execute(
        "INSERT INTO questions (id, run_id, attempt, state, kind, content, asked_at, answer, answered_by, answered_at, \
         settled_at, outcome, repeats, answered_from) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) \
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, answer = coalesce(answer, excluded.answer), \
         answered_by = coalesce(answered_by, excluded.answered_by), \
         answered_from = coalesce(answered_from, excluded.answered_from), \
         answered_at = coalesce(answered_at, excluded.answered_at), settled_at = excluded.settled_at, \
         outcome = excluded.outcome \
         WHERE run_id = excluded.run_id AND state IN ('open', 'answered') AND excluded.state IN ('delivered', 'expired')",
        params![
            row.id.as_str(),
            row.run_id.as_str(),
            row.attempt,
            word_of(row.state),
            row.question.kind.as_str(),
            json(&row.question),
            row.asked_at.to_string(),
            answer,
            row.answered_by,
            time(row.answered_at),
            time(row.settled_at),
            row.outcome,
            row.repeats.as_ref().map(QuestionId::as_str),
            row.answered_from.as_ref().map(json),
        ],
    )?;
    Ok(())
}

const fn word_of(state: QuestionState) -> &'static str {
    match state {
        QuestionState::Open => "open",
        QuestionState::Answered => "answered",
        QuestionState::Delivered => "delivered",
        QuestionState::Expired => "expired",
    }
}

fn json(value: &impl Serialize) -> String {
    // Plain data always has a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}
