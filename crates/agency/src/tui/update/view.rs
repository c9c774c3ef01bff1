//! What can be done in a tab.

use crate::tui::effect::Effect;
use crate::tui::keys::{Turn, View};
use crate::tui::state::{Focus, State};

/// Shows another tab.
pub(super) fn turn(state: &mut State, turn: Turn) {
    state.detail.tab = match turn {
        Turn::To(tab) => tab,
        Turn::Next => state.detail.tab.next(),
        Turn::Previous => state.detail.tab.previous(),
    };
}

pub(super) fn act(state: &mut State, action: View) -> Vec<Effect> {
    let area = state.areas().detail;
    match action {
        View::Back => state.focus = Focus::List,
        View::NextItem => state.detail.jump(true, area),
        View::PreviousItem => state.detail.jump(false, area),
        View::Fold => state.detail.fold(area),
        View::FoldAll => state.detail.fold_all(area),
    }
    vec![]
}
