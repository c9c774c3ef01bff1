//! What can be done with the selected run.

use agency_engine::store::RunRow;
use agency_workspace::DeleteBranch;

use crate::tui::confirm::{Confirm, Readiness};
use crate::tui::editor::EditPurpose;
use crate::tui::effect::{Effect, Failure, ForegroundProgram, Job, label};
use crate::tui::keys::{RunAction, YankAction};
use crate::tui::state::{Overlay, State};

pub(super) fn act(state: &mut State, action: RunAction) -> Vec<Effect> {
    let marked = state.runs.marked();
    if !marked.is_empty() {
        return match action {
            RunAction::Stop => stop_all(state, marked),
            RunAction::Remove => remove_all(state, marked),
            RunAction::Message
            | RunAction::Interrupt
            | RunAction::Restart
            | RunAction::Land
            | RunAction::Attach
            | RunAction::Shell
            | RunAction::Editor
            | RunAction::Yank
            | RunAction::Steps => {
                state.refuse(format!("{} runs are chosen: x stops and D removes them, Esc chooses none", marked.len()));
                vec![]
            }
        };
    }
    let Some(row) = state.runs.current().map(|entry| entry.row.clone()) else {
        state.refuse("no run is selected");
        return vec![];
    };
    match action {
        RunAction::Stop => stop(state, row),
        RunAction::Interrupt => interrupt(state, row),
        RunAction::Message => super::editor::open(state, EditPurpose::Message(Box::new(row))),
        RunAction::Restart => restart(state, row),
        RunAction::Land => land(state, row),
        RunAction::Remove => remove(state, row),
        RunAction::Yank => {
            state.overlays.push(Overlay::Yank(Box::new(row)));
            vec![]
        }
        RunAction::Attach => vec![Effect::RunForeground(ForegroundProgram::Attach(row.id))],
        RunAction::Shell => vec![Effect::RunForeground(ForegroundProgram::Shell(row.directory().to_owned()))],
        RunAction::Editor => vec![Effect::RunForeground(ForegroundProgram::Editor(row.directory().to_owned()))],
        RunAction::Steps => super::steps::open(state, &row),
    }
}

fn stop(state: &mut State, row: RunRow) -> Vec<Effect> {
    if row.state.is_terminal() {
        state.refuse(format!("{} is {} already", label(&row), row.state));
        return vec![];
    }
    let what =
        format!("The agent ({}) and all it started are ended. Its directory and its branch stay.", row.runner_kind);
    ask(state, format!("Stop {}?", label(&row)), vec![what], Job::Stop(row))
}

/// Asks about all live runs that are chosen, with their names.
fn stop_all(state: &mut State, marked: Vec<RunRow>) -> Vec<Effect> {
    let live: Vec<RunRow> = marked.into_iter().filter(|row| !row.state.is_terminal()).collect();
    if live.is_empty() {
        state.refuse("all runs that are chosen have finished");
        return vec![];
    }
    let mut lines: Vec<String> = live.iter().map(label).collect();
    lines.push("Their agents and all they started are ended. Their directories and branches stay.".to_owned());
    state.runs.unmark_all();
    ask(state, format!("Stop {} runs?", live.len()), lines, Job::StopAll(live))
}

/// Asks about all finished runs that are chosen, with their names.
fn remove_all(state: &mut State, marked: Vec<RunRow>) -> Vec<Effect> {
    if let Some(live) = marked.iter().find(|row| !row.state.is_terminal()) {
        let message = format!("{} is {}; only finished runs can be removed", label(live), live.state);
        state.show_error(&Failure { message, hint: Some("x stops what is chosen".to_owned()) });
        return vec![];
    }
    let mut lines: Vec<String> = marked.iter().map(label).collect();
    lines.push("What is not committed is saved first. Branches, logs and records stay.".to_owned());
    state.runs.unmark_all();
    ask(state, format!("Remove {} runs?", marked.len()), lines, Job::RemoveAll(marked))
}

