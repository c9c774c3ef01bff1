//! What can be done in a tab.

use crate::tui::effect::Effect;
use crate::tui::keys::View;
use crate::tui::state::{Focus, State};

pub(super) fn act(state: &mut State, action: View) -> Vec<Effect> {
    match action {
        View::Back => state.focus = Focus::List,
        View::NextItem | View::PreviousItem | View::Fold | View::FoldAll => {}
    }
    vec![]
}
