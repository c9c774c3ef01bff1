//! Reads runs. Pages go by key, never by offset, so that a full database is as fast as a small one.

use std::collections::HashSet;
use std::path::PathBuf;

use agency_model::run::State;
use agency_model::{RunId, RunKind, SessionId};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, params_from_iter};

use super::columns::COLUMNS;
use super::{RunRow, Store, StoreError};

/// How many removed runs are looked at for work to restore.
const MAX_REMOVED: usize = 200;
/// How many rows a list has room for from the beginning: longer ones are rare.
const MAX_EXPECTED_ROWS: u32 = 64;

/// Which runs to list.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunFilter {
    /// Only runs in one of these states; empty: any.
    pub states: Vec<State>,
    /// Only runs of the repository at this root.
    pub repo: Option<String>,
    /// Only runs for this.
    pub kind: Option<RunKind>,
    /// All but runs for this.
    pub except: Option<RunKind>,
    /// Only runs with this name.
    pub name: Option<String>,
    /// Only runs of this workflow session.
    pub session: Option<SessionId>,
    /// Also runs whose resources were removed.
    pub removed: bool,
    /// Only runs that were created then or later.
    pub since: Option<Timestamp>,
    /// Only runs that ended then or later.
    pub ended_since: Option<Timestamp>,
    /// At most so many; `None`: all.
    pub limit: Option<u32>,
}

impl RunFilter {
    /// What a row has to fulfil, and the values that the conditions are about.
    fn conditions(&self) -> (String, Vec<String>) {
        let mut conditions = vec!["1".to_owned()];
        let mut values = vec![];
        if !self.states.is_empty() {
            let states: Vec<String> = self.states.iter().map(|state| format!("'{state}'")).collect();
            conditions.push(format!("state IN ({})", states.join(",")));
        }
        let mut equal = |condition: &str, value: Option<&str>| {
            if let Some(value) = value {
                conditions.push(condition.to_owned());
                values.push(value.to_owned());
            }
        };
        equal("repo_path = ?", self.repo.as_deref());
        equal("name = ?", self.name.as_deref());
        equal("workflow_session = ?", self.session.as_ref().map(SessionId::as_str));
        equal("kind = ?", self.kind.map(RunKind::as_str));
        equal("kind <> ?", self.except.map(RunKind::as_str));
        equal("julianday(created_at) >= julianday(?)", self.since.map(|since| since.to_string()).as_deref());
        equal("julianday(ended_at) >= julianday(?)", self.ended_since.map(|since| since.to_string()).as_deref());
        if !self.removed {
            conditions.push("removed_at IS NULL".to_owned());
        }
        (conditions.join(" AND "), values)
    }

    /// Only runs in this state, or in one that was named before.
    #[must_use]
    pub fn state(mut self, state: State) -> Self {
        self.states.push(state);
        self
    }

    /// Only runs of the repository at this root.
    #[must_use]
    pub fn repository(mut self, root: impl Into<String>) -> Self {
        self.repo = Some(root.into());
        self
    }

    /// Only runs for this.
    #[must_use]
    pub const fn kind(mut self, kind: RunKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Only runs with this name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only runs of this workflow session.
    #[must_use]
    pub fn session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Also runs whose resources were removed.
    #[must_use]
    pub const fn with_removed(mut self) -> Self {
        self.removed = true;
        self
    }

    /// At most so many.
    #[must_use]
    pub const fn limit(mut self, runs: u32) -> Self {
        self.limit = Some(runs);
        self
    }
}

impl Store {
    /// The run with this id.
    pub fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
        self.rows(&sql, [id.as_str()])?.pop().ok_or_else(|| StoreError::NotFound(id.clone()))
    }

