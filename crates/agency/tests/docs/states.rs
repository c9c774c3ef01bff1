//! `docs/states.md` names every state, phase and reason.

use agency_model::run::{Phase, Reason, State, StopCause};
use agency_model::workflow::SessionState;

use super::markdown::{code_words, read, rows, section};

/// The words in the first column of a section's table.
fn first_column(heading: &str) -> Vec<String> {
    let page = read("docs/states.md");
    let section = if heading.is_empty() { page } else { section(&page, heading) };
    rows(&section).iter().flat_map(|row| code_words(&row[0])).collect()
}

#[test]
fn every_state_phase_and_reason_is_described() {
    let words = first_column("");
    for state in State::ALL {
        assert!(words.contains(&state.to_string()), "{state}");
    }
    let cause = StopCause::Requested;
    let phases =
        [Phase::Starting(None), Phase::Working, Phase::Stopping(cause), Phase::Killing(cause), Phase::BackingOff];
    assert_eq!(first_column("Phases"), phases.map(Phase::as_str));
    let reasons = first_column("Reasons");
    for reason in Reason::ALL {
        assert!(reasons.contains(&reason.to_string()), "{reason}");
    }
}

#[test]
fn every_state_of_a_session_is_described() {
    assert_eq!(first_column("Sessions"), SessionState::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>());
}
