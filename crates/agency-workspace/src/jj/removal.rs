//! Removes a jj workspace, one step at a time.
//!
//! The one rule: work is in a bookmark before anything goes, no revision with content is abandoned, and every step can
//! be repeated after a crash.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::command::JjCommand;
use super::revision::{Revision, bookmarked, revisions};
use super::workspace_lookup::FoundJjWorkspace;
use super::{JjError, JjWorkspace, stale};
use crate::Workspace;
use crate::git_command::GitCommand;
use crate::objects_inside::objects_inside;
use crate::snapshot::Odd;
use crate::staging::Staging;
use crate::{
    BranchOutcome, ChangedFile, Changes, Commit, DeleteBranch, FileStatus, Preview, Removal, RemoveOptions, Result,
    SavedWork, WorkspaceError, WorktreeOutcome, branch, changes, entry, kept, own_ref, preview, ref_files, saved_work,
    snapshot, trash, unsaved, worktree_lookup,
};
use agency_system::fault;

/// Saves and removes a workspace.
pub(super) fn remove(workspace: &JjWorkspace, options: RemoveOptions) -> Result<Removal> {
    if options.delete_branch != DeleteBranch::No {
        return Err(JjError::NoBranch { bookmark: workspace.bookmark.clone() }.into());
    }
    let lookup = match FoundJjWorkspace::find(workspace) {
        Ok(lookup) => lookup,
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if workspace.path.symlink_metadata().is_err() => {
            let trashed = trash::leftovers(&workspace.trash, &workspace.path, &workspace.run)?;
            return Ok(removal(workspace, WorktreeOutcome::AlreadyGone, Saved::default(), trashed));
        }
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if options.force => {
            return keep_without_repository(workspace);
        }
        Err(WorkspaceError::Replaced { .. }) if options.force => {
            kept::keep_odd(&workspace.path, &workspace.trash, &workspace.run)?;
            return remove(workspace, options);
        }
        Err(error) => return Err(error),
    };
    if !options.force {
        lookup.refuse_foreign(workspace)?;
    }
    let saved = save_found(workspace, &lookup, options)?;
    fault::point("jj.saved");

    let unfinished = |source| WorkspaceError::NotRemoved { path: workspace.path.clone(), source: Box::new(source) };
    let (fate, trashed) = clear_away(workspace, &lookup, saved.holds_more).map_err(unfinished)?;
    Ok(removal(workspace, fate, saved, trashed))
}

/// What [`remove`] would do, and what it would refuse.
pub(super) fn preview(workspace: &JjWorkspace) -> Result<Preview> {
    if workspace.path.symlink_metadata().is_err() {
        return Err(WorkspaceError::PathMissing { path: workspace.path.clone() });
    }
    let lookup = FoundJjWorkspace::find(workspace)?;
    lookup.refuse_foreign(workspace)?;
    let Changes { files, ignored, .. } = workspace.changes().map_err(not_taken)?;
    let nested = nested_in(workspace)?;
    let odd = preview::preview(&workspace.seen_by_git(&workspace.base)?).obstacle;
    let obstacle = match odd {
        None if lookup.is_workspace(workspace) => refuse_unrecorded(workspace, &files).err(),
        odd => odd,
    };
    Ok(Preview { uncommitted: files.len(), nested, ignored, obstacle })
}

/// Refuses what jj would refuse or leave out, without letting it take in anything.
fn refuse_unrecorded(workspace: &JjWorkspace, files: &[ChangedFile]) -> Result<()> {
    stale::check(workspace).map_err(not_taken)?;
    // The patterns are in the file that jj reads before it takes in anything.
    JjCommand::reading(&workspace.path).run(["sparse", "list"]).read().map_err(not_taken)?;
    // Jj writes down names that are UTF-8.
    let is_odd = |file: &&ChangedFile| file.path.to_str().is_none() && file.status != FileStatus::Deleted;
    let files: Vec<PathBuf> = files.iter().filter(is_odd).map(|file| file.path.clone()).collect();
    if files.is_empty() { Ok(()) } else { Err(JjError::LeftOut { files }.into()) }
}

