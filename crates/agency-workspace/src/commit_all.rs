//! Commits what an agent left in its worktree, with the user's name, hooks and signature.
//!
//! The one rule: what cannot be committed whole (a half-done merge, another branch) is refused, never guessed. Commits of
//! a detached HEAD that follow the branch are its work. Hooks and settings are the user's; nothing that the agent could write in its worktree or in git's entry for it adds one.

mod attach;
mod elsewhere;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agency_model::shell_quoted;

use self::attach::Attached;
use self::elsewhere::{Elsewhere, WorkPlace};
use super::checkout::Checkout;
use super::link::Identity;
use super::merge::{Committed, MergeError, check_identity, hooks_directory, paths_in};
use super::staging::Staging;
use super::worktree_lookup::FoundWorktree;
use super::{Commit, GitWorktree, WorkspaceError, branch, git_state, link};
use agency_system::fault;

/// The file that agency itself put there.
pub(super) const PROMPT: &str = ".agency/prompt.md";

/// Commits every change and every new file that git does not ignore. Work that is not on the branch is refused, unless
/// the branch or the branch `into` has it.
pub(super) fn commit_all(worktree: &GitWorktree, message: &str, into: Option<&str>) -> Result<Committed, MergeError> {
    let lookup = FoundWorktree::find(worktree)?;
    let checkout = lookup.checkout(worktree)?;
    let admin_dir = linked_admin_dir(worktree, &checkout)?;
    let checkout = match attach::to_branch(worktree, &lookup, &checkout, &admin_dir)? {
        Attached::Now => lookup.checkout(worktree)?,
        Attached::NotNeeded => checkout,
    };
    let place = WorkPlace { worktree, common_dir: &lookup.common_dir, checkout: &checkout, admin_dir: &admin_dir };
    let elsewhere = place.elsewhere()?;
    if let Some(Elsewhere::OtherName(found)) = elsewhere {
        return Err(place.other_branch(found, checkout.head.commit(&lookup.common_dir)?));
    }
    let staging = Staging::over(&checkout)?;
    refuse_half_done(worktree, &staging, &admin_dir)?;
    staging.add_everything()?;
    // The repository may track it, or the agent may have added it.
    staging.git().run(["reset", "--quiet", "HEAD", "--", PROMPT]).read()?;
    let (new_links, left_out) = new_links(worktree, &staging)?;
    let compare = staging.git().run(["diff-index", "--cached", "--name-only", "-z", "--no-renames"]);
    let files = paths_in(&compare.comparing_links().args(["HEAD", "--"]).read()?).len();
    if let Some(elsewhere) = elsewhere {
        place.check_elsewhere(&elsewhere, &staging, (files, message), into)?;
        return Ok(Committed { commit: tip(worktree, &lookup.common_dir)?, files: 0, left_out, new_links });
    }
    if files > 0 {
        commit(worktree, &staging, &lookup.common_dir, message)?;
        fault::point("merge.committed");
    }
    replace_index(&worktree.path, &admin_dir, &staging.index())?;
    Ok(Committed { commit: tip(worktree, &lookup.common_dir)?, files, left_out, new_links })
}

/// Git's directory for the worktree, to which its `.git` file must lead: a worktree without it is not used as one.
pub(super) fn linked_admin_dir(worktree: &GitWorktree, checkout: &Checkout) -> Result<PathBuf, MergeError> {
    let linked = link::git_dir(&worktree.path).and_then(|git_dir| Identity::of(&git_dir));
    let found = checkout.admin_dir.clone().filter(|admin_dir| linked == Identity::of(admin_dir));
    found.ok_or_else(|| {
        let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
        WorkspaceError::NotRegistered { path, repository }.into()
    })
}

/// Commits the private index on the branch, by way of the hooks in the user's own checkout.
fn commit(worktree: &GitWorktree, staging: &Staging<'_>, common_dir: &Path, message: &str) -> Result<(), MergeError> {
    check_identity(|| staging.git())?;
    let hooks = hooks_directory(common_dir)?;
    let git = staging.git().config(&format!("core.hooksPath={}", hooks.display()));
    let committed = git.in_users_language().run(["commit", "--quiet", "-m"]).arg(message).finish_despite_hooks()?;
    if committed.success {
        return Ok(());
    }
    let message = match committed.stderr.as_str() {
        "" => format!("a hook in {}, such as commit-msg, refused it and printed nothing", shell_quoted(&hooks)),
        said => said.to_owned(),
    };
    Err(MergeError::NotCommitted { path: worktree.path.clone(), message })
}

/// Gives the worktree's own index the content of another one, under git's lock.
pub(super) fn replace_index(worktree: &Path, admin_dir: &Path, new: &Path) -> Result<(), MergeError> {
    let (index, lock) = (admin_dir.join("index"), admin_dir.join("index.lock"));
    let content = fs::read(new).map_err(WorkspaceError::io("read", new))?;
    let mut file = match File::create_new(&lock) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let (path, message) = (worktree.to_owned(), String::new());
            return Err(MergeError::CheckoutLocked { path, lock, message });
        }
        Err(error) => return Err(WorkspaceError::io("create", &lock)(error).into()),
    };
    let written = file.write_all(&content).and_then(|()| fs::rename(&lock, &index));
    written.map_err(|error| {
        // Git would wait for it.
        let _ = fs::remove_file(&lock);
        WorkspaceError::io("write", &index)(error).into()
    })
}

fn refuse_half_done(worktree: &GitWorktree, staging: &Staging<'_>, admin_dir: &Path) -> Result<(), MergeError> {
    let unmerged = staging.git().run(["diff-files", "--name-only", "--diff-filter=U", "-z"]).comparing_links();
    let files = paths_in(&unmerged.read()?);
    let operation = git_state::in_progress(admin_dir);
    if operation.is_none() && files.is_empty() {
        return Ok(());
    }
    let operation = operation.unwrap_or("merge");
    Err(MergeError::HalfDone { run: worktree.run.clone(), path: worktree.path.clone(), operation, files })
}

/// The repositories inside the worktree whose content is nowhere else: those that are linked at another commit than in the
/// base, and the others.
fn new_links(worktree: &GitWorktree, staging: &Staging<'_>) -> Result<(Vec<PathBuf>, Vec<PathBuf>), MergeError> {
    let not_saved = staging.nested().not_saved();
    if not_saved.is_empty() {
        return Ok((vec![], vec![]));
    }
    let listed = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=AMT"];
    let git = staging.git().run(listed).comparing_links().args([worktree.base.as_str(), "--"]);
    let changed = paths_in(&git.read()?);
    Ok(not_saved.into_iter().partition(|path| changed.contains(path)))
}

fn tip(worktree: &GitWorktree, common_dir: &Path) -> Result<Commit, MergeError> {
    let found = branch::commit_of(common_dir, &branch::full_name(&worktree.branch))?;
    found.ok_or_else(|| MergeError::BranchMissing { branch: worktree.branch.clone() })
}
