//! Removes a jj workspace, one step at a time.
//!
//! The one rule: work is in a bookmark before anything goes, no revision with content is abandoned, and every step can
//! be repeated after a crash.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::command::JjCommand;
use super::revision::{Revision, bookmarked, revisions};
use super::site::JjSite;
use super::{JjError, JjWorkspace, stale};
use crate::fault;
use crate::workspace::staging::Staging;
use crate::workspace::{
    BranchFate, Commit, DeleteBranch, Removal, RemoveOptions, Result, SavedWork, WorkspaceError, WorktreeFate, changes,
    registered, saved, trash,
};

/// Saves and removes a workspace.
pub(super) fn remove(workspace: &JjWorkspace, options: RemoveOptions) -> Result<Removal> {
    if options.delete_branch != DeleteBranch::No {
        return Err(JjError::NoBranch { bookmark: workspace.bookmark.clone() }.into());
    }
    let site = match JjSite::find(workspace) {
        Ok(site) => site,
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if workspace.path.symlink_metadata().is_err() => {
            let trashed = trash::leftovers(&workspace.trash, &workspace.path, &workspace.run)?;
            return Ok(removal(WorktreeFate::AlreadyGone, None, vec![], trash::discard_all(trashed)));
        }
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if options.force => {
            return Ok(removal(WorktreeFate::KeptUnknownToGit, None, vec![], None));
        }
        Err(error) => return Err(error),
    };
    let unknown = site.here.is_some() && !site.is_workspace(workspace) && !site.is_half_made(&workspace.path);
    if unknown && options.force {
        return Ok(removal(WorktreeFate::KeptUnknownToGit, None, vec![], None));
    }
    if unknown {
        return Err(workspace.not_registered());
    }
    let (ignored, work) = match site.here {
        Some(_) if site.known => {
            let ignored = changes::ignored(&workspace.seen_by_git(&workspace.base)?)?;
            (ignored, save(workspace, options)?)
        }
        // What jj had seen of it can still be kept.
        None if site.known => (vec![], keep(workspace, &stale::current(workspace)?)?),
        Some(_) | None => (vec![], saved_before(workspace, &site)?),
    };
    fault::point("jj.saved");

    let unfinished = |source| WorkspaceError::NotRemoved { path: workspace.path.clone(), source: Box::new(source) };
    let (fate, trashed) = clear_away(workspace, &site).map_err(unfinished)?;
    Ok(removal(fate, work, ignored, trash::discard_all(trashed)))
}

/// Takes back a workspace in which no agent ever ran, however far its making came.
pub(super) fn undo(workspace: &JjWorkspace) -> Result<()> {
    let site = match JjSite::find(workspace) {
        Err(WorkspaceError::Jj(JjError::NotARepository { .. })) if workspace.path.symlink_metadata().is_err() => {
            return Ok(());
        }
        found => found?,
    };
    let (_, trashed) = clear_away(workspace, &site)?;
    trashed.iter().try_for_each(|directory| trash::discard(directory))
}

/// Takes in the agent's files and puts the bookmark on its work; `None` when it has done nothing.
pub(super) fn save(workspace: &JjWorkspace, options: RemoveOptions) -> Result<Option<SavedWork>> {
    let not_saved = |source| WorkspaceError::NotSaved { path: workspace.path.clone(), source: Box::new(source) };
    refuse_nested(workspace, options).map_err(not_saved)?;
    let revision = stale::take_in(workspace).map_err(not_saved)?;
    if !options.force {
        refuse_left_out(workspace, &revision).map_err(not_saved)?;
    }
    keep(workspace, &revision).map_err(not_saved)
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

/// Refuses repositories inside the workspace, of which jj takes in nothing.
fn refuse_nested(workspace: &JjWorkspace, options: RemoveOptions) -> Result<()> {
    let checkout = workspace.seen_by_git(&workspace.base)?;
    let nested = Staging::over(&checkout)?.nested().not_saved();
    if nested.is_empty() || options.force {
        return Ok(());
    }
    Err(WorkspaceError::NestedRepositories { path: workspace.path.clone(), nested })
}

/// Refuses to go on while a file is neither in the revision nor ignored, as one whose name jj cannot write down.
fn refuse_left_out(workspace: &JjWorkspace, revision: &Revision) -> Result<()> {
    if revision.conflicted {
        // In git, a revision with conflicts has other paths than its files.
        return Ok(());
    }
    let seen = workspace.seen_by_git(&revision.commit)?;
    let staging = Staging::over(&seen)?;
    let listed = staging.git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read()?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
    let paths = paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
    let files: Vec<PathBuf> = paths.filter(|path| !path.starts_with(".jj")).collect();
    if files.is_empty() { Ok(()) } else { Err(JjError::LeftOut { files }.into()) }
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
fn saved_before(workspace: &JjWorkspace, site: &JjSite) -> Result<Option<SavedWork>> {
    let kept = bookmarked(JjCommand::reading(&workspace.repository), &workspace.bookmark)?;
    kept.map(|commit| saved::describe(&site.git_store, workspace.bookmark.clone(), commit, &workspace.base)).transpose()
}

fn describe(workspace: &JjWorkspace, commit: Commit, base: &Commit) -> Result<SavedWork> {
    let no_store = || JjError::NoGitStore { path: workspace.repository.clone() };
    let git_store = super::git_store_of(&workspace.repository).ok_or_else(no_store)?;
    saved::describe(&git_store, workspace.bookmark.clone(), commit, base)
}

/// Moves the directory into the trash, and lets jj and git forget it; either may have happened already.
fn clear_away(workspace: &JjWorkspace, site: &JjSite) -> Result<(WorktreeFate, Vec<PathBuf>)> {
    let mut trashed = trash::leftovers(&workspace.trash, &workspace.path, &workspace.run)?;
    let fate = match (site.here, site.known) {
        (Some(_), _) => WorktreeFate::Removed,
        (None, _) if !trashed.is_empty() => WorktreeFate::Removed,
        (None, true) => WorktreeFate::DeletedByHand,
        (None, false) => WorktreeFate::AlreadyGone,
    };
    if let Some(identity) = site.here {
        trashed.push(trash::take(&workspace.path, identity, &workspace.trash, &workspace.run)?);
    }
    fault::point("jj.trashed");
    if let Some(entry) = &site.worktree {
        registered::unregister(&site.git_store, entry)?;
    }
    if site.known {
        // Jj abandons the revision only if it is empty, not described and in no bookmark.
        JjCommand::reading(&workspace.repository).run(["workspace", "forget"]).arg(workspace.name()).read()?;
    }
    fault::point("jj.forgotten");
    Ok((fate, trashed))
}

fn removal(
    worktree: WorktreeFate,
    saved: Option<SavedWork>,
    ignored: Vec<PathBuf>,
    leftover: Option<PathBuf>,
) -> Removal {
    Removal { worktree, saved, branch: BranchFate::Absent, ignored, leftover }
}
