//! Saves what no branch holds to `refs/agency/saved/<run_id>`.
//!
//! The one rule: what the agent left (files, index, HEAD, branch) is only read, and no hook runs.

use std::path::Path;

use agency_model::RunId;

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::head::Head;
use super::own_ref::{self, RefState};
use super::staging::Staging;
use super::temporary::TemporaryDirectory;
use super::{Commit, Repository, Result, SavedWork, WorkspaceError, saved_work};

/// The author of a saved commit where git has no name for the user.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "agency"),
    ("GIT_AUTHOR_EMAIL", "agency@localhost"),
    ("GIT_COMMITTER_NAME", "agency"),
    ("GIT_COMMITTER_EMAIL", "agency@localhost"),
];

/// Everything that a working tree holds, as git objects.
struct WorkingTree {
    /// The commit at HEAD; `None` on a branch without one.
    head: Option<Commit>,
    /// The files as they are.
    files: String,
    /// What was staged, if it is neither in HEAD nor in the files.
    staged: Option<String>,
    /// Whether the files or the index differ from HEAD.
    uncommitted: bool,
    /// Whether `files` has all of them.
    whole: bool,
}

/// What is done about files that git does not take, as one in a directory named `.Git`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    /// Nothing is saved then.
    Refused,
    /// They are left out, and are kept elsewhere.
    LeftOut,
}

/// Saves the uncommitted work of a checkout, and the commits of a HEAD that is in no branch.
pub(super) fn save(checkout: &Checkout, run: &RunId, base: &Commit) -> Result<Option<SavedWork>> {
    save_with(checkout, run, base, Odd::Refused).map(|(work, _)| work)
}

/// The same; also says whether all files are saved.
pub(super) fn save_with(
    checkout: &Checkout,
    run: &RunId,
    base: &Commit,
    odd: Odd,
) -> Result<(Option<SavedWork>, bool)> {
    let unusable = |error| WorkspaceError::FilesNotTaken { source: Box::new(error) };
    let staging = Staging::over(checkout).map_err(unusable)?;
    let found = look(&staging, checkout, odd).map_err(unusable)?;
    store(&staging, checkout, &found, run, base).map(|work| (work, found.whole))
}

impl Repository {
    /// A commit on top of `head` with the files of the user's checkout as they are, for a run that is to begin with them;
    /// none if nothing is uncommitted. The checkout, its index and its branches stay as they are; the commit is in no
    /// branch.
    pub fn snapshot(&self, head: &Commit, run: &RunId) -> Result<Option<Commit>> {
        of_files(&Checkout::of_root(self.root(), head)?, head, run)
    }
}

/// The same for any checkout.
pub(super) fn of_files(checkout: &Checkout, head: &Commit, run: &RunId) -> Result<Option<Commit>> {
    let unusable = |error| WorkspaceError::FilesNotTaken { source: Box::new(error) };
    let staging = Staging::over(checkout).map_err(unusable)?;
    let found = look(&staging, checkout, Odd::Refused).map_err(unusable)?;
    if found.files == committed_tree(&staging, Some(head))? {
        return Ok(None);
    }
    let message = format!("Uncommitted changes when {run} was started");
    commit_tree(&staging, &found.files, &[head], &message).map(Some)
}

/// Saves what is staged where git cannot look at the files, and the commits of a HEAD that is in no branch.
pub(super) fn save_staged(checkout: &Checkout, run: &RunId, base: &Commit) -> Result<Option<SavedWork>> {
    store_staged(checkout, run, base, HeadAlone::Saved)
}

/// Saves what is staged where the files are gone; none if that is what HEAD has, or if there is no index.
pub(super) fn save_staged_alone(checkout: &Checkout, run: &RunId, base: &Commit) -> Result<Option<SavedWork>> {
    match checkout.index() {
        Some(index) if index.symlink_metadata().is_ok() => store_staged(checkout, run, base, HeadAlone::LeftOut),
        Some(_) | None => Ok(None),
    }
}

