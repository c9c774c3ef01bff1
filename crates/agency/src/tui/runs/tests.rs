//! The list: what is shown in which order, and that the selection stays with its run.

use std::collections::HashMap;

use agency_engine::store::RunRow;
use agency_model::run::State as RunState;
use agency_model::{Activity, RunId, RunKind, Usage};
use proptest::prelude::*;

use super::*;
use crate::tui::fixture::{ended, run, run_id};
use crate::tui::memory::Memory;

fn list(rows: Vec<RunRow>) -> RunList {
    let mut list = RunList::default();
    list.learn(rows, &[], Some(HashMap::new()));
    list
}

/// The lines, as one would read them.
fn shown(list: &RunList) -> Vec<String> {
    let name = |id: &RunId| list.get(id).and_then(|entry| entry.row.name.clone()).unwrap_or_default();
    let words = |line: &RunsLine| match line {
        RunsLine::Group { title, .. } => format!("[{title}]"),
        RunsLine::Run(id) => name(id),
        RunsLine::Finished { count, unfolded: true, .. } => format!("{count} finished:"),
        RunsLine::Finished { count, unfolded: false, .. } => format!("{count} finished"),
    };
    list.lines().iter().map(words).collect()
}

fn elsewhere(row: RunRow, repo: &str) -> RunRow {
    RunRow { repo_path: repo.to_owned(), ..row }
}

fn costing(row: RunRow, cost: f64) -> RunRow {
    RunRow { usage: Usage { cost_usd: Some(cost), ..Usage::default() }, ..row }
}

fn selected(list: &RunList) -> Option<String> {
    list.current().and_then(|entry| entry.row.name.clone())
}

#[test]
fn runs_are_grouped_by_repository_newest_first_and_finished_ones_folded() {
    let rows = vec![run(1, "one"), run(2, "two"), ended(run(3, "three")), elsewhere(run(4, "four"), "/home/user/api")];
    let mut list = list(rows);
    assert_eq!(shown(&list), ["[api]", "four", "[shop]", "two", "one", "1 finished"]);
    list.fold_all();
    assert_eq!(shown(&list), ["[api]", "four", "[shop]", "two", "one", "1 finished:", "three"]);
    list.group_next();
    assert_eq!(shown(&list), ["[without a workflow]", "four", "two", "one", "1 finished:", "three"]);
    list.group_next();
    assert_eq!(shown(&list), ["four", "two", "one", "1 finished:", "three"]);
}

#[test]
fn who_asks_stands_on_top_until_the_answer() {
    let mut list = list(vec![run(1, "one"), run(2, "two")]);
    list.select(&run_id(2));
    list.learn(vec![], &[], Some(HashMap::from([(run_id(1), 2)])));
    assert_eq!(shown(&list), ["[waiting for you]", "one", "[shop]", "two"]);
    assert_eq!(selected(&list).as_deref(), Some("two"), "what comes in never takes the selection");
    list.learn(vec![], &[], Some(HashMap::new()));
    assert_eq!(shown(&list), ["[shop]", "two", "one"]);
}

#[test]
fn a_run_whose_question_was_told_before_it_stands_on_top_too() {
    let mut list = RunList::default();
    list.learn(vec![], &[], Some(HashMap::from([(run_id(1), 1)])));
    list.learn(vec![run(1, "one")], &[], None);
    assert_eq!(shown(&list), ["[waiting for you]", "one"]);
}

#[test]
fn sorting_goes_by_what_the_user_chose() {
    let idle = RunRow { activity: Some(Activity::Idle), ..run(1, "zoo") };
    let mut list = list(vec![idle, costing(run(2, "ant"), 0.5), costing(run(3, "bee"), 2.0)]);
    assert_eq!(shown(&list), ["[shop]", "bee", "ant", "zoo"]);
    list.sort_next();
    assert_eq!((list.sorting, shown(&list)[1].as_str()), (Sorting::Status, "zoo"));
    list.sort_next();
    assert_eq!(shown(&list), ["[shop]", "ant", "bee", "zoo"]);
    list.sort_next();
    assert_eq!(shown(&list), ["[shop]", "bee", "ant", "zoo"]);
    // What becomes dearer moves at once.
    list.learn(vec![costing(run(2, "ant"), 3.0)], &[], None);
    assert_eq!(shown(&list), ["[shop]", "ant", "bee", "zoo"]);
}

#[test]
fn a_filter_finds_words_anywhere_and_finished_runs_too() {
    let mut list = list(vec![run(1, "Login"), ended(run(2, "login page")), run(3, "cart")]);
    list.set_filter("LOGIN");
    assert_eq!(shown(&list), ["[shop]", "Login", "login page"]);
    list.set_filter("login completed shop");
    assert_eq!(shown(&list), ["[shop]", "login page"]);
    list.set_filter("nothing like it");
    assert_eq!(shown(&list), Vec::<String>::new());
    assert_eq!(list.selected, None);
    list.set_filter("");
    assert!(list.selected.is_some());
}

#[test]
fn groups_of_workflows_have_the_names_of_their_drivers() {
    let session = "s_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let of = |row: RunRow, kind| RunRow { kind, workflow_session: session.parse().ok(), ..row };
    let mut list = list(vec![of(run(1, "review"), RunKind::Workflow), of(run(2, "task"), RunKind::Task), run(3, "x")]);
    list.group_next();
    let title = shown(&list)[0].clone();
    assert!(title.starts_with("[review · s_"), "{title}");
    assert_eq!(shown(&list)[1..], ["task", "review", "[without a workflow]", "x"]);
}

