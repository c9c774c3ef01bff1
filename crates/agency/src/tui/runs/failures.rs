//! Which failures the user has seen, and what of the list is remembered.

use std::collections::BTreeSet;

use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_model::run::State as RunState;
use jiff::Timestamp;

use super::RunList;
use crate::tui::detail::Tab;
use crate::tui::memory::Memory;

/// Which failures have been seen.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// Since when they are reported; none if they are not.
    since: Option<Timestamp>,
    seen: BTreeSet<RunId>,
}

impl Failures {
    /// Whether a run failed and the user has not seen it.
    pub(super) fn is_new(&self, row: &RunRow) -> bool {
        row.state == RunState::Failed
            && self.since.is_some_and(|since| row.ended_at.is_some_and(|ended| ended >= since))
            && !self.seen.contains(&row.id)
    }
}

impl RunList {
    /// Continues with what is remembered.
    pub(in crate::tui) fn recall(&mut self, memory: Memory, now: Timestamp) {
        (self.sorting, self.grouping, self.all_unfolded) = (memory.sorting, memory.grouping, memory.all_unfolded);
        self.unfolded = memory.unfolded;
        self.failures = Failures { since: Some(memory.since.unwrap_or(now)), seen: memory.seen };
        self.remembered = memory.selected;
    }

    /// What to store for the next start.
    pub(in crate::tui) fn memory(&self) -> Memory {
        Memory {
            since: self.failures.since,
            // A run that was removed cannot fail again.
            seen: self.failures.seen.iter().filter(|id| self.entries.contains_key(*id)).cloned().collect(),
            sorting: self.sorting,
            grouping: self.grouping,
            all_unfolded: self.all_unfolded,
            unfolded: self.unfolded.clone(),
            selected: self.current().map(|entry| entry.row.id.clone()),
            tab: Tab::default(),
        }
    }

    /// The selected run has been seen; whether that is news.
    pub(in crate::tui) fn acknowledge(&mut self) -> bool {
        let Some(id) =
            self.current().filter(|entry| self.failures.is_new(&entry.row)).map(|entry| entry.row.id.clone())
        else {
            return false;
        };
        self.failures.seen.insert(id);
        self.arrange();
        true
    }

    /// How many failed runs have not been seen.
    pub(in crate::tui) fn new_failures(&self) -> usize {
        self.unseen_failures().count()
    }

    /// The failed runs that have not been seen.
    pub(in crate::tui) fn unseen_failures(&self) -> impl Iterator<Item = &RunRow> {
        self.entries.values().map(|entry| &entry.row).filter(|row| self.failures.is_new(row))
    }
}