/// What of a workspace is saved, and whether a ref can hold all of it.
#[derive(Default)]
struct Saved {
    work: Option<SavedWork>,
    ignored: Vec<PathBuf>,
    holds_more: bool,
}

/// Saves what is found at the recorded path, whatever jj knows about it.
fn save_found(workspace: &JjWorkspace, lookup: &FoundJjWorkspace, options: RemoveOptions) -> Result<Saved> {
    ref_files::move_aside(&lookup.git_store, &workspace.trash, &workspace.run)?;
    let work = match lookup.here {
        Some(_) if lookup.is_half_made(&workspace.path) => saved_before(workspace, lookup)?,
        Some(_) => {
            let not_saved =
                |source| WorkspaceError::NotSaved { path: workspace.path.clone(), source: Box::new(source) };
            return match save_files(workspace, lookup, options) {
                Err(WorkspaceError::FilesNotTaken { .. }) if options.force => {
                    let work = saved_work::find(&lookup.git_store, &workspace.run, &workspace.base)?;
                    Ok(Saved { work, ignored: vec![], holds_more: true })
                }
                other => other.map_err(not_saved),
            };
        }
        // What jj had seen of it can still be kept.
        None if lookup.known => keep(workspace, &stale::current(workspace)?)?,
        None => saved_before(workspace, lookup)?,
    };
    Ok(Saved { work, ..Saved::default() })
}

/// Saves the files, first as git sees them: jj may not know them any more, or replace them, as after `jj workspace
/// forget` or `jj undo`.
fn save_files(workspace: &JjWorkspace, lookup: &FoundJjWorkspace, options: RemoveOptions) -> Result<Saved> {
    let checkout = workspace.seen_by_git(&workspace.base)?;
    let ignored = changes::ignored(&checkout).map_err(not_taken)?;
    let nested = refuse_nested(workspace, options)?;
    let earlier = saved_work::locate(&lookup.git_store, &workspace.run)?;
    let odd = if options.force { Odd::LeftOut } else { Odd::Refused };
    let (copy, whole) = snapshot::save_with(&checkout, &workspace.run, &workspace.base, odd)?;
    fault::point("jj.copied");
    let (work, left_out) = if lookup.is_workspace(workspace) {
        let (revision, work, left_out) = take_in(workspace, options)?;
        match copy {
            Some(copy) if is_only_copy(lookup, earlier, &copy)? && holds(lookup, &revision, &copy)? => {
                forget_copy(lookup, &copy)?;
                (work, left_out)
            }
            copy if left_out.is_empty() => (copy.or(work), left_out),
            // The whole workspace is kept beside what jj has.
            copy => (work.or(copy), left_out),
        }
    } else {
        (copy, vec![])
    };
    let holds_more = lookup.foreign || !whole || !nested.is_empty() || !left_out.is_empty();
    Ok(Saved { work, ignored, holds_more })
}

/// Files that git or jj cannot read or take; by force they are kept.
fn not_taken(error: WorkspaceError) -> WorkspaceError {
    WorkspaceError::FilesNotTaken { source: Box::new(error) }
}

/// Moves the files of a workspace whose repository is gone to where they are kept.
fn keep_without_repository(workspace: &JjWorkspace) -> Result<Removal> {
    let here = worktree_lookup::identify(&workspace.path, &workspace.repository, &workspace.worktrees_root)?;
    if let Some(identity) = here {
        kept::keep(&workspace.path, identity, &workspace.trash, &workspace.run)?;
    }
    let trashed = trash::leftovers(&workspace.trash, &workspace.path, &workspace.run)?;
    Ok(removal(workspace, WorktreeOutcome::Removed, Saved::default(), trashed))
}

/// Takes back a workspace in which no agent ever ran, however far its making came.
pub(super) fn undo(workspace: &JjWorkspace) -> Result<()> {
    let lookup = match FoundJjWorkspace::find(workspace) {
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if workspace.path.symlink_metadata().is_err() => {
            return Ok(());
        }
        found => found?,
    };
    lookup.refuse_foreign(workspace)?;
    let (_, trashed) = clear_away(workspace, &lookup, false)?;
    trashed.iter().try_for_each(|directory| trash::discard(directory))
}

