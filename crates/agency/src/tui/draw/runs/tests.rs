//! The list, the first and the last line and the help, as they look.

use std::collections::HashMap;

use agency_engine::store::RunRow;
use agency_model::run::State as RunState;
use agency_model::{Activity, Usage};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::tui::detail::Tab;
use crate::tui::draw::draw;
use crate::tui::fixture::{ended, enter, permission, press, run, run_id, state, tell};
use crate::tui::input::BackgroundEvent;
use crate::tui::runs::{ChangeCount, Verified};
use crate::tui::state::{Focus, State};
use crate::tui::theme::Theme;

/// The sizes at which every screen is looked at.
const SIZES: [(u16, u16); 3] = [(40, 10), (100, 30), (160, 45)];

fn picture(state: &State) -> String {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    terminal.backend().to_string()
}

fn runs() -> Vec<RunRow> {
    let doing = |row: RunRow, activity| RunRow { activity: Some(activity), ..row };
    let costing = |row: RunRow, cost| RunRow { usage: Usage { cost_usd: Some(cost), ..Usage::default() }, ..row };
    vec![
        costing(doing(run(1, "fix-login"), Activity::RunningCommand), 0.1234),
        doing(run(2, "tidy-cart"), Activity::Writing),
        costing(doing(run(3, "a name that is much longer than its column"), Activity::Idle), 12.5),
        RunRow { state: RunState::Queued, activity: None, ..run(4, "later") },
        RunRow { name: None, repo_path: "/home/user/api".to_owned(), ..run(5, "nameless") },
        ended(run(6, "done")),
        RunRow { state: RunState::Failed, ..ended(run(7, "broken")) },
        RunRow { state: RunState::Killed, ..ended(run(8, "stopped")) },
        run(9, "asking"),
    ]
}

fn filled(size: (u16, u16)) -> State {
    let mut state = state(size, runs(), vec![permission(1, 9)]);
    let changes = ChangeCount { files: 3, added: 120, removed: 45_000 };
    tell(&mut state, BackgroundEvent::Changes { run: run_id(1), changes });
    let changes = ChangeCount { files: 2, added: 0, removed: 0 };
    tell(&mut state, BackgroundEvent::Changes { run: run_id(2), changes });
    state
}

#[test]
fn the_list_at_three_sizes() {
    for size in SIZES {
        insta::assert_snapshot!(format!("list_{}x{}", size.0, size.1), picture(&filled(size)));
    }
}

#[test]
fn the_list_unfolded_and_filtered() {
    for size in SIZES {
        let mut state = filled(size);
        press(&mut state, "fbb/o");
        insta::assert_snapshot!(format!("filtered_{}x{}", size.0, size.1), picture(&state));
    }
}

#[test]
fn the_help_at_three_sizes() {
    for size in SIZES {
        let mut state = filled(size);
        press(&mut state, "?");
        insta::assert_snapshot!(format!("help_{}x{}", size.0, size.1), picture(&state));
    }
}

#[test]
fn nothing_yet_and_nothing_at_all() {
    for size in SIZES {
        let mut state = state(size, vec![], vec![]);
        insta::assert_snapshot!(format!("empty_{}x{}", size.0, size.1), picture(&state));
        press(&mut state, "/zzz");
        enter(&mut state);
        assert!(picture(&state).contains("No run"), "{}", picture(&state));
    }
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let mut state = filled((100, 30));
    state.theme = Theme::ansi(false, false);
    press(&mut state, "f");
    let picture = picture(&state).replace('…', "");
    assert!(picture.is_ascii(), "{picture}");
}

#[test]
fn ten_thousand_runs_are_a_list_like_any_other() {
    let mut state = state((160, 45), vec![], vec![]);
    let rows = (0..10_000_u32).map(|number| {
        let id = format!("r_01ARZ3NDEKTSV4RRFFQ6{number:06}").parse().unwrap();
        RunRow { id, ..ended(run(1, &format!("run {number}"))) }
    });
    state.runs.learn(rows.collect(), &[], Some(HashMap::new()));
    press(&mut state, "fG");
    assert!(picture(&state).contains("run 0 "), "{}", picture(&state));
    press(&mut state, "g");
    assert!(picture(&state).contains("10000 finished"));
}

