//! What is the same everywhere: moving, closing, leaving.

use crate::tui::effect::Effect;
use crate::tui::help;
use crate::tui::keys::{App, Move};
use crate::tui::state::{Focus, Front, State};

/// Moves in whatever is in front.
pub(super) fn go(state: &mut State, direction: Move) {
    let areas = state.areas();
    match state.fronts.last_mut() {
        Some(Front::Help { top }) => {
            *top = moved(*top, direction, help::lines().len(), usize::from(areas.body.height));
        }
        Some(Front::Confirm(confirm)) => {
            let looks = confirm.looks(areas.body);
            confirm.top = moved(confirm.top, direction, looks.lines.len(), looks.height);
        }
        Some(Front::Inbox) => super::inbox::go(state, direction),
        Some(Front::Form(_)) => super::form::go(state, direction),
        Some(Front::Steps(_)) => super::steps::go(state, direction),
        Some(Front::Filter | Front::Editor(_) | Front::Yank(_)) => {}
        None => match state.focus {
            Focus::List => state.runs.go(direction, usize::from(areas.list.height)),
            Focus::Detail => state.detail.go(direction, areas.detail),
        },
    }
}

/// The first line that is shown of so many, after a move.
pub(super) fn moved(top: usize, direction: Move, lines: usize, height: usize) -> usize {
    let most = lines.saturating_sub(height);
    let page = height.saturating_sub(1).max(1);
    let wanted = match direction {
        Move::Up => top.saturating_sub(1),
        Move::Down => top + 1,
        Move::PageUp => top.saturating_sub(page),
        Move::PageDown => top + page,
        Move::First => 0,
        Move::Last => most,
    };
    wanted.min(most)
}

pub(super) fn act(state: &mut State, action: App) -> Vec<Effect> {
    match action {
        App::Quit => return quit(state),
        App::Close => {
            if state.fronts.pop().is_none() {
                state.runs.set_filter("");
            }
        }
        App::Help => state.fronts.push(Front::Help { top: 0 }),
        App::Inbox => super::inbox::open(state),
        App::NewRun => return super::form::open(state),
        App::Redraw => return vec![Effect::Redraw],
        App::Suspend => return vec![Effect::Suspend],
    }
    vec![]
}

/// Leaves at once, or when what is being done is done; whoever asks twice does not wait.
fn quit(state: &mut State) -> Vec<Effect> {
    if state.jobs.is_empty() || state.leaving {
        return vec![Effect::Quit];
    }
    state.leaving = true;
    vec![]
}