fn interrupt(state: &mut State, row: RunRow) -> Vec<Effect> {
    if row.state.is_terminal() {
        state.refuse(format!("{} is {}: there is nothing to interrupt", label(&row), row.state));
        return vec![];
    }
    let what = format!("The current turn of the agent ({}) ends, and it waits for a message.", row.runner_kind);
    ask(state, format!("Interrupt {}?", label(&row)), vec![what], Job::Interrupt(row))
}

/// Starts an agent, which may cost money, and ends what runs first: so it is asked first.
fn restart(state: &mut State, row: RunRow) -> Vec<Effect> {
    let lines = if row.state.is_terminal() {
        let conversation = "resumes its conversation if possible";
        vec![format!(
            "It is {}: the agent ({}) starts in its directory and {conversation}.",
            row.state, row.runner_kind
        )]
    } else {
        vec![
            format!("It is {}: the agent ({}) and all it started are ended first.", row.state, row.runner_kind),
            "Then it restarts in its directory and resumes its conversation if possible.".to_owned(),
        ]
    };
    ask(state, format!("Restart {}?", label(&row)), lines, Job::Restart(row))
}

/// Asks, with what conflicts as far as that is known.
fn land(state: &mut State, row: RunRow) -> Vec<Effect> {
    if row.worktree_path.is_none() {
        state.refuse(format!("{} has no worktree of its own, so there is nothing to land", label(&row)));
        return vec![];
    }
    let conflicts = state.runs.get(&row.id).map(|entry| entry.conflicts.join(", ")).unwrap_or_default();
    let mut lines = vec![
        "What is not committed is committed on its branch, then it is merged.".to_owned(),
        "The branch that it started from moves only if the checks of the project pass.".to_owned(),
        "They execute code that the agent wrote; 2 shows what it changed.".to_owned(),
    ];
    if !conflicts.is_empty() {
        lines.push(format!("The last forecast says that it conflicts with {conflicts}."));
    }
    ask(state, format!("Land {}?", label(&row)), lines, Job::Land(row))
}

/// Asks, and returns what will be kept and saved as soon as that is known.
fn remove(state: &mut State, row: RunRow) -> Vec<Effect> {
    if !row.state.is_terminal() {
        let hint = Some("x stops it".to_owned());
        let message = format!("{} is {}; only a finished run can be removed", label(&row), row.state);
        state.show_error(&Failure { message, hint });
        return vec![];
    }
    let branch = DeleteBranch::No;
    let plan = Job::PlanRemoval { row: row.clone(), branch };
    let title = format!("Remove {}?", label(&row));
    let confirm = Confirm::new(title, vec![], Job::Remove { row, branch });
    state.overlays.push(Overlay::Confirm(Box::new(Confirm { readiness: Readiness::Reading, ..confirm })));
    // What is being read already includes it.
    match state.jobs.iter().any(|(_, job)| job.is_like(&plan)) {
        true => vec![],
        false => vec![state.begin(plan)],
    }
}

/// Asks, unless it is being done already.
fn ask(state: &mut State, title: String, lines: Vec<String>, job: Job) -> Vec<Effect> {
    if state.jobs.iter().any(|(_, other)| other.is_like(&job)) {
        return state.begin_once(job);
    }
    state.overlays.push(Overlay::Confirm(Box::new(Confirm::new(title, lines, job))));
    vec![]
}

/// Copies something of the run that was selected.
pub(super) fn yank(state: &mut State, what: YankAction) -> Vec<Effect> {
    let Some(Overlay::Yank(row)) = state.overlays.pop() else { return vec![] };
    let (name, text) = match what {
        YankAction::Id => ("the id", Some(row.id.to_string())),
        YankAction::Path => ("the path", Some(row.directory().to_owned())),
        YankAction::Branch => ("the branch", row.new_branch.clone()),
    };
    match text {
        Some(text) => {
            state.say(format!("copied {name}: {text}"));
            vec![Effect::Copy(text)]
        }
        None => {
            state.refuse(format!("{} has no branch of its own", label(&row)));
            vec![]
        }
    }
}

#[cfg(test)]
mod tests;
