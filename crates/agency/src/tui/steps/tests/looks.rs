//! How the steps look.

use proptest::prelude::*;

use super::*;
use crate::tui::form::tests::looks::{drawn, picture};

const SIZES: [(u16, u16); 3] = [(40, 10), (100, 30), (160, 45)];

#[test]
fn a_session_that_waits() {
    for size in SIZES {
        let state = opened_at(size, SessionState::Waiting);
        insta::assert_snapshot!(format!("waiting_{}x{}", size.0, size.1), picture(&state));
    }
}

#[test]
fn a_session_that_is_blocked() {
    let mut state = opened_at((100, 30), SessionState::Blocked);
    insta::assert_snapshot!("blocked_100x30", picture(&state));
    key(&mut state, KeyCode::Char('R'));
    insta::assert_snapshot!("retry_100x30", picture(&state));
}

#[test]
fn a_rejection() {
    for size in [(40, 10), (100, 30)] {
        let mut state = opened_at(size, SessionState::Waiting);
        ask(&mut state, vec![question(1)]);
        key(&mut state, KeyCode::Char('x'));
        type_text(&mut state, "The tests are missing, and the page is too slow.");
        insta::assert_snapshot!(format!("reject_{}x{}", size.0, size.1), picture(&state));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_size_is_too_small(columns in 0u16..130, rows in 0u16..50, rejecting in any::<bool>()) {
        let mut state = opened_at((columns, rows), SessionState::Waiting);
        if rejecting {
            key(&mut state, KeyCode::Char('x'));
        }
        for code in [KeyCode::Char('j'), KeyCode::Char('G'), KeyCode::Char('k')] {
            key(&mut state, code);
            drawn(&state);
        }
        click(&mut state, columns / 2, rows / 2);
        drawn(&state);
    }
}
