//! What was removed, what stays, and what is still there, in words.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::Vcs;
use agency_model::run::Reason;
use agency_workspace::{BranchOutcome, JjError, Removal, SavedWork, WorkspaceError, WorktreeOutcome};

use super::Remaining;
use crate::home::HomeError;
use crate::host::{Tmux, TmuxError};
use crate::store::RunRow;

/// How many ignored files are named.
const IGNORED_NAMED: usize = 5;

/// A worktree that stays. Every command that is named here saves or keeps all work.
pub(super) fn worktree_remains(row: &RunRow, error: &WorkspaceError) -> Remaining {
    let resource = format!("worktree {}", row.worktree_path.as_deref().unwrap_or_default());
    let option = if force_helps(error) { "--force " } else { "" };
    Remaining { resource, why: error.to_string(), command: format!("agency rm {option}{}", row.id) }
}

/// Whether `--force` gets past an error; it loses nothing, but takes more away than a plain `rm`.
fn force_helps(error: &WorkspaceError) -> bool {
    if let WorkspaceError::NotSaved { source, .. } = error {
        return force_helps(source);
    }
    matches!(
        error,
        WorkspaceError::NestedRepositories { .. }
            | WorkspaceError::ObjectsInside { .. }
            | WorkspaceError::OtherRepository { .. }
            | WorkspaceError::RepositoryGone { .. }
            | WorkspaceError::AgentsRepository { .. }
            | WorkspaceError::Locked { .. }
            | WorkspaceError::FilesNotTaken { .. }
            | WorkspaceError::IncompleteHistory { .. }
            | WorkspaceError::Replaced { .. }
            | WorkspaceError::Jj(
                JjError::OtherRepository { .. } | JjError::LeftOut { .. } | JjError::NotARepository { .. }
            )
    )
}

/// What becomes of a worktree that a plain `rm` refuses to remove.
pub(super) fn obstacle_notes(error: &WorkspaceError, path: &str, force: bool) -> Vec<String> {
    match (force_helps(error), force) {
        (true, true) if matches!(error, WorkspaceError::Locked { .. }) => {
            vec![format!("remove the worktree {path}"), "it is locked; what is not committed is saved first".to_owned()]
        }
        (true, true) if matches!(error, WorkspaceError::Replaced { .. }) => vec![
            error.to_string(),
            format!("move it away from {path} and keep it; what it leads to is neither saved nor touched"),
        ],
        (true, true) => vec![format!("remove the worktree {path}"), format!("all its files are kept: {error}")],
        (true, false) => vec![format!("the worktree {path} is not removed without --force: {error}")],
        (false, _) => vec![format!("the worktree {path} cannot be removed: {error}")],
    }
}

pub(super) fn trust_remains(row: &RunRow, error: &HomeError) -> Remaining {
    Remaining {
        resource: format!("the trust for {}", row.directory()),
        why: error.to_string(),
        command: format!("edit {} and remove projects[{:?}]", error.path.display(), row.directory()),
    }
}

pub(super) fn session_remains(row: &RunRow) -> Option<Remaining> {
    let session = row.tmux_session_name.as_deref()?;
    let tmux = Tmux::new(row.tmux_socket.clone());
    match tmux.kill_session(session) {
        // Without tmux there are no sessions.
        Ok(()) | Err(TmuxError::Missing) => None,
        Err(error @ (TmuxError::Refused(_) | TmuxError::Broken(_))) => Some(Remaining {
            resource: format!("tmux session {session}"),
            why: error.to_string(),
            command: tmux.typed(&format!("kill-session -t ={session}")),
        }),
    }
}

pub(super) fn kept_branch(removal: &Removal) -> Option<String> {
    match &removal.branch {
        BranchOutcome::Kept { name, .. } => Some(name.clone()),
        BranchOutcome::Deleted { .. } | BranchOutcome::Absent => None,
    }
}

/// Ignored files are usually made again by a build, but their removal is announced.
pub(super) fn ignored_note(ignored: &[PathBuf]) -> Option<String> {
    let (first, rest) = ignored.split_at(ignored.len().min(IGNORED_NAMED));
    let names: Vec<String> = first.iter().map(|path| path.display().to_string()).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    (!names.is_empty()).then(|| format!("files that git ignores are not saved: {}{more}", names.join(", ")))
}

/// What becomes of git repositories inside a worktree.
pub(super) fn nested_note(nested: &[PathBuf], force: bool) -> Option<String> {
    let names: Vec<String> = nested.iter().map(|path| path.display().to_string()).collect();
    let fate = if force { "the worktree is kept with them" } else { "it is not removed without --force" };
    (!names.is_empty()).then(|| format!("no ref can hold the git repositories {}; {fate}", names.join(", ")))
}

