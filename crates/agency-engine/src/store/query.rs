//! Reads runs. Pages go by key, never by offset, so that a full database is as fast as a small one.

use std::collections::HashSet;

use agency_model::run::State;
use agency_model::{RunId, RunKind, SessionId};
use rusqlite::{OptionalExtension, Params, ToSql, params};

use super::columns::COLUMNS;
use super::{RunRow, Store, StoreError};

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
    /// At most so many; `None`: all.
    pub limit: Option<u32>,
}

impl RunFilter {
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

/// What a short name stands for.
#[derive(Debug, Clone)]
pub enum Selected {
    /// Exactly this run.
    One(Box<RunRow>),
    /// No run.
    None,
    /// Several runs; the newest ones.
    Several(Vec<RunRow>),
}

/// How many candidates an ambiguity lists.
const CANDIDATES: u32 = 10;

impl Store {
    /// The run with this id.
    pub fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
        self.rows(&sql, [id.as_str()])?.pop().ok_or_else(|| StoreError::NotFound(id.clone()))
    }

    /// The runs that match, newest first.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let mut conditions = vec!["1"];
        let mut values: Vec<&dyn ToSql> = vec![];
        let states: String = filter.states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(",");
        let by_state = format!("state IN ({states})");
        if !filter.states.is_empty() {
            conditions.push(&by_state);
        }
        if let Some(repo) = &filter.repo {
            conditions.push("repo_path = ?");
            values.push(repo);
        }
        if let Some(name) = &filter.name {
            conditions.push("name = ?");
            values.push(name);
        }
        let session = filter.session.as_ref().map(SessionId::as_str);
        if let Some(session) = &session {
            conditions.push("workflow_session = ?");
            values.push(session);
        }
        let kind = filter.kind.map(RunKind::as_str);
        if let Some(kind) = &kind {
            conditions.push("kind = ?");
            values.push(kind);
        }
        let except = filter.except.map(RunKind::as_str);
        if let Some(except) = &except {
            conditions.push("kind <> ?");
            values.push(except);
        }
        if !filter.removed {
            conditions.push("removed_at IS NULL");
        }
        let limit = filter.limit.map_or(-1, i64::from);
        values.push(&limit);
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE {} ORDER BY id DESC LIMIT ?", conditions.join(" AND "));
        self.rows(&sql, values.as_slice())
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

    /// Finds a run by its id, the beginning of its id (with or without `r_`), or its name.
    pub fn select(&self, text: &str) -> Result<Selected, StoreError> {
        if let Ok(id) = text.parse::<RunId>() {
            return match self.run(&id) {
                Ok(row) => Ok(Selected::One(Box::new(row))),
                Err(StoreError::NotFound(_)) => Ok(Selected::None),
                Err(error) => Err(error),
            };
        }
        // A name that was used again means the live run, if there is just one.
        let living = self.matching("name = ?1 AND state IN ('queued', 'running')", text)?;
        if living.len() == 1 {
            return Ok(one_of(living));
        }
        let by_name = self.matching("name = ?1 AND removed_at IS NULL", text)?;
        if !by_name.is_empty() {
            return Ok(one_of(newest_of_each(by_name)));
        }
        let rest = text.strip_prefix("r_").unwrap_or(text).to_ascii_uppercase();
        if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            // Every character of an id is below 'a', so this is the range of all ids with the prefix.
            let by_prefix = self.matching("id >= ?1 AND id < ?1 || 'a'", &format!("r_{rest}"))?;
            if !by_prefix.is_empty() {
                return Ok(one_of(by_prefix));
            }
        }
        Ok(one_of(self.matching("name = ?1", text)?))
    }

    fn matching(&self, condition: &str, value: &str) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE {condition} ORDER BY id DESC LIMIT {CANDIDATES}");
        self.rows(&sql, params![value])
    }

    pub(super) fn rows(&self, sql: &str, values: impl Params) -> Result<Vec<RunRow>, StoreError> {
        let mut statement = self.connection()?.prepare(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = vec![];
        while let Some(row) = rows.next()? {
            found.push(RunRow::read(row)?);
        }
        Ok(found)
    }
}

/// The name of an agent, or of a resumed conversation, stands for its newest run. The rows come newest first.
fn newest_of_each(rows: Vec<RunRow>) -> Vec<RunRow> {
    let mut kept: Vec<RunRow> = vec![];
    let mut continued: Vec<RunId> = vec![];
    for row in rows {
        let is_older = continued.contains(&row.id)
            || (row.kind == RunKind::Agent && kept.iter().any(|newer| newer.kind == RunKind::Agent));
        continued.extend(row.parent_id.clone());
        if !is_older {
            kept.push(row);
        }
    }
    kept
}

fn one_of(mut rows: Vec<RunRow>) -> Selected {
    match rows.len() {
        0 => Selected::None,
        1 => rows.pop().map_or(Selected::None, |row| Selected::One(Box::new(row))),
        _ => Selected::Several(rows),
    }
}
