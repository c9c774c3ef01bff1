//! What is the same everywhere: moving, closing, leaving.

use crate::tui::effect::{Effect, Job};
use crate::tui::help;
use crate::tui::keys::{AppAction, Move};
use crate::tui::palette::Palette;
use crate::tui::state::{Focus, Overlay, State};

/// Moves in whatever is in front.
pub(super) fn go(state: &mut State, direction: Move) {
    let areas = state.areas();
    match state.overlays.last_mut() {
        Some(Overlay::Help { top }) => {
            *top = moved(*top, direction, help::lines().len(), usize::from(areas.body.height));
        }
        Some(Overlay::Confirm(confirm)) => {
            let looks = confirm.layout(areas.body);
            confirm.top = moved(confirm.top, direction, looks.lines.len(), looks.height);
        }
        Some(Overlay::Palette(_)) => {
            // It is asked how many there are before it is changed.
            if let Some(Overlay::Palette(mut palette)) = state.overlays.pop() {
                palette.go(direction, palette.found(state).len());
                state.overlays.push(Overlay::Palette(palette));
            }
        }
        Some(Overlay::Inbox) => super::inbox::go(state, direction),
        Some(Overlay::Form(_)) => super::form::go(state, direction),
        Some(Overlay::Steps(_)) => super::steps::go(state, direction),
        Some(Overlay::Filter | Overlay::Search | Overlay::Editor(_) | Overlay::Yank(_)) => {}
        Some(Overlay::DiffLine) => state.detail.move_cursor(direction, areas.detail),
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

pub(super) fn act(state: &mut State, action: AppAction) -> Vec<Effect> {
    match action {
        AppAction::Quit => return quit(state),
        AppAction::Close => {
            let closed = state.overlays.pop();
            state.detail.end_choosing();
            if closed.is_none() {
                state.runs.set_filter("");
                state.runs.unmark_all();
            }
        }
        AppAction::Help => state.overlays.push(Overlay::Help { top: 0 }),
        AppAction::Inbox => super::inbox::open(state),
        AppAction::NewRun => return super::form::open(state),
        AppAction::Palette => {
            let palette = Palette::opened_in(state.scope());
            state.overlays.push(Overlay::Palette(palette));
        }
        AppAction::Undo => return state.begin_once(Job::FindRemoved),
        AppAction::Redraw => return vec![Effect::Redraw],
        AppAction::Suspend => return vec![Effect::Suspend],
    }
    vec![]
}

/// Leaves at once, or when the running jobs are done; a second request does not wait.
fn quit(state: &mut State) -> Vec<Effect> {
    if state.jobs.is_empty() || state.leaving {
        return vec![Effect::Quit];
    }
    state.leaving = true;
    vec![]
}