    /// The runs that match, newest first.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.list_as(filter, |row| row)
    }

    /// The result of `make` for each run that matches, newest first.
    pub fn list_as<T>(&self, filter: &RunFilter, make: impl FnMut(RunRow) -> T) -> Result<Vec<T>, StoreError> {
        let (conditions, values) = filter.conditions();
        let limit = filter.limit.map_or(-1, i64::from);
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE {conditions} ORDER BY id DESC LIMIT {limit}");
        let expected = filter.limit.map_or(0, |limit| limit.min(MAX_EXPECTED_ROWS));
        self.rows_as(&sql, params_from_iter(values), expected as usize, make)
    }

    /// How many runs match, whatever the limit is.
    pub fn count(&self, filter: &RunFilter) -> Result<u64, StoreError> {
        let (conditions, values) = filter.conditions();
        let sql = format!("SELECT count(*) FROM runs WHERE {conditions}");
        let count: i64 = self.connection()?.query_row(&sql, params_from_iter(values), |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The runs that are not over, oldest first. Mostly there are none, which is cheap to learn.
    pub fn live(&self) -> Result<Vec<RunRow>, StoreError> {
        let any = "SELECT 1 FROM runs WHERE state IN ('queued', 'running') LIMIT 1";
        if self.connection()?.query_row(any, [], |_| Ok(())).optional()?.is_none() {
            return Ok(vec![]);
        }
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE state IN ('queued', 'running') ORDER BY id");
        self.rows(&sql, [])
    }

    /// The runs that were not removed. Only the index is read.
    pub fn present(&self) -> Result<HashSet<RunId>, StoreError> {
        let mut statement = self.connection()?.prepare_cached("SELECT id FROM runs WHERE removed_at IS NULL")?;
        let ids = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// The repositories that runs are recorded with, at most so many. Only the index is read.
    pub(crate) fn repositories(&self, limit: u32) -> Result<Vec<PathBuf>, StoreError> {
        let sql = "SELECT DISTINCT repo_path FROM runs ORDER BY repo_path LIMIT ?1";
        let mut statement = self.connection()?.prepare(sql)?;
        let paths = statement.query_map([limit], |row| row.get::<_, String>(0))?;
        Ok(paths.map(|path| path.map(PathBuf::from)).collect::<Result<_, _>>()?)
    }

    /// A number that changes whenever another connection has written.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self.connection()?.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// The live runs with requests that were not taken yet.
    pub fn runs_with_requests(&self) -> Result<Vec<RunId>, StoreError> {
        let mut statement = self.connection()?.prepare(
            "SELECT DISTINCT run_id FROM requests JOIN runs ON runs.id = run_id \
             WHERE taken_at IS NULL AND state IN ('queued', 'running')",
        )?;
        let ids = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// The runs that work, or worked, in this worktree and still hold it.
    pub fn runs_in_worktree(&self, path: Option<&str>) -> Result<Vec<RunRow>, StoreError> {
        let Some(path) = path else { return Ok(vec![]) };
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE worktree_path = ?1 AND removed_at IS NULL ORDER BY id");
        self.rows(&sql, [path])
    }

    /// The runs whose saved work an older version recorded at `refs/agency/<run_id>`, oldest first.
    pub fn runs_with_old_saved_ref(&self) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE saved_ref = 'refs/agency/' || id ORDER BY id");
        self.rows(&sql, [])
    }

    /// Whether a run with this id exists.
    pub fn knows(&self, id: &RunId) -> Result<bool, StoreError> {
        let found = self.connection()?.query_row("SELECT 1 FROM runs WHERE id = ?1", [id.as_str()], |_| Ok(()));
        Ok(found.optional()?.is_some())
    }

    /// Whether the configuration allowed the agent of a run to answer questions when the run was created.
    pub fn allows_self_answer(&self, id: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT allow_self_answer FROM runs WHERE id = ?1";
        Ok(self.connection()?.query_row(sql, [id.as_str()], |row| row.get(0)).optional()?.unwrap_or(false))
    }

    /// Whether an agent may have started a run.
    pub fn is_started_by_agent(&self, id: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT started_by_agent FROM runs WHERE id = ?1";
        Ok(self.connection()?.query_row(sql, [id.as_str()], |row| row.get(0)).optional()?.unwrap_or(false))
    }

    /// The runs whose removal saved work, the last removal first; at most [`MAX_REMOVED`].
    pub(crate) fn removed_with_saved_work(&self) -> Result<Vec<RunRow>, StoreError> {
        let mut removed = self.rows(
            &format!(
                "SELECT {COLUMNS} FROM runs WHERE removed_at IS NOT NULL AND saved_ref IS NOT NULL \
                 ORDER BY removed_at DESC LIMIT {MAX_REMOVED}"
            ),
            [],
        )?;
        // Texts with and without fractions of a second are not in the order of their times.
        removed.sort_by(|one, other| (other.removed_at, &other.id).cmp(&(one.removed_at, &one.id)));
        Ok(removed)
    }

    pub(super) fn rows(&self, sql: &str, values: impl Params) -> Result<Vec<RunRow>, StoreError> {
        self.rows_as(sql, values, 0, |row| row)
    }

    /// Applies `make` to the rows, in a list with this capacity from the beginning: a list that grows leaves memory
    /// behind that was used once.
    fn rows_as<T>(
        &self,
        sql: &str,
        values: impl Params,
        expected: usize,
        mut make: impl FnMut(RunRow) -> T,
    ) -> Result<Vec<T>, StoreError> {
        // To prepare a statement with all columns takes longer than to read one row.
        let mut statement = self.connection()?.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::with_capacity(expected);
        while let Some(row) = rows.next()? {
            found.push(make(RunRow::read(row)?));
        }
        Ok(found)
    }
}