/// Takes in the agent's files and puts the bookmark on its work; `None` when it has done nothing.
pub(super) fn save(workspace: &JjWorkspace) -> Result<Option<SavedWork>> {
    let not_saved = |source| WorkspaceError::NotSaved { path: workspace.path.clone(), source: Box::new(source) };
    refuse_nested(workspace, RemoveOptions::default()).map_err(not_saved)?;
    take_in(workspace, RemoveOptions::default()).map(|(_, work, _)| work).map_err(not_saved)
}

/// Lets jj take in the agent's files; the revision, the work, and the files that jj left out.
fn take_in(workspace: &JjWorkspace, options: RemoveOptions) -> Result<(Revision, Option<SavedWork>, Vec<PathBuf>)> {
    let revision = stale::take_in(workspace).map_err(not_taken)?;
    let files = left_out(workspace, &revision).map_err(not_taken)?;
    if !files.is_empty() && !options.force {
        return Err(JjError::LeftOut { files }.into());
    }
    let work = keep(workspace, &revision)?;
    Ok((revision, work, files))
}

/// Whether the revision has everything that a copy of the files has. One with conflicts has it in another form.
fn holds(lookup: &FoundJjWorkspace, revision: &Revision, copy: &SavedWork) -> Result<bool> {
    let tree = |commit: &Commit| {
        let name = format!("{commit}^{{tree}}");
        GitCommand::on(&lookup.git_store).run(["rev-parse", "--verify", "--end-of-options"]).arg(name).read_line()
    };
    Ok(revision.conflicted || tree(&revision.commit)? == tree(&copy.commit)?)
}

/// Whether a ref has nothing but this copy, which an interrupted attempt may have made.
fn is_only_copy(lookup: &FoundJjWorkspace, earlier: Option<(String, Commit)>, copy: &SavedWork) -> Result<bool> {
    let with_earlier_work = branch::commit_of(&lookup.git_store, &format!("{}^2", copy.commit))?.is_some();
    Ok(!with_earlier_work && earlier.is_none_or(|(_, commit)| commit == copy.commit))
}

/// Drops a copy that nothing needs any more.
fn forget_copy(lookup: &FoundJjWorkspace, copy: &SavedWork) -> Result<()> {
    let git = GitCommand::on(&lookup.git_store).config("core.hooksPath=/dev/null");
    own_ref::delete(git, &copy.reference, copy.commit.as_str())
}

/// Puts the bookmark on the agent's work as jj knows it; `None` when there is none.
fn keep(workspace: &JjWorkspace, revision: &Revision) -> Result<Option<SavedWork>> {
    let base = workspace.base_below(|| JjCommand::reading(&workspace.repository))?;
    let Some(commit) = work_above(workspace, base.as_ref(), revision)? else {
        return Ok(None);
    };
    JjCommand::reading(&workspace.repository)
        .run(["bookmark", "set", "--allow-backwards"])
        .arg(format!("--revision={commit}"))
        .arg("--")
        .arg(&workspace.bookmark)
        .read()?;
    describe(workspace, commit, base.as_ref().unwrap_or(&workspace.base)).map(Some)
}

/// The repositories inside the workspace, of which jj takes in nothing. They are refused unless by force.
fn refuse_nested(workspace: &JjWorkspace, options: RemoveOptions) -> Result<Vec<PathBuf>> {
    let nested = nested_in(workspace)?;
    if nested.is_empty() || options.force {
        return Ok(nested);
    }
    Err(WorkspaceError::NestedRepositories { path: workspace.path.clone(), nested })
}

/// The repositories inside the workspace.
pub(super) fn nested_in(workspace: &JjWorkspace) -> Result<Vec<PathBuf>> {
    let checkout = workspace.seen_by_git(&workspace.base)?;
    let ignored = changes::ignored(&checkout).map_err(not_taken)?;
    let staging = Staging::over(&checkout).map_err(not_taken)?;
    let mut nested = unsaved::find(&checkout, staging.nested(), &ignored).repositories;
    nested.extend(objects_inside(&checkout.common_dir, &workspace.path));
    nested.extend(worktree_lookup::has_own_repository(&workspace.path).then(|| PathBuf::from(".git")));
    Ok(nested)
}

