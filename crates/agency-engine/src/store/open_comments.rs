//! Whether there are comments on the work of a run that nothing was done about.

use agency_model::RunId;

use super::{Store, StoreError};

impl Store {
    /// Whether a comment on a run is neither addressed nor withdrawn.
    pub(crate) fn has_open_comment(&self, run: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM comments WHERE run_id = ?1 AND state IN ('open', 'sent'))";
        Ok(self.connection()?.query_row(sql, [run.as_str()], |row| row.get(0))?)
    }
}
