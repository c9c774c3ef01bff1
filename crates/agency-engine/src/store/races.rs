//! Races: several runs with one prompt and one base; one of them is to land.

use agency_model::RunId;
use jiff::Timestamp;
use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use tracing::info;

use super::columns::{COLUMNS, parsed, read_text};
use super::write::now;
use super::{RunRow, Store, StoreError};

/// One row of the table `races`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RaceRow {
    /// Its id.
    pub id: String,
    /// The top of the repository.
    pub repo_path: String,
    /// The commit that all runs begin at.
    pub base_commit: String,
    /// The command that verifies the work of each run.
    pub verify: Option<String>,
    /// Patterns of files that are verified as they are in the base.
    pub protect: Vec<String>,
    /// When it was started.
    pub created_at: Timestamp,
}

/// What verifying the work of a run showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RaceResult {
    /// The tree of the work that was verified.
    pub tree: String,
    /// Whether the command exited with 0.
    pub succeeded: bool,
    /// How it ended, in words.
    pub outcome: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The protected files that the work changes, which were those of the base meanwhile.
    pub protected: Vec<String>,
    /// When.
    pub verified_at: Timestamp,
}

impl RaceResult {
    pub(crate) fn new(
        tree: String,
        succeeded: bool,
        outcome: String,
        duration_ms: u64,
        protected: Vec<String>,
    ) -> Self {
        Self { tree, succeeded, outcome, duration_ms, protected, verified_at: now() }
    }
}

const RACE_COLUMNS: &str = "id, repo_path, base_commit, verify, protect, created_at";

impl RaceRow {
    pub(crate) fn new(id: String, repo_path: String, base_commit: String) -> Self {
        Self { id, repo_path, base_commit, verify: None, protect: vec![], created_at: now() }
    }

    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.get(0)?,
            repo_path: row.get(1)?,
            base_commit: row.get(2)?,
            verify: row.get(3)?,
            protect: read_text(row, 4, "protect", |text| serde_json::from_str(text).ok())?,
            created_at: parsed(row, 5, "created_at")?,
        })
    }
}

impl Store {
    /// Stores a race before its runs.
    pub(crate) fn insert_race(&mut self, race: &RaceRow) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "INSERT INTO races (id, repo_path, base_commit, verify, protect, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                race.id,
                race.repo_path,
                race.base_commit,
                race.verify,
                json(&race.protect),
                race.created_at.to_string()
            ],
        )?;
        transaction.commit()?;
        info!(race = race.id, "race stored");
        Ok(())
    }

    /// All races, newest first.
    pub(crate) fn races(&self) -> Result<Vec<RaceRow>, StoreError> {
        let sql = format!("SELECT {RACE_COLUMNS} FROM races ORDER BY id DESC");
        let mut statement = self.connection()?.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut races = vec![];
        while let Some(row) = rows.next()? {
            races.push(RaceRow::read(row)?);
        }
        Ok(races)
    }

    /// The runs of a race, in the order in which they were started.
    pub(crate) fn runs_of_race(&self, race: &str) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE race_id = ?1 ORDER BY id");
        self.rows(&sql, [race])
    }

    /// What verifying the work of a run showed last.
    pub(crate) fn race_result(&self, run: &RunId) -> Result<Option<RaceResult>, StoreError> {
        let sql = "SELECT tree, succeeded, outcome, duration_ms, protected, verified_at FROM race_results \
            WHERE run_id = ?1";
        let mut statement = self.connection()?.prepare_cached(sql)?;
        let mut rows = statement.query([run.as_str()])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let duration: i64 = row.get(3)?;
        Ok(Some(RaceResult {
            tree: row.get(0)?,
            succeeded: row.get(1)?,
            outcome: row.get(2)?,
            duration_ms: duration.unsigned_abs(),
            protected: read_text(row, 4, "protected", |text| serde_json::from_str(text).ok())?,
            verified_at: parsed(row, 5, "verified_at")?,
        }))
    }

    /// Stores what verifying the work of a run showed, in place of an earlier result.
    pub(crate) fn save_race_result(&mut self, run: &RunId, result: &RaceResult) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "INSERT OR REPLACE INTO race_results (run_id, tree, succeeded, outcome, duration_ms, protected, verified_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                run.as_str(),
                result.tree,
                result.succeeded,
                result.outcome,
                i64::try_from(result.duration_ms).unwrap_or(i64::MAX),
                json(&result.protected),
                result.verified_at.to_string(),
            ],
        )?;
        transaction.commit()?;
        info!(%run, succeeded = result.succeeded, "work verified");
        Ok(())
    }
}

/// A list of texts always has a JSON form.
fn json(texts: &[String]) -> String {
    serde_json::to_string(texts).unwrap_or_default()
}
