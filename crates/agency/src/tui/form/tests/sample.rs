//! A state, runs for it, and keys that a user presses.

use agency_engine::runs::changes::RunsNews;
use agency_engine::store::RunRow;
use agency_model::RunId;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use jiff::Timestamp;

use crate::tui::effect::{Effect, Failure, Job, JobNumber, JobOutcome};
use crate::tui::fixture::run;
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::state::State;
use crate::tui::theme::Theme;
use crate::tui::update::update;

pub(in crate::tui) const NOW: i64 = 1_750_000_000;

pub(in crate::tui) fn state(size: (u16, u16)) -> State {
    let theme = Theme::ansi(true, true);
    State::new(Timestamp::from_second(NOW).unwrap(), size, theme, "/srv/here".into())
}

pub(in crate::tui) fn id(number: u8) -> RunId {
    format!("r_{number:026}").parse().unwrap()
}

pub(in crate::tui) fn row(number: u8, name: &str) -> RunRow {
    let at = Timestamp::from_second(NOW - 60).unwrap();
    let row = RunRow { id: id(number), repo_path: "/srv/shop".to_owned(), new_branch: None, ..run(number, name) };
    let row = RunRow { runner_kind: "scripted".to_owned(), activity: None, activity_at: None, ..row };
    RunRow { created_at: at, updated_at: at, started_at: Some(at), worktree_path: None, ..row }
}

pub(in crate::tui) fn tell_runs(state: &mut State, changed: Vec<RunRow>) -> Vec<Effect> {
    update(state, Input::Background(BackgroundEvent::Runs(RunsNews { changed, ..RunsNews::default() })))
}

pub(in crate::tui) fn key(state: &mut State, code: KeyCode) -> Vec<Effect> {
    update(state, Input::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

pub(in crate::tui) fn ctrl(state: &mut State, letter: char) -> Vec<Effect> {
    update(state, Input::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
}

pub(in crate::tui) fn type_text(state: &mut State, text: &str) {
    text.chars().for_each(|letter| drop(key(state, KeyCode::Char(letter))));
}

pub(in crate::tui) fn click(state: &mut State, column: u16, row: u16) -> Vec<Effect> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    update(state, Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

/// The job among the effects, with its number.
pub(in crate::tui) fn job_of(effects: &[Effect]) -> (JobNumber, Job) {
    let found = effects
        .iter()
        .find_map(|effect| if let Effect::Do(number, job) = effect { Some((*number, (**job).clone())) } else { None });
    found.unwrap()
}

pub(in crate::tui) fn done(state: &mut State, job: JobNumber, outcome: Result<JobOutcome, Failure>) -> Vec<Effect> {
    update(state, Input::Background(BackgroundEvent::Done { job, outcome }))
}
