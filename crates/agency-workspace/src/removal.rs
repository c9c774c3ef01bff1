//! Removes a worktree, one step at a time.
//!
//! The one rule: work is saved before anything goes, and every step can be repeated after a crash.

use std::path::PathBuf;

use super::checkout::Checkout;
use super::head::Head;
use super::link::Identity;
use super::objects_inside::objects_inside;
use super::snapshot::Odd;
use super::staging::Staging;
use super::worktree_lookup::{self, FoundWorktree};
use super::worktree_refs::OwnCommits;
use super::{
    BranchOutcome, Commit, DeleteBranch, GitWorktree, Removal, RemoveOptions, Result, SavedWork, WorkspaceError,
    WorktreeOutcome, branch, branch_changes, branch_log, changes, checkpoints, entry, kept, ref_files, saved_work,
    snapshot, trash, unsaved, worktree_refs,
};
use agency_system::fault;

/// Saves and removes a worktree and, if asked, its branch.
pub(super) fn remove(worktree: &GitWorktree, options: RemoveOptions) -> Result<Removal> {
    let lookup = match FoundWorktree::find(worktree) {
        Ok(lookup) => lookup,
        Err(WorkspaceError::RepositoryGone { .. } | WorkspaceError::AgentsRepository { .. })
            if worktree.path.symlink_metadata().is_err() =>
        {
            return without_repository(worktree, WorktreeOutcome::AlreadyGone);
        }
        Err(WorkspaceError::RepositoryGone { .. } | WorkspaceError::AgentsRepository { .. }) if options.force => {
            return keep_without_repository(worktree);
        }
        Err(WorkspaceError::Replaced { .. }) if options.force => {
            kept::keep_odd(&worktree.path, &worktree.trash, &worktree.run)?;
            return remove(worktree, options);
        }
        Err(error) => return Err(error),
    };
    if !options.force {
        lookup.refuse_lock(worktree)?;
        lookup.refuse_other_repository(worktree)?;
    }
    let tip = branch::commit_of(&lookup.common_dir, &branch::full_name(&worktree.branch))?;
    let deleted_tip = check_branch(worktree, &lookup, options.delete_branch, tip.as_ref())?;
    let deleted_branch = deleted_tip.as_ref().map(|_| worktree.branch.as_str());
    let Saved { work, ignored, other_refs, to } = save(worktree, &lookup, deleted_branch, options)?;
    fault::point("worktree.saved");

    let unfinished = |source| WorkspaceError::NotRemoved { path: worktree.path.clone(), source: Box::new(source) };
    let (fate, trashed) = clear_away(worktree, &lookup, to).map_err(unfinished)?;
    checkpoints::forget(&lookup.common_dir, &worktree.run, &worktree.path).map_err(unfinished)?;
    fault::point("worktree.checkpoints-deleted");
    let branch = match (tip, deleted_tip) {
        (_, Some(commit)) => {
            branch_changes::delete(&lookup.common_dir, &worktree.branch, &commit).map_err(unfinished)?;
            fault::point("worktree.branch-deleted");
            BranchOutcome::Deleted { name: worktree.branch.clone(), commit }
        }
        (Some(commit), None) => BranchOutcome::Kept { name: worktree.branch.clone(), commit },
        (None, None) => BranchOutcome::Absent,
    };
    let (leftover, kept) = (trash::discard_all(trashed), kept::find(&worktree.trash, &worktree.run));
    let kept_refs = kept::find_refs(&worktree.trash, &worktree.run);
    Ok(Removal { worktree: fate, saved: work, branch, ignored, other_refs, leftover, kept, kept_refs })
}

/// Takes back a worktree in which no agent ever ran, however far its making came.
pub(super) fn undo(worktree: &GitWorktree) -> Result<()> {
    let lookup = match FoundWorktree::find(worktree) {
        Err(WorkspaceError::RepositoryGone { .. } | WorkspaceError::AgentsRepository { .. })
            if worktree.path.symlink_metadata().is_err() =>
        {
            return Ok(());
        }
        found => found?,
    };
    lookup.refuse_lock(worktree)?;
    lookup.refuse_other_repository(worktree)?;
    let (_, trashed) = clear_away(worktree, &lookup, Destination::Trash)?;
    for directory in trashed {
        trash::discard(&directory)?;
    }
    take_back_unused(worktree, &lookup)
}

