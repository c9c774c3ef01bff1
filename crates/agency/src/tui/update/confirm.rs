//! The answer to "really?".

use agency_engine::runs::remove::restored_branch;
use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_workspace::DeleteBranch;

use crate::output::ago;
use crate::tui::confirm::{Confirm, Readiness};
use crate::tui::effect::{Effect, Job, label};
use crate::tui::keys::ConfirmAction;
use crate::tui::state::{Overlay, State};

pub(super) fn act(state: &mut State, action: ConfirmAction) -> Vec<Effect> {
    match action {
        ConfirmAction::No => {
            state.overlays.pop();
            vec![]
        }
        ConfirmAction::Yes => yes(state),
        ConfirmAction::DeleteBranch => toggle_branch(state),
    }
}

fn yes(state: &mut State) -> Vec<Effect> {
    match state.overlays.pop() {
        Some(Overlay::Confirm(confirm)) if confirm.readiness == Readiness::Ready => state.begin_once(confirm.job),
        other => {
            if matches!(other, Some(Overlay::Confirm(_))) {
                state.refuse("what would happen is still being read");
            }
            state.overlays.extend(other);
            vec![]
        }
    }
}

/// Asks anew, with or without the branch.
fn toggle_branch(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Confirm(confirm)) = state.overlays.last_mut() else { return vec![] };
    let Job::Remove { row, branch } = &confirm.job else { return vec![] };
    if confirm.readiness == Readiness::Reading {
        return vec![];
    }
    if row.new_branch.is_none() {
        let message = format!("{} has no branch of its own", label(row));
        state.refuse(message);
        return vec![];
    }
    let branch = match branch {
        DeleteBranch::No => DeleteBranch::IfMerged,
        DeleteBranch::IfMerged | DeleteBranch::Force => DeleteBranch::No,
    };
    let job = Job::PlanRemoval { row: row.clone(), branch };
    confirm.readiness = Readiness::Reading;
    state.begin_once(job)
}

/// Takes in what a removal would keep and save, if that is still asked.
pub(super) fn planned(state: &mut State, run: &RunId, branch: DeleteBranch, notes: Vec<String>) {
    if let Some(confirm) = removal_of(state, run) {
        if let Job::Remove { branch: wanted, .. } = &mut confirm.job {
            *wanted = branch;
        }
        confirm.lines = notes;
        confirm.lines.push("The logs and the record of the run stay.".to_owned());
        confirm.readiness = Readiness::Ready;
    }
}

/// Asks whether the work of a removed run is to be restored, unless something else is in front by now.
pub(super) fn ask_to_restore(state: &mut State, row: Option<RunRow>) {
    let Some(row) = row else {
        state.refuse("no removed run has saved work that is not restored yet");
        return;
    };
    if !state.overlays.is_empty() {
        state.refuse(format!("u restores the work of {}", label(&row)));
        return;
    }
    let when = row.removed_at.map(|at| ago(state.now, at)).unwrap_or_default();
    let lines = vec![
        format!("It was removed {when}; what was not committed then was saved."),
        format!("The branch {} is made of it in {}.", restored_branch(&row), row.repo_path),
        "Your checkout stays as it is.".to_owned(),
    ];
    let title = format!("Restore the work of {}?", label(&row));
    state.overlays.push(Overlay::Confirm(Box::new(Confirm::new(title, lines, Job::Restore(row)))));
}

/// It cannot be said what a removal would do: it is not done, or as it was said before.
pub(super) fn not_planned(state: &mut State, job: &Job) {
    let Job::PlanRemoval { row, .. } = job else { return };
    let Some(confirm) = removal_of(state, &row.id) else { return };
    if confirm.lines.is_empty() {
        state.overlays.retain(|front| !is_removal_of(front, &row.id));
    } else {
        confirm.readiness = Readiness::Ready;
    }
}

fn removal_of<'a>(state: &'a mut State, run: &RunId) -> Option<&'a mut Confirm> {
    state.overlays.iter_mut().find(|front| is_removal_of(front, run)).and_then(|front| {
        let Overlay::Confirm(confirm) = front else { return None };
        Some(&mut **confirm)
    })
}

fn is_removal_of(front: &Overlay, run: &RunId) -> bool {
    matches!(front, Overlay::Confirm(confirm) if matches!(&confirm.job, Job::Remove { row, .. } if row.id == *run))
}
