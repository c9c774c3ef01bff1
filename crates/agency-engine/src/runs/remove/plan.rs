//! What a removal would do, for one run or for very many.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agency_model::{RunId, Vcs, escaped_line};
use agency_workspace::{DeleteBranch, Preview, RemoveOptions, WorkspaceError};

use super::edited_prompt::EditedPrompt;
use super::teardown::PlannedTeardown;
use super::wording::{ignored_note, imported_notes, nested_note, obstacle_notes};
use super::{RemoveError, RemoveRequest, Removed, check_branch_wish, workspace_of};
use crate::agency::Agency;
use crate::home::Home;
use crate::store::RunRow;

/// How many worktrees are looked at at once.
const AT_ONCE: usize = 2;

/// What was planned for each run; some are missing if it was stopped.
type Plans = Vec<Result<Removed, RemoveError>>;

impl Agency {
    /// What [`Self::remove`] would do to an ended run.
    pub fn removal_plan(&self, row: &RunRow, request: RemoveRequest<'_>) -> Result<Removed, RemoveError> {
        let other = self.check_removal(row, request)?;
        let mut planned = plan(&self.home, row, other.as_ref(), request.options)?;
        if other.is_none() && row.removed_at.is_none() {
            match self.planned_teardown(row, request.teardown) {
                PlannedTeardown::Nothing => {}
                PlannedTeardown::Refused(why) => planned.notes.push(why),
                PlannedTeardown::Commands(settings) => {
                    let line = |command: &String| format!("teardown: {}", escaped_line(command));
                    planned.notes.extend(settings.teardown.iter().map(line));
                }
            }
        }
        Ok(planned)
    }

    /// What [`Self::remove`] would do to ended runs, in their order. Calls `looked` after each; `None` once `stop` is set.
    pub fn removal_plans(
        &self,
        rows: &[&RunRow],
        request: RemoveRequest<'_>,
        looked: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Option<Plans> {
        let checked: Vec<_> = rows.iter().map(|row| Mutex::new(Some(self.check_removal(row, request)))).collect();
        let (home, options) = (&self.home, request.options);
        let (next, plans) = (AtomicUsize::new(0), Mutex::new(vec![]));
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(row), Some(checked)) = (rows.get(index), checked.get(index)) else { return };
                        let Some(checked) = checked.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                            return;
                        };
                        let plan = checked.and_then(|other| plan(home, row, other.as_ref(), options));
                        plans.lock().unwrap_or_else(PoisonError::into_inner).push((index, plan));
                        looked();
                    }
                });
            }
        });
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut plans = plans.into_inner().unwrap_or_else(PoisonError::into_inner);
        plans.sort_by_key(|(index, _)| *index);
        Some(plans.into_iter().map(|(_, plan)| plan).collect())
    }

    /// Refuses what would be refused; the run that keeps the worktree, if another one does.
    fn check_removal(&self, row: &RunRow, request: RemoveRequest<'_>) -> Result<Option<RunId>, RemoveError> {
        if !row.state.is_terminal() {
            return Err(RemoveError::NotEnded { id: row.id.clone(), state: row.state });
        }
        check_branch_wish(row, request.options)?;
        request.check_session(row)?;
        Ok(self.sharing(row)?.into_iter().next().map(|other| other.id))
    }
}

fn plan(home: &Home, row: &RunRow, other: Option<&RunId>, options: RemoveOptions) -> Result<Removed, RemoveError> {
    if row.removed_at.is_some() && options.delete_branch == DeleteBranch::No {
        return Ok(Removed::of(row, vec!["it was removed before".to_owned()]));
    }
    if let (Some(notes), None) = (imported_notes(row), other) {
        return Ok(Removed::of(row, notes));
    }
    let mut notes = vec![];
    match (&row.worktree_path, other) {
        (Some(path), Some(other)) => notes.push(format!("keep the worktree {path}, where {other} works too")),
        (Some(path), None) => notes.extend(worktree_notes(home, row, path, options)?),
        (None, _) => {}
    }
    if let Some(branch) = &row.new_branch {
        notes.push(match options.delete_branch {
            DeleteBranch::No if row.vcs == Vcs::Jj => format!("keep what the agent did by the bookmark {branch}"),
            DeleteBranch::No => format!("keep the branch {branch}"),
            DeleteBranch::IfMerged => format!("delete the branch {branch}, if its commits are in another one"),
            DeleteBranch::Force => format!("delete the branch {branch}, merged or not"),
        });
    }
    if let Some(session) = &row.tmux_session_name {
        notes.push(format!("end the tmux session {session}"));
    }
    Ok(Removed::of(row, notes))
}

fn gone_note(path: &str, vcs: Vcs) -> String {
    let saved = match vcs {
        Vcs::Git => "; what was staged or in its last checkpoint, and is not committed, is saved",
        Vcs::Jj => "",
    };
    format!("the worktree {path} is gone already; {vcs} forgets it{saved}")
}

/// What would become of the files of a worktree.
fn worktree_notes(home: &Home, row: &RunRow, path: &str, options: RemoveOptions) -> Result<Vec<String>, RemoveError> {
    let preview = match workspace_of(home, row)?.preview() {
        Ok(preview) => preview,
        Err(WorkspaceError::PathMissing { .. }) => {
            return Ok(vec![gone_note(path, row.vcs)]);
        }
        Err(error) => Preview { obstacle: Some(error), ..Preview::default() },
    };
    let mut notes = vec![];
    match &preview.obstacle {
        None => {
            notes.push(format!("remove the worktree {path}"));
            notes.push(files_note(row.vcs, preview.uncommitted));
        }
        Some(error) => notes.extend(obstacle_notes(error, path, options.force)),
    }
    notes.extend(ignored_note(&preview.ignored));
    notes.extend(EditedPrompt::find(home, row).as_ref().map(EditedPrompt::note));
    notes.extend(nested_note(&preview.nested, options.force));
    Ok(notes)
}

/// What becomes of the files that differ.
fn files_note(vcs: Vcs, count: usize) -> String {
    match (vcs, count) {
        (Vcs::Git, 0) => "everything is committed".to_owned(),
        (Vcs::Git, 1) => "1 file is not committed; it is saved first".to_owned(),
        (Vcs::Git, _) => format!("{count} files are not committed; they are saved first"),
        (Vcs::Jj, 0) => "no file differs from the base".to_owned(),
        (Vcs::Jj, 1) => "1 file differs from the base; what the agent did is kept".to_owned(),
        (Vcs::Jj, _) => format!("{count} files differ from the base; what the agent did is kept"),
    }
}
