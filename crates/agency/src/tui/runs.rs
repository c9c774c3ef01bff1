//! The list of runs: what is known of each, which are shown in which order, and which one is selected.
//!
//! The one rule: the selection is a run, not a line; whatever moves, it stays with its run.

mod cost;
mod failures;
mod lines;
mod order;
mod race;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agency_engine::store::RunRow;
use agency_model::RunId;

use failures::Failures;
pub(super) use lines::{Attention, GroupKey, RunsLine};
pub(super) use order::{Grouping, Sorting};
pub(super) use race::Verified;

use super::keys::Move;

/// How many files and lines a run changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ChangeCount {
    pub(super) files: usize,
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// What is known of a run.
#[derive(Debug, Clone)]
pub(super) struct ListedRun {
    pub(super) row: RunRow,
    pub(super) changes: Option<ChangeCount>,
    /// What its work conflicts with: branches and the names of other runs.
    pub(super) conflicts: Vec<String>,
    /// What verifying its work in a race showed.
    pub(super) verified: Option<Verified>,
    /// How many questions wait.
    pub(super) asks: usize,
}

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pick {
    Run(RunId),
    /// The line that stands for the finished runs of a group.
    Finished(GroupKey),
}

/// All runs, and how they are shown.
#[derive(Debug, Default)]
pub(super) struct RunList {
    entries: BTreeMap<RunId, ListedRun>,
    /// How many questions of which runs wait.
    asking: HashMap<RunId, usize>,
    lines: Vec<RunsLine>,
    pub(super) selected: Option<Pick>,
    /// The first line that is shown.
    pub(super) top: usize,
    pub(super) sorting: Sorting,
    pub(super) grouping: Grouping,
    filter: String,
    /// The groups whose finished runs are unfolded.
    unfolded: BTreeSet<GroupKey>,
    all_unfolded: bool,
    /// Whether the existing runs have been loaded.
    pub(super) loaded: bool,
    failures: Failures,
    /// The runs that are chosen for what is done with several.
    marked: BTreeSet<RunId>,
    /// The run that was selected when the screen was left.
    remembered: Option<RunId>,
}

impl RunList {
    /// Chooses the selected run, or not.
    pub(super) fn mark(&mut self) {
        if let Some(id) = self.current().map(|entry| entry.row.id.clone())
            && !self.marked.remove(&id)
        {
            self.marked.insert(id);
        }
    }

    /// Chooses all runs of the selected run's group that are shown, or none of them if all are chosen.
    pub(super) fn mark_group(&mut self) {
        let Some(line) = self.selected_line() else { return };
        let is_heading = |line: &RunsLine| matches!(line, RunsLine::Group { .. });
        let start = self.lines.iter().take(line).rposition(is_heading).map_or(0, |heading| heading + 1);
        let group = self.lines.iter().skip(start).take_while(|line| !is_heading(line));
        let ids: Vec<RunId> = group
            .filter_map(|line| match line {
                RunsLine::Run(id) => Some(id.clone()),
                RunsLine::Group { .. } | RunsLine::Finished { .. } => None,
            })
            .collect();
        match ids.iter().all(|id| self.marked.contains(id)) {
            true => self.marked.retain(|id| !ids.contains(id)),
            false => self.marked.extend(ids),
        }
    }

    /// Chooses nothing.
    pub(super) fn unmark_all(&mut self) {
        self.marked.clear();
    }

    pub(super) fn is_marked(&self, id: &RunId) -> bool {
        self.marked.contains(id)
    }

    /// The runs that are chosen.
    pub(super) fn marked(&self) -> Vec<RunRow> {
        self.marked.iter().filter_map(|id| self.entries.get(id)).map(|entry| entry.row.clone()).collect()
    }