/// What is kept where: the files of a worktree, or what was in its place.
fn kept_note(place: &Path) -> String {
    let kept = place.join("worktree");
    match (fs::read_link(&kept), fs::symlink_metadata(&kept)) {
        (Ok(target), _) => format!(
            "in place of the worktree was a link to {}; the link is kept as {}, and what it leads to is neither saved nor \
             touched",
            target.display(),
            kept.display()
        ),
        (Err(_), Ok(found)) if !found.is_dir() => {
            format!("what was in place of the worktree is kept as {}; the worktree was gone", kept.display())
        }
        (Err(_), _) => format!("all its files are kept in {}, since no ref can hold them", place.display()),
    }
}

/// What a removal leaves of a run that another program made; `None` for any other run.
pub(super) fn imported_notes(row: &RunRow) -> Option<Vec<String>> {
    let path = row.worktree_path.as_ref().filter(|_| row.reason == Some(Reason::Imported))?;
    let mut notes =
        vec![format!("the worktree {path} stays: it belongs to the program that the run was imported from")];
    notes.extend(row.new_branch.as_ref().map(|branch| format!("the branch {branch} stays")));
    Some(notes)
}

pub(super) fn notes_of(removal: &Removal, vcs: Vcs) -> Vec<String> {
    let mut notes = vec![];
    notes.push(match removal.worktree {
        WorktreeOutcome::Removed => "the worktree is removed".to_owned(),
        WorktreeOutcome::DeletedByHand => format!(
            "the worktree is not where it was: it was deleted or moved by hand; {vcs} has forgotten it now, and a moved \
             directory keeps its files without being a worktree"
        ),
        WorktreeOutcome::AlreadyGone => "the worktree was gone already".to_owned(),
        WorktreeOutcome::KeptInPlace => "the agent worked in the repository itself, which stays".to_owned(),
    });
    notes.extend(match (&removal.saved, vcs) {
        (Some(SavedWork { reference, .. }), Vcs::Git) => {
            Some(format!("work that was not committed is saved as {reference}"))
        }
        // Jj may have forgotten the workspace, or could not take in its files.
        (Some(SavedWork { reference, .. }), Vcs::Jj) if super::is_ref(reference) => {
            Some(format!("what the agent did is saved as {reference}"))
        }
        (Some(SavedWork { reference, .. }), Vcs::Jj) => {
            Some(format!("what the agent did is kept by the bookmark {reference}"))
        }
        (None, Vcs::Jj) if removal.kept.is_none() => {
            Some("the agent left nothing that jj would have to keep".to_owned())
        }
        (None, Vcs::Git | Vcs::Jj) => None,
    });
    if !removal.other_refs.is_empty() {
        let refs = removal.other_refs.join(", ");
        notes.push(format!("commits that only the worktree's own refs and log led to are saved as {refs}"));
    }
    match &removal.kept {
        Some(place) => notes.push(kept_note(place)),
        None => notes.extend(ignored_note(&removal.ignored)),
    }
    if let Some(place) = &removal.kept_refs {
        notes.push(format!("files that were in the place of its refs are kept in {}", place.display()));
    }
    notes.extend(match &removal.branch {
        BranchOutcome::Kept { name, .. } => Some(format!("the branch {name} stays")),
        BranchOutcome::Deleted { name, commit } => Some(format!("the branch {name} is deleted; it was at {commit}")),
        BranchOutcome::Absent if vcs == Vcs::Git => Some("it has no branch".to_owned()),
        BranchOutcome::Absent => None,
    });
    if let Some(path) = &removal.leftover {
        notes.push(format!("some files could not be deleted and lie in {}", path.display()));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_jj_at_a_ref_is_not_said_to_be_of_a_forgotten_workspace() {
        let commit = "0123456789012345678901234567890123456789".parse().unwrap();
        let removal = Removal {
            worktree: WorktreeOutcome::Removed,
            saved: Some(SavedWork { reference: "refs/agency/saved/r".to_owned(), commit, files: 1 }),
            branch: BranchOutcome::Absent,
            ignored: vec![],
            other_refs: vec![],
            leftover: None,
            kept: Some(PathBuf::from("/kept")),
            kept_refs: None,
        };
        let notes = notes_of(&removal, Vcs::Jj);
        assert_eq!(notes[1], "what the agent did is saved as refs/agency/saved/r");
        assert!(notes.iter().all(|note| !note.contains("did not know")), "{notes:?}");
    }
}
