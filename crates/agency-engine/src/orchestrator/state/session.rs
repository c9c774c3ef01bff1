//! A session as its files describe it.

use std::sync::Arc;

use agency_model::SessionId;
use agency_model::workflow::{Flow, HistoryEntry, SessionState};
use jiff::Timestamp;

use super::journal;
use super::tree::{StepNode, tree};
use super::{SessionDirectory, SessionError, SessionRecord};

/// A session as it was when it was read.
#[derive(Debug, Clone)]
pub struct WorkflowSession {
    /// What it is.
    pub record: SessionRecord,
    /// What happened, in order.
    pub entries: Vec<HistoryEntry>,
    /// Where that leads to.
    pub flow: Flow,
    directory: SessionDirectory,
}

impl WorkflowSession {
    /// Reads a session.
    pub(super) fn read(directory: SessionDirectory, id: &SessionId) -> Result<Self, SessionError> {
        let record = SessionRecord::read(&directory.record(), id)?;
        let (entries, _) = journal::read(&directory.history())?;
        Self::of(directory, record, entries)
    }

    /// A session of which everything is known.
    pub(crate) fn of(
        directory: SessionDirectory,
        record: SessionRecord,
        entries: Vec<HistoryEntry>,
    ) -> Result<Self, SessionError> {
        let flow = Flow::replay(Arc::clone(&record.plan), &entries)
            .map_err(|source| SessionError::WrongHistory { path: directory.history(), source })?;
        Ok(Self { record, entries, flow, directory })
    }

    /// Which session.
    #[must_use]
    pub const fn id(&self) -> &SessionId {
        &self.record.id
    }

    /// Where it keeps its files.
    #[must_use]
    pub const fn directory(&self) -> &SessionDirectory {
        &self.directory
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> SessionState {
        self.flow.state()
    }

    /// When something last happened.
    #[must_use]
    pub fn updated_at(&self) -> Timestamp {
        self.entries.last().map_or(self.record.created_at, |entry| entry.at)
    }

    /// Its steps as they stand, each with those inside it.
    #[must_use]
    pub fn steps(&self) -> Vec<StepNode> {
        tree(&self.record.plan, &self.entries)
    }
}
