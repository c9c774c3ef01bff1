//! Writes rows that were rebuilt from the files of their runs.
//!
//! The one rule: a row only moves forward, by the transitions that the triggers allow.

use agency_model::run::State;
use agency_model::{QuestionId, RunId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::columns::{self, COLUMNS, parsed, read_optional_text, read_text};
use super::known::{KnownRun, KnownRuns, last_two};
use super::open::SCAN_PAGES;
use super::questions::QuestionState;
use super::{QuestionRow, RunRow, Store, StoreError, timestamp};

/// What files are compared with, in the order in which [`add_known`] takes it. What only reconciliation looks for is there as
/// well, since it would be another pass over all rows.
const KNOWN: &str = "id, state, removed_at IS NOT NULL, updated_at, worktree_path, kind = 'workflow', \
     coalesce(saved_ref = 'refs/agency/' || id, 0)";
const KNOWN_COLUMNS: usize = 7;

/// A run as its files describe it.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedRun {
    pub(crate) row: RunRow,
    /// In the order in which they were asked.
    pub(crate) questions: Vec<QuestionRow>,
}

impl Store {
    /// What the files of all runs are compared with, by one pass over the table.
    pub(crate) fn known_runs(&self) -> Result<KnownRuns, StoreError> {
        self.scan(&format!("SELECT {KNOWN} FROM runs"), add_known)
    }

    /// The same by looking at every value of every row, which finds those that are damaged and runs that are not found by
    /// their id. Nothing but what is compared is kept: copies of all values would take longer than reading them.
    pub(crate) fn known_runs_thoroughly(&self) -> Result<KnownRuns, StoreError> {
        let sql = format!(
            "SELECT {KNOWN}, EXISTS (SELECT 1 FROM runs AS found WHERE found.id = runs.id), {COLUMNS} \
             FROM runs NOT INDEXED"
        );
        self.scan(&sql, |row, known| {
            RunRow::check(row, KNOWN_COLUMNS + 1)?;
            let is_found: bool = row.get(KNOWN_COLUMNS)?;
            if !is_found {
                let message = format!("the index of ids lacks {}", parsed::<RunId>(row, 0, "id")?);
                return Err(StoreError::Corrupt { path: self.path.clone(), message });
            }
            add_known(row, known)
        })
    }

    /// Passes over the whole table.
    fn scan(
        &self,
        sql: &str,
        add: impl Fn(&Row<'_>, &mut KnownRuns) -> Result<(), StoreError>,
    ) -> Result<KnownRuns, StoreError> {
        let usual: i64 = self.connection()?.pragma_query_value(None, "cache_size", |row| row.get(0))?;
        self.connection()?.pragma_update(None, "cache_size", SCAN_PAGES)?;
        let mut known = KnownRuns::default();
        let mut statement = self.connection()?.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            add(row, &mut known)?;
        }
        self.connection()?.pragma_update(None, "cache_size", usual)?;
        Ok(known)
    }