#[test]
fn a_run_that_ends_stays_as_long_as_it_is_selected() {
    let mut list = list(vec![run(1, "one"), run(2, "two"), ended(run(3, "three"))]);
    list.select(&run_id(1));
    list.learn(vec![ended(run(1, "one"))], &[], None);
    assert_eq!(selected(&list).as_deref(), Some("one"));
    assert_eq!(shown(&list), ["[shop]", "two", "2 finished", "one"]);
    list.go(Move::First, 10);
    assert_eq!(selected(&list).as_deref(), Some("two"));
    assert_eq!(shown(&list), ["[shop]", "two", "2 finished"]);
    // Selecting it again shows it.
    list.select(&run_id(1));
    assert_eq!(shown(&list), ["[shop]", "two", "2 finished", "one"]);
}

#[test]
fn a_removed_run_leaves_the_selection_near() {
    let mut list = list(vec![run(1, "one"), run(2, "two"), run(3, "three")]);
    list.select(&run_id(2));
    list.learn(vec![], &[run_id(2)], None);
    assert_eq!(selected(&list).as_deref(), Some("one"));
}

fn failed(row: RunRow) -> RunRow {
    RunRow { state: RunState::Failed, ..ended(row) }
}

/// A list that reports failures since some time before all of them.
fn reporting(rows: Vec<RunRow>, memory: Memory) -> RunList {
    let mut list = RunList::default();
    list.recall(memory, "2026-01-01T00:00:00Z".parse().unwrap());
    list.learn(rows, &[], Some(HashMap::new()));
    list
}

#[test]
fn a_failure_stands_on_top_until_it_was_seen() {
    let rows = vec![run(1, "one"), failed(run(2, "two")), failed(run(3, "three"))];
    let mut list = reporting(rows, Memory::default());
    assert_eq!(shown(&list), ["[failed since you last looked]", "three", "two", "[shop]", "one"]);
    assert_eq!((selected(&list).as_deref(), list.new_failures()), (Some("three"), 2), "the cursor starts there");
    assert!(list.acknowledge());
    assert!(!list.acknowledge(), "once is enough");
    assert_eq!(list.new_failures(), 1);
    let memory = list.memory();
    let again = reporting(vec![run(1, "one"), failed(run(2, "two")), failed(run(3, "three"))], memory);
    assert_eq!(shown(&again), ["[failed since you last looked]", "two", "[shop]", "one", "1 finished"]);
    // What failed before the screen was opened for the first time is not news.
    let mut old = RunList::default();
    old.recall(Memory::default(), "2027-01-01T00:00:00Z".parse().unwrap());
    old.learn(vec![failed(run(1, "one"))], &[], Some(HashMap::new()));
    assert_eq!(shown(&old), ["[shop]", "1 finished"]);
}

#[test]
fn the_selected_run_is_remembered_unless_something_needs_the_user() {
    let rows = || vec![run(1, "one"), run(2, "two"), run(3, "three")];
    let mut list = reporting(rows(), Memory::default());
    list.select(&run_id(1));
    list.sort_next();
    let memory = list.memory();
    let again = reporting(rows(), memory.clone());
    assert_eq!((selected(&again).as_deref(), again.sorting), (Some("one"), Sorting::Status));
    let mut asked = RunList::default();
    asked.recall(memory, "2026-01-01T00:00:00Z".parse().unwrap());
    asked.learn(rows(), &[], Some(HashMap::from([(run_id(2), 1)])));
    assert_eq!(selected(&asked).as_deref(), Some("two"));
}

#[test]
fn repositories_with_live_runs_come_first() {
    let list = list(vec![elsewhere(ended(run(1, "one")), "/home/user/api"), run(2, "two")]);
    assert_eq!(shown(&list), ["[shop]", "two", "[api]", "1 finished"]);
}

#[test]
fn moving_skips_headings_and_stops_at_the_ends() {
    let mut list = list(vec![run(1, "one"), elsewhere(run(2, "two"), "/a"), elsewhere(run(3, "three"), "/b")]);
    list.go(Move::First, 10);
    assert_eq!(selected(&list).as_deref(), Some("two"));
    list.go(Move::Up, 10);
    assert_eq!(selected(&list).as_deref(), Some("two"));
    list.go(Move::Down, 10);
    assert_eq!(selected(&list).as_deref(), Some("three"));
    list.go(Move::PageDown, 10);
    list.go(Move::Down, 10);
    assert_eq!(selected(&list).as_deref(), Some("one"));
}

proptest! {
    #[test]
    fn whatever_happens_the_selection_is_on_a_line_that_is_shown(
        steps in proptest::collection::vec((0_u8..9, 1_u8..20), 1..60),
        height in 1_usize..12,
    ) {
        let mut list = RunList::default();
        for (step, number) in steps {
            match step {
                0 => list.learn(vec![run(number, "a")], &[], None),
                1 => list.learn(vec![ended(run(number, "b"))], &[], None),
                2 => list.learn(vec![], &[run_id(number)], None),
                3 => list.go(Move::Down, height),
                4 => list.go(Move::Up, height),
                5 => list.learn(vec![], &[], Some(HashMap::from([(run_id(number), 1)]))),
                6 => list.fold_all(),
                7 => list.set_filter(if number % 2 == 0 { "b" } else { "" }),
                _ => list.select(&run_id(number)),
            }
            list.show_selected(height);
            match list.selected_line() {
                Some(line) => prop_assert!((list.top..list.top + height).contains(&line), "{line} of {}", list.top),
                None => prop_assert!(list.lines().is_empty()),
            }
        }
    }
}
