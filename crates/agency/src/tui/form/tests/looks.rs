//! How the form looks.

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::tui::draw::draw;

pub(in crate::tui) fn drawn(state: &State) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    terminal.backend().clone()
}

pub(in crate::tui) fn picture(state: &State) -> String {
    drawn(state).to_string()
}

fn filled(size: (u16, u16)) -> State {
    let mut state = opened(size);
    tell_runs(&mut state, vec![row(1, "old")]);
    type_text(&mut state, "Fix the login, which fails on Mondays, and write a test for it that fails without the fix.");
    key(&mut state, KeyCode::Enter);
    type_text(&mut state, "Say what you did.");
    key(&mut state, KeyCode::Tab);
    key(&mut state, KeyCode::Tab);
    type_text(&mut state, "mian");
    key(&mut state, KeyCode::Tab);
    key(&mut state, KeyCode::Right);
    let (number, _) = job_of(&ctrl(&mut state, 's'));
    let failure = Failure {
        message: "'mian' is no commit of /srv/here".to_owned(),
        hint: Some("git branch -a lists what there is".to_owned()),
    };
    done(&mut state, number, Ok(JobOutcome::NotCreated { field: Some(Field::Base), failure }));
    state
}

#[test]
fn an_empty_form() {
    for size in [(40, 10), (100, 30), (160, 45)] {
        insta::assert_snapshot!(format!("empty_{}x{}", size.0, size.1), picture(&opened(size)));
    }
}

#[test]
fn a_form_with_a_mistake() {
    for size in [(40, 10), (100, 30), (160, 45)] {
        insta::assert_snapshot!(format!("mistake_{}x{}", size.0, size.1), picture(&filled(size)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_size_is_too_small(columns in 0u16..130, rows in 0u16..50, then_columns in 0u16..130, then_rows in 0u16..50) {
        let mut state = filled((columns, rows));
        drawn(&state);
        update(&mut state, Input::Resize(then_columns, then_rows));
        click(&mut state, then_columns / 2, then_rows / 2);
        drawn(&state);
    }
}
