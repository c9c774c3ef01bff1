//! What can be done in a tab.

use agency_model::review::{CommentPlace, Side};

use crate::tui::detail::Commented;
use crate::tui::editor::EditPurpose;
use crate::tui::effect::{Effect, Job};
use crate::tui::help;
use crate::tui::keys::{TabAction, ViewAction};
use crate::tui::state::{Focus, Overlay, State};

/// How many columns one key moves.
const COLUMNS: i16 = 20;

/// Shows another tab.
pub(super) fn switch_tab(state: &mut State, action: TabAction) {
    state.detail.tab = match action {
        TabAction::To(tab) => tab,
        TabAction::Next => state.detail.tab.next(),
        TabAction::Previous => state.detail.tab.previous(),
    };
    // Where there is no room for both, a tab that was asked for is opened.
    if !state.areas().shows_detail() && state.runs.current().is_some() {
        state.focus = Focus::Detail;
    }
}

pub(super) fn act(state: &mut State, action: ViewAction) -> Vec<Effect> {
    let area = state.areas().detail;
    match action {
        ViewAction::Back => {
            state.focus = Focus::List;
            return super::list::acknowledge(state);
        }
        ViewAction::NextLandmark => state.detail.go_to_landmark(true, area),
        ViewAction::PreviousLandmark => state.detail.go_to_landmark(false, area),
        ViewAction::EarlierTurn => state.detail.step_checkpoint(true),
        ViewAction::LaterTurn => state.detail.step_checkpoint(false),
        ViewAction::Left => slide(state, -COLUMNS),
        ViewAction::Right => slide(state, COLUMNS),
        ViewAction::Search => state.overlays.push(Overlay::Search),
        ViewAction::NextMatch => find(state, true),
        ViewAction::PreviousMatch => find(state, false),
        ViewAction::NextItem => state.detail.jump(true, area),
        ViewAction::PreviousItem => state.detail.jump(false, area),
        ViewAction::Widen => state.detail_alone = !state.detail_alone,
        ViewAction::ChooseLine => choose_line(state),
        ViewAction::CommentLine | ViewAction::CommentFile => return comment(state, action),
        ViewAction::SendComments => return send_comments(state),
        ViewAction::Fold => state.detail.fold(area),
        ViewAction::FoldAll => state.detail.fold_all(area),
    }
    vec![]
}

/// Begins to choose the line that a comment is about.
fn choose_line(state: &mut State) {
    let area = state.areas().detail;
    if state.detail.begin_choosing(area) {
        state.overlays.push(Overlay::DiffLine);
    } else {
        state.refuse("there is no line to comment on; comments are on the whole diff");
    }
}

/// Lets the user write a comment on the line that was chosen, or on the file that is seen.
fn comment(state: &mut State, action: ViewAction) -> Vec<Effect> {
    let area = state.areas().detail;
    let about = state.detail.commented(area);
    if let Some(Overlay::DiffLine) = state.overlays.last() {
        state.overlays.pop();
        state.detail.end_choosing();
    }
    let row = state.runs.current().map(|entry| entry.row.clone());
    let (Some(mut about), Some(row)) = (about, row) else {
        state.refuse("there is nothing to comment on; comments are on the whole diff");
        return vec![];
    };
    if action == ViewAction::CommentFile {
        about = Commented { place: CommentPlace { lines: None, side: Side::New, ..about.place }, text: String::new() };
    }
    super::editor::open(state, EditPurpose::Comment(Box::new(row), about))
}

fn send_comments(state: &mut State) -> Vec<Effect> {
    match state.runs.current().map(|entry| entry.row.clone()) {
        Some(row) => state.begin_once(Job::SendComments(row)),
        None => vec![],
    }
}

/// Shows what is further to the left or to the right.
fn slide(state: &mut State, columns: i16) {
    let area = state.areas().detail;
    if !state.detail.slide(columns, area) {
        state.say("every line is shown as a whole here");
    }
}

/// Goes to the next match in what is in front, or to the one before.
pub(super) fn find(state: &mut State, forwards: bool) {
    if !state.search.is_active() {
        return state.refuse("nothing is looked for: / begins");
    }
    let areas = state.areas();
    let search = state.search.clone();
    let is_match = |line: &str| !search.matches(line).is_empty();
    let found = match state.overlays.last_mut() {
        Some(Overlay::Help { top }) => {
            let lines = help::lines();
            let is_match = |index: &usize| lines.get(*index).is_some_and(|line| is_match(&line.text()));
            let (before, after) = (0..*top, *top + 1..lines.len());
            let found = match forwards {
                true => after.chain(before).find(is_match),
                false => before.rev().chain(after.rev()).find(is_match),
            };
            if let Some(line) = found {
                *top = line.min(lines.len().saturating_sub(usize::from(areas.body.height)));
            }
            Some(found.is_some() || is_match(top))
        }
        Some(_) | None => state.detail.find(forwards, &is_match, areas.detail, state.theme),
    };
    match found {
        Some(true) => {}
        Some(false) => state.refuse(format!("'{}' was not found", search.text())),
        None => state.refuse("there is nothing to search yet"),
    }
}

#[cfg(test)]
mod tests;
