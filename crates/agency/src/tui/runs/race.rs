//! Races in the list: the runs of one stand together, the best first, each with what verifying its work showed.
//!
//! The one rule: the order is that of `agency race show`, as far as it is known without git.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use agency_engine::store::RaceResult;
use agency_model::run::State as RunState;
use jiff::SignedDuration;

use super::{ListedRun, RunList};

/// What verifying the work of a run showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Verified {
    pub(in crate::tui) passed: bool,
    /// How the command ended.
    pub(in crate::tui) outcome: String,
    /// How many protected files the work changes.
    pub(in crate::tui) protected: usize,
}

impl Verified {
    pub(in crate::tui) fn of(result: RaceResult) -> Self {
        Self { passed: result.succeeded, outcome: result.outcome, protected: result.protected.len() }
    }
}

impl ListedRun {
    /// What the table of a race says of it, the most important first: whether it passed, how long it took, protected files
    /// that it changes, how verifying it failed.
    pub(in crate::tui) fn race_words(&self, passed: &str, failed: &str) -> Option<String> {
        self.row.race_id.as_ref()?;
        let sign = self.verified.as_ref().map(|verified| if verified.passed { passed } else { failed }.to_owned());
        let took = self.took().map(|took| match (took.as_secs() / 60, took.as_secs() % 60) {
            (0, seconds) => format!("{seconds}s"),
            (minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        });
        let first: Vec<String> = sign.into_iter().chain(took).collect();
        let landed = self.row.landed_at.map(|_| "landed".to_owned());
        let verified = self.verified.as_ref();
        let protected = verified.filter(|verified| verified.protected > 0);
        let protected = protected.map(|verified| format!("{} protected", verified.protected));
        let outcome = verified.filter(|verified| !verified.passed).map(|verified| verified.outcome.clone());
        let first = Some(first.join(" ")).filter(|words| !words.is_empty());
        let words: Vec<String> = [first, landed, protected, outcome].into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn took(&self) -> Option<SignedDuration> {
        Some(self.row.ended_at?.duration_since(self.row.started_at?))
    }
}

/// The races of which a run has landed.
pub(super) fn decided(list: &RunList) -> BTreeSet<&str> {
    let landed = list.entries.values().filter(|entry| entry.row.landed_at.is_some());
    landed.filter_map(|entry| entry.row.race_id.as_deref()).collect()
}

/// What stands above the runs of a race.
pub(super) fn title(race: &str, list: &RunList) -> String {
    let runs = || list.entries.values().filter(|entry| entry.row.race_id.as_deref() == Some(race));
    let verified = runs().filter(|entry| entry.verified.is_some()).count();
    let passed = runs().filter(|entry| entry.verified.as_ref().is_some_and(|verified| verified.passed)).count();
    match verified {
        0 => format!("race · {race}"),
        _ => format!("race · {race} · {passed} of {} passed", runs().count()),
    }
}

/// The better one first; of equal ones the one that began first.
pub(super) fn compare(one: &ListedRun, other: &ListedRun) -> Ordering {
    let class = |entry: &ListedRun| match (&entry.verified, entry.row.state) {
        // What changed nothing cannot land.
        _ if entry.changes.is_some_and(|changes| changes.files == 0) => 2,
        (Some(verified), _) if verified.passed => 0,
        (Some(_), _) => 3,
        (None, RunState::Failed | RunState::Killed) => 4,
        (None, RunState::Queued | RunState::Running | RunState::Completed) => 1,
    };
    let protected = |entry: &ListedRun| entry.verified.as_ref().is_some_and(|verified| verified.protected > 0);
    let cost = |entry: &ListedRun| entry.row.usage.cost_usd.unwrap_or(f64::INFINITY);
    let took = |entry: &ListedRun| entry.took().unwrap_or(SignedDuration::MAX);
    (class(one).cmp(&class(other)))
        .then(protected(one).cmp(&protected(other)))
        .then((!one.conflicts.is_empty()).cmp(&!other.conflicts.is_empty()))
        .then(cost(one).total_cmp(&cost(other)))
        .then(took(one).cmp(&took(other)))
        .then(one.row.id.cmp(&other.row.id))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use agency_engine::store::RunRow;
    use agency_model::{RunId, Usage};

    use super::*;
    use crate::tui::fixture::{ended, now, run, run_id};
    use crate::tui::runs::{ChangeCount, RunsLine};

    const RACE: &str = "race_01ARZ3NDEKTSV4RRFFQ69G5FAV";

    fn racing(number: u8, name: &str, cost: f64) -> RunRow {
        let usage = Usage { cost_usd: Some(cost), ..Usage::default() };
        RunRow { race_id: Some(RACE.to_owned()), usage, ..ended(run(number, name)) }
    }

    fn verified(list: &mut RunList, id: &RunId, passed: bool, protected: usize) {
        let outcome = if passed { "passed" } else { "exit code 1" }.to_owned();
        list.learn_verified(id, Verified { passed, outcome, protected });
    }

    fn shown(list: &RunList) -> Vec<String> {
        let name = |id: &RunId| list.get(id).and_then(|entry| entry.row.name.clone()).unwrap_or_default();
        let words = |line: &RunsLine| match line {
            RunsLine::Group { title, .. } => format!("[{title}]"),
            RunsLine::Run(id) => name(id),
            RunsLine::Finished { count, .. } => format!("{count} finished"),
        };
        list.lines().iter().map(words).collect()
    }

    #[test]
    fn the_runs_of_a_race_stand_together_the_best_first_until_one_has_landed() {
        let mut list = RunList::default();
        let rows = vec![racing(1, "dear", 2.0), racing(2, "cheap", 0.5), racing(3, "wrong", 0.1), run(4, "other")];
        list.learn(rows, &[], Some(HashMap::new()));
        assert_eq!(shown(&list), [format!("[race · {RACE}]").as_str(), "wrong", "cheap", "dear", "[shop]", "other"]);
        for (number, passed) in [(1, true), (2, true), (3, false)] {
            verified(&mut list, &run_id(number), passed, 0);
        }
        let title = format!("[race · {RACE} · 2 of 3 passed]");
        assert_eq!(shown(&list)[..4], [title.as_str(), "cheap", "dear", "wrong"]);
        verified(&mut list, &run_id(2), true, 1);
        assert_eq!(shown(&list)[1..4], ["dear", "cheap", "wrong"], "a change of protected files costs the first place");
        let words = |number| list.get(&run_id(number)).unwrap().race_words("✓", "✗");
        assert_eq!(words(2).as_deref(), Some("✓ 2m 00s, 1 protected"));
        assert_eq!(words(3).as_deref(), Some("✗ 3m 00s, exit code 1"));
        assert_eq!(words(4), None);
        list.learn_changes(&run_id(1), ChangeCount::default());
        assert_eq!(shown(&list)[1..4], ["cheap", "dear", "wrong"], "what changed nothing cannot land");
        let landed = RunRow { landed_at: Some(now()), ..racing(1, "dear", 2.0) };
        list.learn(vec![landed], &[], None);
        assert!(shown(&list).contains(&"3 finished".to_owned()), "{:?}", shown(&list));
    }
}