    pub(super) fn lines(&self) -> &[RunsLine] {
        &self.lines
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    pub(super) fn get(&self, id: &RunId) -> Option<&ListedRun> {
        self.entries.get(id)
    }

    /// Whether there is such a run.
    pub(super) fn any(&self, is: impl FnMut(&ListedRun) -> bool) -> bool {
        self.entries.values().any(is)
    }

    /// The selected run.
    pub(super) fn current(&self) -> Option<&ListedRun> {
        match self.selected.as_ref()? {
            Pick::Run(id) => self.entries.get(id),
            Pick::Finished(_) => None,
        }
    }

    /// How many runs are live, and how many have finished.
    pub(super) fn count(&self) -> (usize, usize) {
        let live = self.entries.values().filter(|entry| !entry.row.state.is_terminal()).count();
        (live, self.entries.len() - live)
    }

    /// Takes in what changed.
    pub(super) fn learn(&mut self, changed: Vec<RunRow>, gone: &[RunId], asking: Option<HashMap<RunId, usize>>) {
        let first = !self.loaded;
        let mut moved = first;
        self.loaded = true;
        for id in gone {
            moved |= self.entries.remove(id).is_some();
            self.marked.remove(id);
        }
        for row in changed {
            moved |= self.put(row);
        }
        if let Some(asking) = asking {
            for entry in self.entries.values_mut() {
                let asks = asking.get(&entry.row.id).copied().unwrap_or_default();
                moved |= (asks > 0) != (entry.asks > 0);
                entry.asks = asks;
            }
            self.asking = asking;
        }
        if moved {
            self.arrange();
        }
        if first && let Some(id) = self.remembered.take().filter(|_| !self.needs_user()) {
            self.select(&id);
        }
    }

    /// Whether a run waits for the user, or failed unseen.
    fn needs_user(&self) -> bool {
        self.any(|entry| entry.asks > 0) || self.new_failures() > 0
    }

    /// Whether the lines are others now: most changes of a row do not move it.
    fn put(&mut self, row: RunRow) -> bool {
        match self.entries.get_mut(&row.id) {
            Some(entry) => {
                let before = &entry.row;
                let same = before.state == row.state
                    && before.name == row.name
                    && (before.race_id.is_none() || before.landed_at == row.landed_at)
                    && match self.sorting {
                        Sorting::Newest | Sorting::Name => self.filter.is_empty() || before.activity == row.activity,
                        Sorting::Status => before.activity == row.activity,
                        Sorting::Cost => before.usage.cost_usd == row.usage.cost_usd,
                    };
                entry.row = row;
                !same
            }
            None => {
                let asks = self.asking.get(&row.id).copied().unwrap_or_default();
                let entry = ListedRun { changes: None, conflicts: vec![], verified: None, asks, row };
                self.entries.insert(entry.row.id.clone(), entry);
                true
            }
        }
    }

    pub(super) fn learn_changes(&mut self, id: &RunId, changes: ChangeCount) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        let nothing = |changes: Option<ChangeCount>| changes.is_some_and(|changes| changes.files == 0);
        let moves = entry.row.race_id.is_some() && nothing(entry.changes) != nothing(Some(changes));
        entry.changes = Some(changes);
        if moves {
            self.arrange();
        }
    }

