//! What can be done with the selected run.

use agency_engine::store::RunRow;

use crate::tui::confirm::Confirm;
use crate::tui::effect::{Effect, Job, Lending, Refusal, label};
use crate::tui::keys::OfRun;
use crate::tui::state::{Front, State};

pub(super) fn act(state: &mut State, action: OfRun) -> Vec<Effect> {
    match action {
        OfRun::Tab(tab) => {
            state.detail.tab = tab;
            return vec![];
        }
        OfRun::NextTab => {
            state.detail.tab = state.detail.tab.next();
            return vec![];
        }
        OfRun::PreviousTab => {
            state.detail.tab = state.detail.tab.previous();
            return vec![];
        }
        OfRun::Message
        | OfRun::Interrupt
        | OfRun::Stop
        | OfRun::Restart
        | OfRun::Remove
        | OfRun::Attach
        | OfRun::Shell
        | OfRun::Editor
        | OfRun::Yank
        | OfRun::Steps => {}
    }
    let Some(row) = state.runs.current().map(|entry| entry.row.clone()) else {
        state.complain(&Refusal { message: "no run is selected".to_owned(), hint: None });
        return vec![];
    };
    match action {
        OfRun::Stop => stop(state, row),
        OfRun::Interrupt => vec![state.begin(Job::Interrupt(row))],
        OfRun::Attach => vec![Effect::Lend(Lending::Attach(row.id))],
        OfRun::Shell => vec![Effect::Lend(Lending::Shell(row.directory().to_owned()))],
        OfRun::Editor => vec![Effect::Lend(Lending::Editor(row.directory().to_owned()))],
        OfRun::Message
        | OfRun::Restart
        | OfRun::Remove
        | OfRun::Yank
        | OfRun::Steps
        | OfRun::Tab(_)
        | OfRun::NextTab
        | OfRun::PreviousTab => vec![],
    }
}

fn stop(state: &mut State, row: RunRow) -> Vec<Effect> {
    if row.state.is_terminal() {
        let message = format!("{} is {} already", label(&row), row.state);
        state.complain(&Refusal { message, hint: None });
        return vec![];
    }
    let title = format!("Stop {}?", label(&row));
    let lines = vec!["The agent and all it started are ended. Its directory and its branch stay.".to_owned()];
    state.fronts.push(Front::Confirm(Confirm { title, lines, job: Job::Stop(row) }));
    vec![]
}