/// Takes back only the branch of a worktree that could not be made.
pub(super) fn take_back_branch(worktree: &GitWorktree) -> Result<()> {
    take_back_unused(worktree, &FoundWorktree::find(worktree)?)
}

/// Deletes the branch if nothing was committed to it and it is not checked out elsewhere.
fn take_back_unused(worktree: &GitWorktree, lookup: &FoundWorktree) -> Result<()> {
    let tip = branch::commit_of(&lookup.common_dir, &branch::full_name(&worktree.branch))?;
    if tip.is_none() {
        return Ok(());
    }
    let in_use = lookup.others(worktree)?.iter().any(|other| other.branch.as_deref() == Some(worktree.branch.as_str()));
    match tip {
        Some(tip) if tip == worktree.base && !in_use => {
            branch_changes::delete(&lookup.common_dir, &worktree.branch, &tip)
        }
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
    /// The same, and so does git's entry for it.
    KeptWithEntry,
}

/// Moves the directory away and drops git's entry; either may have happened already.
fn clear_away(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    to: Destination,
) -> Result<(WorktreeOutcome, Vec<PathBuf>)> {
    let mut trashed = trash::leftovers(&worktree.trash, &worktree.path, &worktree.run)?;
    let fate = match (lookup.here, &lookup.entry) {
        (Some(_), _) => WorktreeOutcome::Removed,
        (None, _) if !trashed.is_empty() || kept::find(&worktree.trash, &worktree.run).is_some() => {
            WorktreeOutcome::Removed
        }
        (None, Some(_)) => WorktreeOutcome::DeletedByHand,
        (None, None) => WorktreeOutcome::AlreadyGone,
    };
    match (lookup.here, to) {
        (Some(identity), Destination::Trash) => trashed.push(move_away(worktree, identity)?),
        (Some(identity), Destination::Kept | Destination::KeptWithEntry) => {
            if let Some(entry) = &lookup.entry {
                kept::keep_submodules(&entry.admin_dir, &worktree.trash, &worktree.run)?;
            }
            fault::point("kept.submodules");
            keep_entry(worktree, lookup, to)?;
            kept::keep(&worktree.path, identity, &worktree.trash, &worktree.run)?;
        }
        (None, Destination::Trash | Destination::Kept | Destination::KeptWithEntry) => {
            keep_entry(worktree, lookup, to)?;
        }
    }
    fault::point("worktree.trashed");
    entry::unregister(&lookup.common_dir, lookup.entry.as_ref(), &worktree.path)?;
    fault::point("worktree.unregistered");
    Ok((fate, trashed))
}

/// Keeps git's entry where it holds what could not be saved. Comes before the worktree goes: without it, a removal that is
/// repeated would find nothing to keep.
fn keep_entry(worktree: &GitWorktree, lookup: &FoundWorktree, to: Destination) -> Result<()> {
    match (to, &lookup.entry) {
        (Destination::KeptWithEntry, Some(entry)) => {
            kept::keep_entry(&entry.admin_dir, &worktree.trash, &worktree.run)?;
            fault::point("kept.entry");
            Ok(())
        }
        (Destination::Trash | Destination::Kept | Destination::KeptWithEntry, _) => Ok(()),
    }
}

fn move_away(worktree: &GitWorktree, identity: Identity) -> Result<PathBuf> {
    trash::take(&worktree.path, identity, &worktree.trash, &worktree.run)
}

/// What of a worktree is saved, and where the rest goes.
struct Saved {
    work: Option<SavedWork>,
    ignored: Vec<PathBuf>,
    other_refs: Vec<String>,
    to: Destination,
}

/// Saves the work in the directory; where that is gone already, returns what was saved then.
fn save(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    deleted_branch: Option<&str>,
    options: RemoveOptions,
) -> Result<Saved> {
    let not_saved = |source| WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(source) };
    ref_files::move_aside(&lookup.common_dir, &worktree.trash, &worktree.run)?;
    let (work, ignored, mut to) = match lookup.here {
        Some(_) => save_files(worktree, lookup, options)?,
        None => save_without_files(worktree, lookup, options)?,
    };
    let work = match work {
        Some(work) => Some(work),
        None => saved_work::find(&lookup.common_dir, &worktree.run, &worktree.base)?,
    };
    fault::point("worktree.files-saved");
    let admin_dir = lookup.entry.as_ref().map(|entry| entry.admin_dir.as_path());
    let (work_tree, run) = (worktree.path.as_path(), &worktree.run);
    checkpoints::keep_others(&lookup.common_dir, run, work_tree).map_err(not_saved)?;
    let own = OwnCommits { common_dir: &lookup.common_dir, work_tree, run, deleted_branch };
    let other_refs = match own.save(admin_dir) {
        Err(WorkspaceError::IncompleteHistory { commits }) if options.force => {
            to = Destination::KeptWithEntry;
            if let Some(branch) = deleted_branch {
                let log = branch_log::file(&lookup.common_dir, branch);
                kept::keep_branch_log(&log, &commits.join("\n"), &worktree.trash, run)?;
            }
            worktree_refs::find(&lookup.common_dir, &worktree.run)?
        }
        saved => saved.map_err(not_saved)?,
    };
    Ok(Saved { work, ignored, other_refs, to })
}

