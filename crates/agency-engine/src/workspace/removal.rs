//! Removes a worktree, one step at a time.
//!
//! The one rule: work is saved before anything goes, and every step can be repeated after a crash.

use std::path::PathBuf;

use super::link::Identity;
use super::site::{self, Site};
use super::staging::Staging;
use super::tree_walk::unrecognised_repositories;
use super::{
    BranchFate, Commit, DeleteBranch, GitWorktree, Removal, RemoveOptions, Result, SavedWork, WorkspaceError,
    WorktreeFate, branch, changes, entry, kept, saved, snapshot, trash,
};
use crate::fault;

/// Saves and removes a worktree and, if asked, its branch.
pub(super) fn remove(worktree: &GitWorktree, options: RemoveOptions) -> Result<Removal> {
    let site = match Site::find(worktree) {
        Ok(site) => site,
        Err(WorkspaceError::RepositoryGone { .. }) if worktree.path.symlink_metadata().is_err() => {
            return without_repository(worktree, WorktreeFate::AlreadyGone);
        }
        Err(WorkspaceError::RepositoryGone { .. }) if options.force => return keep_without_repository(worktree),
        Err(error) => return Err(error),
    };
    if !options.force {
        site.refuse_lock(worktree)?;
        site.refuse_other_repository(worktree)?;
    }
    let tip = branch::commit_of(&site.common_dir, &branch::full_name(&worktree.branch))?;
    let deleted_tip = check_branch(worktree, &site, options.delete_branch, tip.as_ref())?;
    let ignored = match site.here {
        Some(_) => changes::ignored(&site.checkout(worktree)?)?,
        None => vec![],
    };
    let (work, fate) = save(worktree, &site, &ignored, options)?;
    fault::point("worktree.saved");

    let unfinished = |source| WorkspaceError::NotRemoved { path: worktree.path.clone(), source: Box::new(source) };
    let (fate, trashed) = clear_away(worktree, &site, fate).map_err(unfinished)?;
    let branch = match (tip, deleted_tip) {
        (_, Some(commit)) => {
            branch::delete(&site.common_dir, &worktree.branch, &commit).map_err(unfinished)?;
            fault::point("worktree.branch-deleted");
            BranchFate::Deleted { name: worktree.branch.clone(), commit }
        }
        (Some(commit), None) => BranchFate::Kept { name: worktree.branch.clone(), commit },
        (None, None) => BranchFate::Absent,
    };
    let (leftover, kept) = (trash::discard_all(trashed), kept::find(&worktree.trash, &worktree.run));
    Ok(Removal { worktree: fate, saved: work, branch, ignored, leftover, kept })
}

/// Takes back a worktree in which no agent ever ran, however far its making came.
pub(super) fn undo(worktree: &GitWorktree) -> Result<()> {
    let site = match Site::find(worktree) {
        Err(WorkspaceError::RepositoryGone { .. }) if worktree.path.symlink_metadata().is_err() => return Ok(()),
        found => found?,
    };
    site.refuse_lock(worktree)?;
    site.refuse_other_repository(worktree)?;
    let (_, trashed) = clear_away(worktree, &site, Destination::Trash)?;
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
    if tip.is_none() {
        return Ok(());
    }
    let in_use = site.others(worktree)?.iter().any(|other| other.branch.as_deref() == Some(worktree.branch.as_str()));
    match tip {
        Some(tip) if tip == worktree.base && !in_use => branch::delete(&site.common_dir, &worktree.branch, &tip),
        Some(_) | None => Ok(()),
    }
}

/// Where the directory of a removed worktree goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// Everything in it is saved.
    Trash,
    /// It holds what no ref can hold.
    Kept,
}

