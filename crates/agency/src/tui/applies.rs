//! Which actions are possible with the selected item.

use agency_model::QuickAction;

use super::keys::{Action, InboxAction, RunAction};
use super::state::State;

/// Whether an action can be done with what is selected. Others are refused with their reason, and not among the hints.
pub(super) fn applies(state: &State, action: Action) -> bool {
    match action {
        Action::Run(action) => run_applies(state, action),
        Action::Inbox(action) => inbox_applies(state, action),
        Action::Move(_)
        | Action::App(_)
        | Action::List(_)
        | Action::Tab(_)
        | Action::View(_)
        | Action::Steps(_)
        | Action::Text(_)
        | Action::Confirm(_)
        | Action::Yank(_) => true,
    }
}

fn run_applies(state: &State, action: RunAction) -> bool {
    let Some(row) = state.runs.current().map(|entry| &entry.row) else { return false };
    let over = row.state.is_terminal();
    match action {
        RunAction::Stop | RunAction::Interrupt | RunAction::Attach => !over,
        RunAction::Land => row.worktree_path.is_some() && row.landed_at.is_none(),
        RunAction::Remove => over,
        RunAction::Steps => row.workflow_session.is_some(),
        RunAction::Message | RunAction::Restart | RunAction::Shell | RunAction::Editor | RunAction::Yank => true,
    }
}

fn inbox_applies(state: &State, action: InboxAction) -> bool {
    let Some(question) = state.inbox.shown().map(|row| &row.question) else { return false };
    let offers = |quick: QuickAction| question.actions().contains(&quick);
    match action {
        InboxAction::Allow => offers(QuickAction::Allow),
        InboxAction::AllowAll => offers(QuickAction::AllowAll),
        InboxAction::Deny => offers(QuickAction::Deny) || (question.actions().is_empty() && !question.only_on_screen),
        InboxAction::Words => question.free_text || !question.actions().is_empty(),
        InboxAction::Option(_)
        | InboxAction::Send
        | InboxAction::Mark
        | InboxAction::MarkAll
        | InboxAction::OpenRun
        | InboxAction::ScrollUp
        | InboxAction::ScrollDown => true,
    }
}