/// Saves what is known of the files of a worktree whose directory is gone: what was staged, and the last checkpoint.
fn save_without_files(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    options: RemoveOptions,
) -> Result<(Option<SavedWork>, Vec<PathBuf>, Destination)> {
    let (staged, ignored, to) = save_staged(worktree, lookup, options)?;
    // What an earlier attempt saved of the files is newer than any checkpoint.
    if staged.is_none() && saved_work::find(&lookup.common_dir, &worktree.run, &worktree.base)?.is_some() {
        return Ok((None, ignored, to));
    }
    let Some(last) = checkpoints::last_before_removal(&lookup.common_dir, &worktree.run, &worktree.path)? else {
        return Ok((staged, ignored, to));
    };
    let admin_dir = lookup.entry.as_ref().map(|entry| entry.admin_dir.as_path());
    let head = Head::branch(&worktree.branch);
    let checkout = Checkout::of_worktree(&lookup.common_dir, &worktree.path, admin_dir, head);
    let saved = snapshot::save_checkpoint(&checkout, last.tree, &worktree.run, &worktree.base);
    let not_saved = |source| WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(source) };
    Ok((saved.map_err(not_saved)?.or(staged), ignored, to))
}

/// Saves what was staged in a worktree whose directory is gone: then git's entry alone leads to it.
fn save_staged(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    options: RemoveOptions,
) -> Result<(Option<SavedWork>, Vec<PathBuf>, Destination)> {
    let Some(entry) = &lookup.entry else { return Ok((None, vec![], Destination::Trash)) };
    let head = Head::branch(&worktree.branch);
    let checkout = Checkout::of_worktree(&lookup.common_dir, &worktree.path, Some(&entry.admin_dir), head);
    match snapshot::save_staged_alone(&checkout, &worktree.run, &worktree.base) {
        Ok(work) => Ok((work, vec![], Destination::Trash)),
        // What cannot be read stays in the entry.
        Err(_) if options.force => Ok((None, vec![], Destination::KeptWithEntry)),
        Err(error) => Err(WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(error) }),
    }
}

