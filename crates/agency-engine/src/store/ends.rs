//! Which ended runs have files that do not record the end yet, and facts about the database itself.

use agency_model::RunId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use super::columns::COLUMNS;
use super::{RunRow, Store, StoreError};

/// The fact that records up to which moment the files of the runs were compared with the rows.
const FILES_COMPARED_AT: &str = "files_compared_at";
/// The fact that records in which file the database was when no run directory was without a row.
const COMPLETE_IN_FILE: &str = "complete_in_file";

impl Store {
    /// Whether there is a run that [`Self::live`], [`Self::unnamed`] or [`Self::unrecorded_ends`] would return. Usually there
    /// is none. That is read by one small statement: to prepare one with all columns takes longer than all that it reads.
    pub(crate) fn has_unsettled_runs(&self) -> Result<bool, StoreError> {
        let any = "SELECT EXISTS (SELECT 1 FROM runs WHERE state IN ('queued', 'running'))
            OR EXISTS (SELECT 1 FROM runs INDEXED BY runs_unnamed WHERE name IS NULL)
            OR EXISTS (SELECT 1 FROM runs INDEXED BY runs_end_unrecorded WHERE end_recorded = 0)";
        Ok(self.connection()?.query_row(any, [], |row| row.get(0))?)
    }

    /// The finished runs whose exit markers may be missing, oldest first. Usually there are none, which is cheap to check.
    pub fn unrecorded_ends(&self) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs INDEXED BY runs_end_unrecorded \
             WHERE end_recorded = 0 AND state IN ('completed', 'failed', 'killed') ORDER BY id"
        );
        self.rows(&sql, [])
    }

    /// Records that the exit markers of a finished run are written.
    pub fn end_is_recorded(&mut self, id: &RunId) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute("UPDATE runs SET end_recorded = 1 WHERE id = ?1", [id.as_str()])?;
        transaction.commit()?;
        Ok(())
    }

    /// Up to which moment the files of the runs were compared with the rows.
    pub(crate) fn files_compared_at(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.fact(FILES_COMPARED_AT)?.and_then(|value| value.parse().ok()))
    }

    /// Notes that moment.
    pub(crate) fn set_files_compared_at(&mut self, at: Timestamp) -> Result<(), StoreError> {
        self.set_fact(FILES_COMPARED_AT, &at.to_string())
    }

    /// Whether the database is known to have every run: it is in the file in which it was when that was seen. A copy
    /// that is brought back, and a new database, are in another one.
    pub(crate) fn is_complete(&self) -> Result<bool, StoreError> {
        let seen = self.fact(COMPLETE_IN_FILE)?;
        Ok(seen.is_some() && seen == self.files.map(|files| files.to_string()))
    }

    /// Notes that it has every run.
    pub(crate) fn set_complete(&mut self) -> Result<(), StoreError> {
        match self.files.map(|files| files.to_string()) {
            Some(files) => self.set_fact(COMPLETE_IN_FILE, &files),
            None => Ok(()),
        }
    }

    /// A fact about the database or its user.
    pub(crate) fn fact(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM facts WHERE name = ?1";
        Ok(self.connection()?.query_row(sql, [name], |row| row.get(0)).optional()?)
    }

    /// Stores a fact.
    pub(crate) fn set_fact(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            params![name, value],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Stores a fact unless it is known; says whether it was new.
    pub(crate) fn set_new_fact(&mut self, name: &str, value: &str) -> Result<bool, StoreError> {
        if self.fact(name)?.is_some() {
            return Ok(false);
        }
        let transaction = self.begin()?;
        let sql = "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING";
        let inserted = transaction.execute(sql, params![name, value])?;
        transaction.commit()?;
        Ok(inserted > 0)
    }
}