    /// Inserts runs that have no row, and brings rows forward to the state of the files; all in one transaction. Returns
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

/// Adds the first columns of a row.
fn add_known(row: &Row<'_>, known: &mut KnownRuns) -> Result<(), StoreError> {
    let id = parsed(row, 0, "id")?;
    let state: State = parsed(row, 1, "state")?;
    let updated_at = read_text(row, 3, "updated_at", timestamp::parse)?;
    let worktree = read_optional_text(row, 4, "worktree_path", |path| Some(last_two(path).to_owned()))?;
    let removed: bool = row.get(2)?;
    if row.get(5)? && !removed && state.is_terminal() {
        known.add_ended_driver(&id);
    }
    if row.get(6)? {
        known.add_old_saved_ref();
    }
    known.add(id, KnownRun { state, removed, updated_at }, worktree);
    Ok(())
}

fn adopt_row(connection: &Connection, row: &RunRow) -> Result<(), StoreError> {
    let sql = "SELECT state FROM runs WHERE id = ?1";
    let stored = connection.query_row(sql, [row.id.as_str()], |row| row.get::<_, String>(0)).optional()?;
    let from = match stored.as_deref().map(|text| text.parse::<State>().ok()) {
        Some(Some(state)) => state,
        Some(None) => return Err(StoreError::BadValue { column: "state", value: stored.unwrap_or_default() }),
        None => {
            // Each run is inserted as a live one, and a live agent may have its name.
            let unmoved = RunRow { state: State::Queued, removed_at: None, name: None, ..row.clone() };
            columns::insert(connection, &unmoved.values())?;
            State::Queued
        }
    };
    move_forward(connection, from, row)?;
    if stored.is_none() {
        connection.execute("UPDATE runs SET name = ?2 WHERE id = ?1", params![row.id.as_str(), row.name])?;
    }
    Ok(())
}

/// The columns that change in the life of a run, apart from its state and its removal.
const MOVING: &[&str] = &[
    "phase",
    "attempt",
    "updated_at",
    "started_at",
    "ended_at",
    "exit_code",
    "signal",
    "reason",
    "error",
    "saved_ref",
    "agent_session",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cost_usd",
    "agent_version",
    "activity",
    "activity_at",
];

fn move_forward(connection: &Connection, from: State, row: &RunRow) -> Result<(), StoreError> {
    let steps: &[State] = match (from, row.state) {
        (from, to) if from == to => &[],
        (State::Queued, State::Completed) => &[State::Running, State::Completed],
        (_, to) => &[to],
    };
    for state in steps {
        connection.execute("UPDATE runs SET state = ?2 WHERE id = ?1", params![row.id.as_str(), state.as_str()])?;
    }
    let mut values = row.values();
    values.retain(|(column, _)| MOVING.contains(column));
    values.push(("end_recorded", true.into()));
    // A run is removed once.
    if let Some(removed_at) = row.removed_at {
        let sql = "UPDATE runs SET removed_at = ?2 WHERE id = ?1 AND removed_at IS NULL";
        connection.execute(sql, params![row.id.as_str(), removed_at.to_string()])?;
    }
    columns::update(connection, &row.id, &values)
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::store::StartedBy;
    use crate::store::tests::new_run;

    fn store_with_a_run(directory: &Path) -> (Store, RunId) {
        let mut store = Store::open(&directory.join("agency.db"), Duration::from_secs(30)).unwrap();
        let row = store.insert(&new_run(), StartedBy::default()).unwrap();
        (store, row.id)
    }

    #[test]
    fn a_value_that_cannot_be_read_is_found_in_every_column() {
        let directory = tempfile::tempdir().unwrap();
        let (store, _) = store_with_a_run(directory.path());
        store
            .connection()
            .unwrap()
            .execute_batch("DROP TRIGGER runs_move_legally; DROP TRIGGER runs_are_removed_once")
            .unwrap();
        store.connection().unwrap().pragma_update(None, "ignore_check_constraints", true).unwrap();
        let mut unreadable = 0;
        for column in COLUMNS.split(", ") {
            for value in ["x'ff'", "CAST(x'ff' AS TEXT)", "'nonsense'", "''", "-1", "1e300", "NULL"] {
                store.connection().unwrap().execute_batch("SAVEPOINT before").unwrap();
                // A column that must have a value refuses NULL.
                if store.connection().unwrap().execute(&format!("UPDATE runs SET {column} = {value}"), []).is_ok() {
                    let read = store.rows(&format!("SELECT {COLUMNS} FROM runs"), []);
                    let known = store.known_runs_thoroughly();
                    assert_eq!(known.is_err(), read.is_err(), "{column} = {value}: {read:?}");
                    unreadable += usize::from(read.is_err());
                }
                store.connection().unwrap().execute_batch("ROLLBACK TO before; RELEASE before").unwrap();
            }
        }
        assert!(unreadable > COLUMNS.split(", ").count(), "{unreadable}");
    }

    #[test]
    fn a_run_that_the_index_of_ids_lacks_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let (store, id) = store_with_a_run(directory.path());
        let index = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_runs_1'";
        let page: u32 = store.connection().unwrap().query_row(index, [], |row| row.get(0)).unwrap();
        let end = usize::try_from(page).unwrap() * 4096;
        let path = store.path.clone();
        store.tidy();
        let mut bytes = std::fs::read(&path).unwrap();
        let page = &mut bytes[end - 4096..end];
        let entry = page.windows(id.as_str().len()).position(|part| part == id.as_str().as_bytes()).unwrap();
        page[entry + 2] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let store = Store::open(&path, Duration::from_secs(30)).unwrap();
        let found = store.known_runs_thoroughly();
        assert!(
            matches!(&found, Err(StoreError::Corrupt { message, .. }) if message.contains(id.as_str())),
            "{found:?}"
        );
    }
}