/// Saves the files. What git cannot take, or no ref can hold, is refused; by force, the whole directory is kept then.
fn save_files(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    options: RemoveOptions,
) -> Result<(Option<SavedWork>, Vec<PathBuf>, Destination)> {
    let not_saved = |source| WorkspaceError::NotSaved { path: worktree.path.clone(), source: Box::new(source) };
    let checkout = lookup.checkout(worktree)?;
    let look = || {
        let mut ignored = changes::ignored(&checkout)?;
        let staging = Staging::over(&checkout)?;
        let mut inside = unsaved::find(&checkout, staging.nested(), &ignored).repositories;
        inside.extend(foreign_repositories(worktree, lookup));
        ignored.extend(staging.nested().ignored_inside());
        Ok((ignored, inside))
    };
    // What cannot even be staged is in the entry.
    let staged = || snapshot::save_staged(&checkout, &worktree.run, &worktree.base).unwrap_or_default();
    let (ignored, inside) = match look() {
        Ok(found) => found,
        Err(_) if options.force => return Ok((staged(), vec![], Destination::KeptWithEntry)),
        Err(error) => return Err(not_saved(WorkspaceError::FilesNotTaken { source: Box::new(error) })),
    };
    if !inside.is_empty() && !options.force {
        return Err(WorkspaceError::NestedRepositories { path: worktree.path.clone(), nested: inside });
    }
    let objects = refuse_objects_inside(worktree, lookup);
    let nothing_inside = inside.is_empty() && objects.is_ok();
    if !options.force {
        objects?;
    }
    let odd = if options.force { Odd::LeftOut } else { Odd::Refused };
    match snapshot::save_with(&checkout, &worktree.run, &worktree.base, odd) {
        Ok((work, true)) if nothing_inside => Ok((work, ignored, Destination::Trash)),
        Ok((work, _)) => Ok((work, ignored, Destination::Kept)),
        Err(WorkspaceError::FilesNotTaken { .. }) if options.force => {
            Ok((staged(), ignored, Destination::KeptWithEntry))
        }
        Err(error) => Err(not_saved(error)),
    }
}

/// Refuses a worktree in which objects of the repository lie.
pub(super) fn refuse_objects_inside(worktree: &GitWorktree, lookup: &FoundWorktree) -> Result<()> {
    let directories = objects_inside(&lookup.common_dir, &worktree.path);
    if directories.is_empty() {
        return Ok(());
    }
    Err(WorkspaceError::ObjectsInside { path: worktree.path.clone(), directories })
}

/// `.git` of a worktree that has become a repository of its own, or a worktree of another one.
pub(super) fn foreign_repositories(worktree: &GitWorktree, lookup: &FoundWorktree) -> Option<PathBuf> {
    let is_foreign =
        worktree_lookup::has_own_repository(&worktree.path) || lookup.refuse_other_repository(worktree).is_err();
    is_foreign.then(|| PathBuf::from(".git"))
}

/// The commit of the branch, if the branch is to be deleted and may be.
fn check_branch(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    wish: DeleteBranch,
    tip: Option<&Commit>,
) -> Result<Option<Commit>> {
    match (wish, tip) {
        (DeleteBranch::No, _) | (_, None) => Ok(None),
        (DeleteBranch::IfMerged | DeleteBranch::Force, Some(tip)) => {
            let others = lookup.others(worktree)?;
            let others: Vec<_> = others.iter().collect();
            branch_changes::check_deletable(&lookup.common_dir, &worktree.branch, tip, wish, &others)?;
            Ok(Some(tip.clone()))
        }
    }
}

/// Moves the files of a worktree whose repository is gone to where they are kept.
fn keep_without_repository(worktree: &GitWorktree) -> Result<Removal> {
    let here = worktree_lookup::identify(&worktree.path, &worktree.repository, &worktree.worktrees_root)?;
    if let Some(identity) = here {
        kept::keep(&worktree.path, identity, &worktree.trash, &worktree.run)?;
    }
    without_repository(worktree, WorktreeOutcome::Removed)
}

/// The worktree is gone and so is its repository: only the trash can still hold something.
fn without_repository(worktree: &GitWorktree, fate: WorktreeOutcome) -> Result<Removal> {
    let trashed = trash::leftovers(&worktree.trash, &worktree.path, &worktree.run)?;
    Ok(Removal {
        worktree: fate,
        saved: None,
        branch: BranchOutcome::Absent,
        ignored: vec![],
        other_refs: vec![],
        leftover: trash::discard_all(trashed),
        kept: kept::find(&worktree.trash, &worktree.run),
        kept_refs: kept::find_refs(&worktree.trash, &worktree.run),
    })
}
