//! The answer to "really?".

use crate::tui::effect::Effect;
use crate::tui::keys::ConfirmAction;
use crate::tui::state::{Front, State};

pub(super) fn act(state: &mut State, action: ConfirmAction) -> Vec<Effect> {
    match action {
        ConfirmAction::No => {
            state.fronts.pop();
            vec![]
        }
        ConfirmAction::Yes => match state.fronts.pop() {
            Some(Front::Confirm(confirm)) => vec![state.begin(confirm.job)],
            other => {
                state.fronts.extend(other);
                vec![]
            }
        },
        ConfirmAction::DeleteBranch => vec![],
    }
}
