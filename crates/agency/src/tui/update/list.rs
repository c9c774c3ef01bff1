//! What can be done with the list.

use crate::tui::effect::Effect;
use crate::tui::keys::List;
use crate::tui::runs::Pick;
use crate::tui::state::{Focus, Front, State};

pub(super) fn act(state: &mut State, action: List) -> Vec<Effect> {
    match action {
        List::Open => open(state),
        List::Filter => state.fronts.push(Front::Filter),
        List::Sort => {
            state.runs.sort_next();
            state.say(format!("sorted {}", state.runs.sorting.word()));
        }
        List::Group => {
            state.runs.group_next();
            state.say(format!("grouped {}", state.runs.grouping.word()));
        }
        List::Finished => state.runs.fold_all(),
    }
    vec![]
}

/// Looks inside what is selected.
pub(super) fn open(state: &mut State) {
    match state.runs.selected.clone() {
        Some(Pick::Run(_)) => state.focus = Focus::Detail,
        Some(Pick::Finished(key)) => state.runs.fold(&key),
        None => {}
    }
}
