//! What can be done with the list.

use crate::tui::effect::Effect;
use crate::tui::keys::{ListAction, Move};
use crate::tui::runs::Pick;
use crate::tui::state::{Focus, Overlay, State};

pub(super) fn act(state: &mut State, action: ListAction) -> Vec<Effect> {
    match action {
        ListAction::Open => {
            open(state);
            return vec![state.memory()];
        }
        ListAction::Filter => state.overlays.push(Overlay::Filter),
        ListAction::Sort => {
            state.runs.sort_next();
            state.say(format!("sorted {}", state.runs.sorting.as_str()));
            return vec![state.memory()];
        }
        ListAction::Group => {
            state.runs.group_next();
            state.say(format!("grouped {}", state.runs.grouping.as_str()));
            return vec![state.memory()];
        }
        ListAction::Finished => {
            state.runs.fold_all();
            return vec![state.memory()];
        }
        ListAction::Acknowledge => return acknowledge(state),
        ListAction::Mark => {
            state.runs.mark();
            let height = usize::from(state.areas().list.height);
            state.runs.go(Move::Down, height);
        }
        ListAction::MarkGroup => state.runs.mark_group(),
    }
    vec![]
}

/// The selected run has been seen, if it failed.
pub(super) fn acknowledge(state: &mut State) -> Vec<Effect> {
    if state.runs.acknowledge() { vec![state.memory()] } else { vec![] }
}

/// Looks inside what is selected.
pub(super) fn open(state: &mut State) {
    match state.runs.selected.clone() {
        Some(Pick::Run(_)) => state.focus = Focus::Detail,
        Some(Pick::Finished(key)) => state.runs.fold(&key),
        None => {}
    }
}