/// Saves the files of a checkpoint where those of the worktree are gone; none if that is what HEAD has.
pub(super) fn save_checkpoint(
    checkout: &Checkout,
    tree: String,
    run: &RunId,
    base: &Commit,
) -> Result<Option<SavedWork>> {
    let empty = TemporaryDirectory::new()?;
    let without_files = Checkout { work_tree: empty.path().to_owned(), ..checkout.clone() };
    let staging = Staging::over(&without_files)?;
    let head = checkout.head.commit(&checkout.common_dir)?;
    if tree == committed_tree(&staging, head.as_ref())? {
        return Ok(None);
    }
    let found = WorkingTree { head, files: tree, staged: None, uncommitted: true, whole: false };
    store(&staging, checkout, &found, run, base)
}

/// What is done about a HEAD where nothing else is to be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadAlone {
    Saved,
    LeftOut,
}

/// Git sees none of the files: an empty directory takes their place.
fn store_staged(checkout: &Checkout, run: &RunId, base: &Commit, alone: HeadAlone) -> Result<Option<SavedWork>> {
    let empty = TemporaryDirectory::new()?;
    let without_files = Checkout { work_tree: empty.path().to_owned(), ..checkout.clone() };
    let staging = Staging::over(&without_files)?;
    let head = checkout.head.commit(&checkout.common_dir)?;
    let files = staging.staged_tree()?;
    let uncommitted = files != committed_tree(&staging, head.as_ref())?;
    if !uncommitted && alone == HeadAlone::LeftOut {
        return Ok(None);
    }
    let found = WorkingTree { head, files, staged: None, uncommitted, whole: false };
    store(&staging, checkout, &found, run, base)
}

/// What git has staged for a worktree and neither HEAD nor anything else leads to, as a commit; git's entry alone is
/// looked at. None if the index cannot be read, or is as HEAD.
pub(super) fn staged_commit(common_dir: &Path, admin_dir: &Path, run: &RunId) -> Result<Option<Commit>> {
    let Some(head) = Head::read(admin_dir, common_dir) else { return Ok(None) };
    let empty = TemporaryDirectory::new()?;
    let checkout = Checkout::of_worktree(common_dir, empty.path(), Some(admin_dir), head);
    let Ok(staging) = Staging::over(&checkout) else { return Ok(None) };
    let head = checkout.head.commit(common_dir)?;
    let tree = staging.staged_tree()?;
    if tree == committed_tree(&staging, head.as_ref())? {
        return Ok(None);
    }
    let parents: Vec<&Commit> = head.iter().collect();
    commit_tree(&staging, &tree, &parents, &format!("Staged work of a worktree inside that of {run}")).map(Some)
}

fn store(
    staging: &Staging<'_>,
    checkout: &Checkout,
    found: &WorkingTree,
    run: &RunId,
    base: &Commit,
) -> Result<Option<SavedWork>> {
    let reference = run.saved_work_ref();
    let (held_by, before) = saved_work::locate(&checkout.common_dir, run)?.unzip();
    let commit = match (&found.head, &before) {
        (Some(head), _) if !found.uncommitted && is_in_a_branch(checkout, head)? => return Ok(None),
        (None, _) if !found.uncommitted => return Ok(None),
        (Some(head), None) if !found.uncommitted => head.clone(),
        (Some(head), Some(before)) if !found.uncommitted && head == before => head.clone(),
        (_, Some(before)) if holds(checkout, before, found)? => before.clone(),
        (_, _) => commit(staging, run, found, before.as_ref())?,
    };
    let is_there = held_by.as_ref() == Some(&reference);
    if !is_there || before.as_ref() != Some(&commit) {
        // What an older version saved stays at its own ref, too.
        let old = before.as_ref().filter(|_| is_there).map_or("", Commit::as_str);
        if !is_there && own_ref::state(&checkout.common_dir, &reference)? != RefState::Free {
            own_ref::make_room(&checkout.common_dir, &reference, run)?;
        }
        let update = own_ref::update(staging.git(), "agency: saved before removal");
        update.args([reference.as_str(), commit.as_str(), old]).read()?;
    }
    saved_work::describe(&checkout.common_dir, reference, commit, base).map(Some)
}