/// The files that are neither in the revision nor ignored, as one whose name jj cannot write down.
fn left_out(workspace: &JjWorkspace, revision: &Revision) -> Result<Vec<PathBuf>> {
    if revision.conflicted {
        // In git, a revision with conflicts has other paths than its files.
        return Ok(vec![]);
    }
    let seen = workspace.seen_by_git(&revision.commit)?;
    let staging = Staging::over(&seen)?;
    let listed = staging.git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read()?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
    let paths = paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
    Ok(paths.filter(|path| !path.starts_with(".jj")).collect())
}

/// The commit above the base that holds everything the agent did: its revision, or the last one with content below.
fn work_above(workspace: &JjWorkspace, base: Option<&Commit>, revision: &Revision) -> Result<Option<Commit>> {
    let own = workspace.revset();
    // Without the base, what others work on is not the agent's.
    let not_own = base.map_or_else(|| format!("(working_copies() ~ {own})"), ToString::to_string);
    let with_content = format!(r#"heads(({not_own}..{own}) ~ (empty() & description(exact:"")) ~ root())"#);
    let heads = revisions(JjCommand::reading(&workspace.repository), &with_content)?;
    Ok(match heads.as_slice() {
        [] => None,
        [one] => Some(one.commit.clone()),
        [_, _, ..] => Some(revision.commit.clone()),
    })
}

/// What an earlier attempt saved.
fn saved_before(workspace: &JjWorkspace, lookup: &FoundJjWorkspace) -> Result<Option<SavedWork>> {
    let kept = bookmarked(JjCommand::reading(&workspace.repository), &workspace.bookmark)?;
    match kept {
        Some(commit) => {
            saved_work::describe(&lookup.git_store, workspace.bookmark.clone(), commit, &workspace.base).map(Some)
        }
        None => saved_work::find(&lookup.git_store, &workspace.run, &workspace.base),
    }
}

fn describe(workspace: &JjWorkspace, commit: Commit, base: &Commit) -> Result<SavedWork> {
    let no_store = || JjError::NoGitStore { path: workspace.repository.clone() };
    let git_store = super::git_store_of(&workspace.repository).ok_or_else(no_store)?;
    saved_work::describe(&git_store, workspace.bookmark.clone(), commit, base)
}

/// Moves the directory away, and lets jj and git forget it; either may have happened already.
fn clear_away(
    workspace: &JjWorkspace,
    lookup: &FoundJjWorkspace,
    holds_more: bool,
) -> Result<(WorktreeOutcome, Vec<PathBuf>)> {
    let JjWorkspace { path, trash, run, .. } = workspace;
    let mut trashed = trash::leftovers(trash, path, run)?;
    let fate = match (lookup.here, lookup.known) {
        (Some(_), _) => WorktreeOutcome::Removed,
        (None, _) if !trashed.is_empty() || kept::find(trash, run).is_some() => WorktreeOutcome::Removed,
        (None, true) => WorktreeOutcome::DeletedByHand,
        (None, false) => WorktreeOutcome::AlreadyGone,
    };
    match lookup.here {
        Some(identity) if holds_more => drop(kept::keep(path, identity, trash, run)?),
        Some(identity) => trashed.push(trash::take(path, identity, trash, run)?),
        None => {}
    }
    fault::point("jj.trashed");
    entry::unregister(&lookup.git_store, lookup.worktree.as_ref(), path)?;
    if lookup.known {
        // Jj abandons the revision only if it is empty, not described and in no bookmark.
        JjCommand::reading(&workspace.repository).run(["workspace", "forget"]).arg(workspace.name()).read()?;
    }
    fault::point("jj.forgotten");
    Ok((fate, trashed))
}

fn removal(workspace: &JjWorkspace, worktree: WorktreeOutcome, saved: Saved, trashed: Vec<PathBuf>) -> Removal {
    Removal {
        worktree,
        saved: saved.work,
        branch: BranchOutcome::Absent,
        ignored: saved.ignored,
        other_refs: vec![],
        leftover: trash::discard_all(trashed),
        kept: kept::find(&workspace.trash, &workspace.run),
        kept_refs: kept::find_refs(&workspace.trash, &workspace.run),
    }
}
