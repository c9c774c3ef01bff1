//! Removes a worktree, one step at a time.
//!
//! The one rule: work is saved before anything goes, and every step can be repeated after a crash.

use std::path::PathBuf;

use super::link::Identity;
use super::site::Site;
use super::staging::Staging;
use super::{
    BranchFate, Commit, DeleteBranch, GitWorktree, Removal, RemoveOptions, Result, SavedWork, WorkspaceError,
    WorktreeFate, branch, changes, registered, saved, snapshot, trash,
};
use crate::fault;

/// Saves and removes a worktree and, if asked, its branch.
pub(super) fn remove(worktree: &GitWorktree, options: RemoveOptions) -> Result<Removal> {
    let site = match Site::find(worktree) {
        Ok(site) => site,
        Err(WorkspaceError::RepositoryGone { .. }) if worktree.path.symlink_metadata().is_err() => {
            return without_repository(worktree, WorktreeFate::AlreadyGone);
        }
        Err(WorkspaceError::RepositoryGone { .. }) if options.force => return Ok(kept(BranchFate::Absent)),
        Err(error) => return Err(error),
    };
    site.refuse_lock(worktree)?;
    let tip = branch::commit_of(&site.common_dir, &branch::full_name(&worktree.branch))?;
    if site.here.is_some() && site.entry.is_none() {
        if options.force {
            return Ok(kept(fate_of_kept(worktree, tip)));
        }
        let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
        return Err(WorkspaceError::NotRegistered { path, repository });
    }
    let deleted_tip = check_branch(worktree, &site, options.delete_branch, tip.as_ref())?;
    let ignored = match site.here {
        Some(_) => changes::ignored(&site.checkout(worktree)?)?,
        None => vec![],
    };
    let work = save(worktree, &site, options)?;
    fault::point("worktree.saved");

    let unfinished = |source| WorkspaceError::NotRemoved { path: worktree.path.clone(), source: Box::new(source) };
    let (fate, trashed) = clear_away(worktree, &site).map_err(unfinished)?;
    let branch = match (tip, deleted_tip) {
        (_, Some(commit)) => {
            branch::delete(&site.common_dir, &worktree.branch, &commit).map_err(unfinished)?;
            fault::point("worktree.branch-deleted");
            BranchFate::Deleted { name: worktree.branch.clone(), commit }
        }
        (tip, None) => fate_of_kept(worktree, tip),
    };
    Ok(Removal { worktree: fate, saved: work, branch, ignored, leftover: trash::discard_all(trashed) })
}

/// Takes back a worktree in which no agent ever ran, however far its making came.
pub(super) fn undo(worktree: &GitWorktree) -> Result<()> {
    let site = match Site::find(worktree) {
        Err(WorkspaceError::RepositoryGone { .. }) if worktree.path.symlink_metadata().is_err() => return Ok(()),
        found => found?,
    };
    site.refuse_lock(worktree)?;
    let (_, trashed) = clear_away(worktree, &site)?;
    for directory in trashed {
        trash::discard(&directory)?;
    }
    take_back_unused(worktree, &site)
}

/// Takes back only the branch of a worktree that could not be made.
pub(super) fn take_back_branch(worktree: &GitWorktree) -> Result<()> {
    take_back_unused(worktree, &Site::find(worktree)?)
}

/// Deletes the branch if nothing was committed to it and nobody else has checked it out.
fn take_back_unused(worktree: &GitWorktree, site: &Site) -> Result<()> {
    let tip = branch::commit_of(&site.common_dir, &branch::full_name(&worktree.branch))?;
    let in_use = site.others.iter().any(|other| other.branch.as_deref() == Some(worktree.branch.as_str()));
    match tip {
        Some(tip) if tip == worktree.base && !in_use => branch::delete(&site.common_dir, &worktree.branch, &tip),
        Some(_) | None => Ok(()),
    }
}

/// Moves the directory into the trash and drops git's entry; either may have happened already.
fn clear_away(worktree: &GitWorktree, site: &Site) -> Result<(WorktreeFate, Vec<PathBuf>)> {
    let mut trashed = trash::leftovers(&worktree.trash, &worktree.path, &worktree.run)?;
    let fate = match (site.here, &site.entry) {
        (Some(_), _) => WorktreeFate::Removed,
        (None, _) if !trashed.is_empty() => WorktreeFate::Removed,
        (None, Some(_)) => WorktreeFate::DeletedByHand,
        (None, None) => WorktreeFate::AlreadyGone,
    };
    if let Some(identity) = site.here {
        trashed.push(move_away(worktree, identity)?);
    }
    fault::point("worktree.trashed");
    if let Some(entry) = &site.entry {
        registered::unregister(&site.common_dir, entry)?;
    }
    fault::point("worktree.unregistered");
    Ok((fate, trashed))
}

fn move_away(worktree: &GitWorktree, identity: Identity) -> Result<PathBuf> {
    trash::take(&worktree.path, identity, &worktree.trash, &worktree.run)
}

/// Saves the work in the directory; where that is gone already, tells what was saved then.
fn save(worktree: &GitWorktree, site: &Site, options: RemoveOptions) -> Result<Option<SavedWork>> {
    let not_saved = |source| WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(source) };
    let before = || saved::find(&site.common_dir, &worktree.run, &worktree.base);
    if site.here.is_none() {
        return before();
    }
    let checkout = site.checkout(worktree)?;
    let staging = Staging::over(&checkout).map_err(not_saved)?;
    let mut inside = staging.nested().not_saved();
    // Worktrees of the same repository may hide where git ignores everything.
    let below = site.others.iter().filter_map(|other| other.path.strip_prefix(&worktree.path).ok());
    inside.extend(below.map(PathBuf::from));
    inside.sort();
    inside.dedup();
    if !inside.is_empty() && !options.force {
        return Err(WorkspaceError::NestedRepositories { path: worktree.path.clone(), nested: inside });
    }
    match snapshot::save(&checkout, &worktree.run, &worktree.base).map_err(not_saved)? {
        Some(work) => Ok(Some(work)),
        None => before(),
    }
}

/// The commit of the branch if it is to be deleted and may be.
fn check_branch(
    worktree: &GitWorktree,
    site: &Site,
    wish: DeleteBranch,
    tip: Option<&Commit>,
) -> Result<Option<Commit>> {
    let others: Vec<_> = site.others.iter().collect();
    match (wish, tip) {
        (DeleteBranch::No, _) | (_, None) => Ok(None),
        (DeleteBranch::IfMerged | DeleteBranch::Force, Some(tip)) => {
            branch::check_deletable(&site.common_dir, &worktree.branch, tip, wish, &others)?;
            Ok(Some(tip.clone()))
        }
    }
}

fn fate_of_kept(worktree: &GitWorktree, tip: Option<Commit>) -> BranchFate {
    match tip {
        Some(commit) => BranchFate::Kept { name: worktree.branch.clone(), commit },
        None => BranchFate::Absent,
    }
}

fn kept(branch: BranchFate) -> Removal {
    Removal { worktree: WorktreeFate::KeptUnknownToGit, saved: None, branch, ignored: vec![], leftover: None }
}

/// The worktree is gone and so is its repository: only the trash can still hold something.
fn without_repository(worktree: &GitWorktree, fate: WorktreeFate) -> Result<Removal> {
    let trashed = trash::leftovers(&worktree.trash, &worktree.path, &worktree.run)?;
    Ok(Removal {
        worktree: fate,
        saved: None,
        branch: BranchFate::Absent,
        ignored: vec![],
        leftover: trash::discard_all(trashed),
    })
}