/// Writes the index and the files as trees and compares them with HEAD.
fn look(staging: &Staging<'_>, checkout: &Checkout, odd: Odd) -> Result<WorkingTree> {
    let head = checkout.head.commit(&checkout.common_dir)?;
    let index = staging.staged_tree()?;
    let added = staging.add_everything_in_any_form();
    let whole = added.is_ok();
    match (added, odd) {
        (Ok(()), _) => {}
        (Err(error), Odd::Refused) => return Err(error),
        (Err(_), Odd::LeftOut) => staging.add_what_git_takes()?,
    }
    let files = staging.tree()?.ok_or_else(|| WorkspaceError::Git {
        command: "write-tree".to_owned(),
        directory: checkout.work_tree.clone(),
        message: "conflicts are left after everything was added".to_owned(),
    })?;
    let committed = committed_tree(staging, head.as_ref())?;
    let staged = Some(index).filter(|index| *index != committed && *index != files);
    let uncommitted = files != committed || staged.is_some();
    Ok(WorkingTree { head, files, staged, uncommitted, whole })
}

/// The tree of a commit, or the empty one.
fn committed_tree(staging: &Staging<'_>, head: Option<&Commit>) -> Result<String> {
    match head {
        Some(commit) => staging.git().run(["rev-parse", "--verify"]).arg(format!("{commit}^{{tree}}")).read_line(),
        // Standard input is empty, and so is the tree.
        None => staging.git().run(["mktree"]).read_line(),
    }
}

/// Whether HEAD's commits stay reachable without this worktree.
fn is_in_a_branch(checkout: &Checkout, head: &Commit) -> Result<bool> {
    // Jj keeps its revisions itself, in branches or not.
    if checkout.is_jj || checkout.head.branch_name().is_some() {
        return Ok(true);
    }
    let holder = GitCommand::on(&checkout.common_dir)
        .run(["for-each-ref", "--count=1", "--format=%(refname)", "--contains"])
        .args([head.as_str(), "refs/heads", "refs/remotes", "refs/tags"])
        .read()?;
    Ok(!holder.is_empty())
}

/// Whether an earlier attempt saved exactly this already.
fn holds(checkout: &Checkout, before: &Commit, found: &WorkingTree) -> Result<bool> {
    let mut wanted = vec![(format!("{before}^{{tree}}"), found.files.clone())];
    if let Some(head) = &found.head {
        wanted.push((format!("{before}^1"), head.to_string()));
    }
    if let Some(staged) = &found.staged {
        wanted.push((format!("{before}^2^{{tree}}"), staged.clone()));
    }
    let asked = GitCommand::on(&checkout.common_dir).run(["rev-parse"]).args(wanted.iter().map(|(what, _)| what));
    let asked = asked.finish()?;
    let answers = String::from_utf8_lossy(&asked.stdout).into_owned();
    Ok(asked.success && answers.lines().eq(wanted.iter().map(|(_, value)| value.as_str())))
}

/// Makes the commit that holds everything found, and what an earlier attempt saved.
fn commit(staging: &Staging<'_>, run: &RunId, found: &WorkingTree, before: Option<&Commit>) -> Result<Commit> {
    let head: Vec<&Commit> = found.head.iter().collect();
    let staged = match &found.staged {
        Some(tree) => Some(commit_tree(staging, tree, &head, &format!("Staged work of {run}"))?),
        None => None,
    };
    let parents: Vec<&Commit> = head.iter().copied().chain(&staged).chain(before).collect();
    let message = format!("Saved work of {run}\n\nWhat was not committed when its workspace was removed.");
    commit_tree(staging, &found.files, &parents, &message)
}

pub(super) fn commit_tree(staging: &Staging<'_>, tree: &str, parents: &[&Commit], message: &str) -> Result<Commit> {
    let command = || {
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        staging.git().run(["commit-tree", "--no-gpg-sign", "-m", message]).args(parents).arg(tree)
    };
    // Git alone knows whether it can name the user; only where it cannot is the name ours.
    let made = command()
        .read_line()
        .or_else(|_| IDENTITY.iter().fold(command(), |command, (name, value)| command.env(name, value)).read_line())?;
    made.parse().map_err(|_| WorkspaceError::Git {
        command: "commit-tree".to_owned(),
        directory: std::path::PathBuf::new(),
        message: format!("printed '{made}'"),
    })
}