/// Moves the directory away and drops git's entry; either may have happened already.
fn clear_away(worktree: &GitWorktree, site: &Site, to: Destination) -> Result<(WorktreeFate, Vec<PathBuf>)> {
    let mut trashed = trash::leftovers(&worktree.trash, &worktree.path, &worktree.run)?;
    let fate = match (site.here, &site.entry) {
        (Some(_), _) => WorktreeFate::Removed,
        (None, _) if !trashed.is_empty() || kept::find(&worktree.trash, &worktree.run).is_some() => {
            WorktreeFate::Removed
        }
        (None, Some(_)) => WorktreeFate::DeletedByHand,
        (None, None) => WorktreeFate::AlreadyGone,
    };
    match (site.here, to) {
        (Some(identity), Destination::Trash) => trashed.push(move_away(worktree, identity)?),
        (Some(identity), Destination::Kept) => {
            if let Some(entry) = &site.entry {
                kept::keep_submodules(&entry.admin_dir, &worktree.trash, &worktree.run)?;
            }
            fault::point("kept.submodules");
            kept::keep(&worktree.path, identity, &worktree.trash, &worktree.run)?;
        }
        (None, Destination::Trash | Destination::Kept) => {}
    }
    fault::point("worktree.trashed");
    entry::unregister(&site.common_dir, site.entry.as_ref(), &worktree.path)?;
    fault::point("worktree.unregistered");
    Ok((fate, trashed))
}

fn move_away(worktree: &GitWorktree, identity: Identity) -> Result<PathBuf> {
    trash::take(&worktree.path, identity, &worktree.trash, &worktree.run)
}

/// Saves the work in the directory; where that is gone already, tells what was saved then.
fn save(
    worktree: &GitWorktree,
    site: &Site,
    ignored: &[PathBuf],
    options: RemoveOptions,
) -> Result<(Option<SavedWork>, Destination)> {
    let not_saved = |source| WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(source) };
    let before = || saved::find(&site.common_dir, &worktree.run, &worktree.base);
    if site.here.is_none() {
        return Ok((before()?, Destination::Trash));
    }
    let checkout = site.checkout(worktree)?;
    let staging = Staging::over(&checkout).map_err(not_saved)?;
    let mut inside = staging.nested().not_saved();
    // Worktrees of the same repository may hide where git ignores everything.
    inside.extend(entry::worktrees_below(&site.common_dir, &worktree.path));
    inside.extend(foreign_repositories(worktree, site));
    inside.extend(unrecognised_repositories(&worktree.path, staging.nested(), ignored));
    inside.sort();
    inside.dedup();
    let to = if inside.is_empty() { Destination::Trash } else { Destination::Kept };
    if to == Destination::Kept && !options.force {
        return Err(WorkspaceError::NestedRepositories { path: worktree.path.clone(), nested: inside });
    }
    match snapshot::save(&checkout, &worktree.run, &worktree.base).map_err(not_saved)? {
        Some(work) => Ok((Some(work), to)),
        None => Ok((before()?, to)),
    }
}

/// `.git` of a worktree that has become a repository of its own, or a worktree of another one.
pub(super) fn foreign_repositories(worktree: &GitWorktree, site: &Site) -> Option<PathBuf> {
    let is_foreign = site::has_own_repository(&worktree.path) || site.refuse_other_repository(worktree).is_err();
    is_foreign.then(|| PathBuf::from(".git"))
}

/// The commit of the branch if it is to be deleted and may be.
fn check_branch(
    worktree: &GitWorktree,
    site: &Site,
    wish: DeleteBranch,
    tip: Option<&Commit>,
) -> Result<Option<Commit>> {
    match (wish, tip) {
        (DeleteBranch::No, _) | (_, None) => Ok(None),
        (DeleteBranch::IfMerged | DeleteBranch::Force, Some(tip)) => {
            let others = site.others(worktree)?;
            let others: Vec<_> = others.iter().collect();
            branch::check_deletable(&site.common_dir, &worktree.branch, tip, wish, &others)?;
            Ok(Some(tip.clone()))
        }
    }
}

/// Moves the files of a worktree whose repository is gone to where they are kept.
fn keep_without_repository(worktree: &GitWorktree) -> Result<Removal> {
    let here = site::identify(&worktree.path, &worktree.repository, &worktree.worktrees_root)?;
    if let Some(identity) = here {
        kept::keep(&worktree.path, identity, &worktree.trash, &worktree.run)?;
    }
    without_repository(worktree, WorktreeFate::Removed)
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
        kept: kept::find(&worktree.trash, &worktree.run),
    })
}
