//! `agency ls` and `agency show`: finds runs, with those reconciled whose supervisor died.

use agency_model::RunId;

use crate::agency::Agency;
use crate::store::{RunFilter, RunRow, Selected, StoreError};

impl Agency {
    /// The runs that match, newest first, with the dead ones among them reconciled.
    pub fn list(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.reconcile_live()?;
        self.store.list(filter)
    }

    /// One run as the database has it, for watchers, which need no reconciliation.
    pub fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.run(id)
    }

    /// One run as the database that is there now has it.
    pub(crate) fn fresh_row(&mut self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.refresh()?;
        self.store.run(id)
    }

    /// Finds one run by id, prefix or name, reconciled.
    pub fn select(&mut self, text: &str) -> Result<Selected, StoreError> {
        self.reconcile_live()?;
        self.store.select(text)
    }
}
