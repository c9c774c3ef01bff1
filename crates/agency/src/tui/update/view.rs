//! What can be done in a tab.

use crate::tui::effect::Effect;
use crate::tui::keys::{TabAction, ViewAction};
use crate::tui::state::{Focus, State};

/// Shows another tab.
pub(super) fn switch_tab(state: &mut State, action: TabAction) {
    state.detail.tab = match action {
        TabAction::To(tab) => tab,
        TabAction::Next => state.detail.tab.next(),
        TabAction::Previous => state.detail.tab.previous(),
    };
}

pub(super) fn act(state: &mut State, action: ViewAction) -> Vec<Effect> {
    let area = state.areas().detail;
    match action {
        ViewAction::Back => state.focus = Focus::List,
        ViewAction::NextItem => state.detail.jump(true, area),
        ViewAction::PreviousItem => state.detail.jump(false, area),
        ViewAction::Fold => state.detail.fold(area),
        ViewAction::FoldAll => state.detail.fold_all(area),
    }
    vec![]
}
