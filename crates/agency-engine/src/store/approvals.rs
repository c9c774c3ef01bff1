//! Which files of a run a user approved.

use agency_model::RunId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use schemars::JsonSchema;
use serde::Serialize;
use tracing::info;

use super::columns::parsed;
use super::write::now;
use super::{Store, StoreError};

/// That a user approved the work of a run as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Approval {
    /// The tree of the files that were approved; other files are not.
    pub tree: String,
    /// Who approved it.
    pub approved_by: String,
    /// When.
    pub approved_at: Timestamp,
}

impl Store {
    /// The last approval of the work of a run.
    pub(crate) fn approval(&self, run: &RunId) -> Result<Option<Approval>, StoreError> {
        let sql = "SELECT tree, approved_by, approved_at FROM approvals WHERE run_id = ?1";
        let mut statement = self.connection()?.prepare_cached(sql)?;
        let mut rows = statement.query([run.as_str()])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(Some(Approval { tree: row.get(0)?, approved_by: row.get(1)?, approved_at: parsed(row, 2, "approved_at")? }))
    }

    /// Approves a tree, in place of an earlier one. Returns whether it was not approved yet.
    pub(crate) fn approve(&mut self, run: &RunId, tree: &str, by: &str) -> Result<bool, StoreError> {
        let transaction = self.begin()?;
        let sql = "SELECT 1 FROM approvals WHERE run_id = ?1 AND tree = ?2";
        let is_new = transaction.query_row(sql, [run.as_str(), tree], |_| Ok(())).optional()?.is_none();
        if is_new {
            transaction.execute(
                "INSERT OR REPLACE INTO approvals (run_id, tree, approved_by, approved_at) VALUES (?1, ?2, ?3, ?4)",
                params![run.as_str(), tree, by, now().to_string()],
            )?;
        }
        transaction.commit()?;
        info!(%run, tree, by, "work approved");
        Ok(is_new)
    }
}