#[test]
fn the_runs_of_a_race_are_a_table_with_its_results() {
    let race = || Some("race_01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned());
    let racing = |number, name: &str| RunRow { race_id: race(), ..ended(run(number, name)) };
    let mut state = state((160, 45), vec![racing(1, "claude"), racing(2, "codex")], vec![]);
    for (number, succeeded, outcome) in [(1, false, "exit code 1"), (2, true, "passed")] {
        let verified = Verified { passed: succeeded, outcome: outcome.to_owned(), protected: 0 };
        tell(&mut state, BackgroundEvent::Verified { run: run_id(number), verified });
    }
    let screen = picture(&state);
    assert!(screen.contains("1 of 2 passed"), "{screen}");
    let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert!(line("codex ✓ 2m 00s") < line("claude ✗ 1m 00s"), "{screen}");
}

#[test]
fn a_run_that_conflicts_has_a_badge_and_says_with_what() {
    let mut state = filled((100, 30));
    let with = vec!["main".to_owned(), "tidy-cart".to_owned()];
    tell(&mut state, BackgroundEvent::Conflicts { run: run_id(1), with });
    let screen = picture(&state);
    assert!(screen.contains("⚔ fix-login"), "{screen}");
    tell(&mut state, BackgroundEvent::Conflicts { run: run_id(1), with: vec![] });
    assert_eq!(picture(&state), picture(&filled((100, 30))));
}

/// What is counted later has its room from the beginning.
#[test]
fn columns_stay_where_they_are_when_changes_are_counted() {
    use crate::tui::fixture::{run, run_id, state, tell};
    use crate::tui::input::BackgroundEvent;
    use crate::tui::runs::ChangeCount;
    for size in [(60, 10), (100, 30), (160, 45)] {
        let mut state = state(size, vec![run(1, "one"), run(2, "two")], vec![]);
        let place =
            |picture: &str| picture.lines().find_map(|line| line.find("two").filter(|_| line.contains("thinking")));
        let before = picture(&state);
        let changes = ChangeCount { files: 1, added: 3, removed: 2 };
        tell(&mut state, BackgroundEvent::Changes { run: run_id(2), changes });
        let after = picture(&state);
        assert_eq!(place(&after), place(&before), "{after}");
        assert!(after.contains("+3") && !before.contains("+3"), "{after}");
    }
}

/// On a terminal of the usual size both are seen; without a run, the first steps have all of it.
#[test]
fn the_tabs_stand_below_the_list_on_a_narrower_terminal() {
    let size = (80, 24);
    insta::assert_snapshot!("list_80x24", picture(&filled(size)));
    let mut state = filled(size);
    press(&mut state, "2");
    assert_eq!(state.focus, Focus::List, "the tab is seen without leaving the list");
    enter(&mut state);
    assert!(!picture(&state).contains("tidy-cart"), "{}", picture(&state));
    let empty = picture(&crate::tui::fixture::state(size, vec![], vec![]));
    assert!(empty.contains("agency demo") && !empty.contains("Events"), "{empty}");
}

#[test]
fn a_tab_that_has_no_room_beside_the_list_is_opened_by_its_key() {
    let mut state = filled((50, 12));
    press(&mut state, "2");
    assert_eq!((state.focus, state.detail.tab), (Focus::Detail, Tab::Diff));
}

/// The key that answers has its room before others, on a terminal that has not room for all.
#[test]
fn a_run_that_waits_has_the_key_of_the_inbox_first() {
    let mut state = filled((80, 24));
    let footer = |state: &State| picture(state).lines().last().unwrap_or_default().to_owned();
    state.runs.select(&run_id(9));
    assert!(footer(&state).starts_with("\"i inbox"), "{}", footer(&state));
    state.runs.select(&run_id(2));
    assert!(footer(&state).starts_with("\"Enter open"), "{}", footer(&state));
}

#[test]
fn changes_that_are_too_wide_are_added_up_rather_than_cut() {
    let mut state = filled((100, 30));
    let changes = ChangeCount { files: 9, added: 300_000, removed: 400_000 };
    tell(&mut state, BackgroundEvent::Changes { run: run_id(1), changes });
    assert!(picture(&state).contains("±700k"), "{}", picture(&state));
}

#[test]
fn the_help_finds_a_text() {
    use crate::tui::fixture::{empty, enter, press};
    let mut state = empty((60, 10));
    press(&mut state, "?/redraw");
    enter(&mut state);
    assert!(picture(&state).contains("redraw the screen"), "{}", picture(&state));
}