    pub(super) fn learn_conflicts(&mut self, id: &RunId, with: Vec<String>) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.conflicts = with;
        }
    }

    pub(super) fn learn_verified(&mut self, id: &RunId, verified: Verified) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.verified = Some(verified);
            self.arrange();
        }
    }

    pub(super) fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.arrange();
    }

    pub(super) fn sort_next(&mut self) {
        self.sorting = self.sorting.next();
        self.arrange();
    }

    pub(super) fn group_next(&mut self) {
        self.grouping = self.grouping.next();
        self.arrange();
    }

    /// Folds or unfolds the finished runs of all groups.
    pub(super) fn fold_all(&mut self) {
        self.all_unfolded = !self.all_unfolded;
        self.unfolded.clear();
        self.arrange();
    }

    /// Folds or unfolds the finished runs of one group.
    pub(super) fn fold(&mut self, key: &GroupKey) {
        if !self.unfolded.remove(key) {
            self.unfolded.insert(key.clone());
        }
        self.arrange();
    }

    /// Selects a run, if it is known.
    pub(super) fn select(&mut self, id: &RunId) {
        if self.entries.contains_key(id) {
            self.pick(Pick::Run(id.clone()));
            self.arrange();
        }
    }

    /// Selects something else. A finished run that was shown only because it was selected is folded away again.
    fn pick(&mut self, pick: Pick) {
        let folds = self
            .current()
            .is_some_and(|entry| entry.row.state.is_terminal() && !self.is_unfolded(&lines::group_of(entry, self)));
        let moves = self.selected.as_ref() != Some(&pick);
        self.selected = Some(pick);
        if folds && moves {
            self.arrange();
        }
    }

    /// Selects what stands on a line; whether that was selected before.
    pub(super) fn select_line(&mut self, index: usize) -> Option<bool> {
        let pick = pick_of(self.lines.get(index)?)?;
        let again = self.selected.as_ref() == Some(&pick);
        self.pick(pick);
        Some(again)
    }

    /// Moves the selection; `height` is how many lines are shown.
    pub(super) fn go(&mut self, direction: Move, height: usize) {
        let now = self.selected_line().unwrap_or(0);
        let page = height.saturating_sub(1).max(1);
        let last = self.lines.len().saturating_sub(1);
        let (from, down) = match direction {
            Move::Up => (now.checked_sub(1), false),
            Move::Down => (Some(now + 1), true),
            Move::PageUp => (Some(now.saturating_sub(page)), false),
            Move::PageDown => (Some((now + page).min(last)), true),
            Move::First => (Some(0), true),
            Move::Last => (Some(last), false),
        };
        let Some(from) = from else { return };
        let pick = |index: usize| self.lines.get(index).and_then(pick_of);
        let found = match down {
            true => (from..self.lines.len()).find_map(pick).or_else(|| (0..from).rev().find_map(pick)),
            false => (0..=from).rev().find_map(pick).or_else(|| (from..self.lines.len()).find_map(pick)),
        };
        if let Some(found) = found {
            self.pick(found);
        }
        self.show_selected(height);
    }

    /// The line of the selection.
    pub(super) fn selected_line(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.lines.iter().position(|line| match (line, selected) {
            (RunsLine::Run(id), Pick::Run(selected)) => id == selected,
            (RunsLine::Finished { key, .. }, Pick::Finished(selected)) => key == selected,
            (
                RunsLine::Group { .. } | RunsLine::Run(_) | RunsLine::Finished { .. },
                Pick::Run(_) | Pick::Finished(_),
            ) => false,
        })
    }

    /// Shows another part of the list, if the selection is not in it.
    pub(super) fn show_selected(&mut self, height: usize) {
        let most = self.lines.len().saturating_sub(height.max(1));
        if let Some(line) = self.selected_line() {
            // The heading above the first run of a group is shown with it.
            let wanted = if line > 0 && pick_of_index(&self.lines, line - 1).is_none() { line - 1 } else { line };
            self.top = self.top.min(wanted).max((line + 1).saturating_sub(height));
        }
        self.top = self.top.min(most);
    }

    fn is_unfolded(&self, key: &GroupKey) -> bool {
        self.all_unfolded != self.unfolded.contains(key)
    }

    /// Puts the lines together anew.
    fn arrange(&mut self) {
        let before = self.selected_line();
        self.lines = lines::arrange(self);
        if self.selected_line().is_some() {
            return;
        }
        // What was selected is gone: what is near.
        let near = before.unwrap_or(0).min(self.lines.len().saturating_sub(1));
        let found = (near..self.lines.len()).chain((0..near).rev()).find_map(|index| pick_of_index(&self.lines, index));
        self.selected = found;
    }
}

fn pick_of(line: &RunsLine) -> Option<Pick> {
    match line {
        RunsLine::Group { .. } => None,
        RunsLine::Run(id) => Some(Pick::Run(id.clone())),
        RunsLine::Finished { key, .. } => Some(Pick::Finished(key.clone())),
    }
}

fn pick_of_index(lines: &[RunsLine], index: usize) -> Option<Pick> {
    lines.get(index).and_then(pick_of)
}
