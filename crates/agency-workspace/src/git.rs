//! A git worktree on a branch of its own.

use std::path::{Path, PathBuf};
use std::thread;

use super::git_command::{Finished, GitCommand, pauses};
use super::user_settings::UserSettings;
use super::worktree_lookup::{self, FoundWorktree};
use super::worktree_refs::OwnCommits;
use super::{
    Changes, Commit, Committed, FilesNow, GitWorktree, MergeCheck, MergeError, MergeOutcome, MergePreview,
    MergeRequest, Patch, PatchContext, Preview, ProtectedWork, Removal, RemoveOptions, Result, Review, SavedWork,
    Workspace, WorkspaceError, branch, branch_changes, changes, commit_all, commit_roots, files_now, index_cache,
    jj_link, link, merge, merge_preview, own_ref, preview, protected, ref_files, removal, review, snapshot, trash,
};
use agency_system::fault;

/// What `update-ref` takes as the old value of a ref that it is to make.
const MUST_NOT_EXIST: &str = "";

impl Workspace for GitWorktree {
    fn directory(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> Result<()> {
        branch_changes::check_plain(&self.branch)?;
        worktree_lookup::refuse_agents(&self.repository, &self.worktrees_root)?;
        if self.path.symlink_metadata().is_ok() {
            return Err(WorkspaceError::PathOccupied { path: self.path.clone() });
        }
        branch_changes::refuse_unlisted(&self.repository, &self.branch)?;
        trash::make_private(self.path.parent().unwrap_or(&self.worktrees_root))?;
        for pause in pauses() {
            let added = self.add()?;
            fault::point("worktree.added");
            if added.success {
                return Ok(());
            }
            if !added.met_half_made_worktree() {
                return Err(self.take_back(added.stderr));
            }
            // Git makes the branch before it looks at the other worktrees.
            if self.undo().is_err() {
                return Err(self.take_back(added.stderr));
            }
            thread::sleep(pause);
        }
        let added = self.add()?;
        if added.success { Ok(()) } else { Err(self.take_back(added.stderr)) }
    }

    fn undo(&self) -> Result<()> {
        removal::undo(self)
    }

    fn changes(&self) -> Result<Changes> {
        changes::changes(&FoundWorktree::find(self)?.checkout(self)?.keeping(self.looks.as_deref()), &self.base)
    }

    fn preview(&self) -> Result<Preview> {
        let lookup = FoundWorktree::find(self)?;
        let mut found = preview::preview(&lookup.checkout(self)?);
        found.nested.extend(removal::foreign_repositories(self, &lookup));
        let in_the_way = lookup.refuse_lock(self).and_then(|()| removal::refuse_objects_inside(self, &lookup)).err();
        found.obstacle =
            in_the_way.or(found.obstacle).map_or_else(|| self.incomplete_history(&lookup), |error| Ok(Some(error)))?;
        Ok(found)
    }

    fn patch_with(&self, context: PatchContext) -> Result<Patch> {
        changes::patch(&FoundWorktree::find(self)?.checkout(self)?.keeping(self.looks.as_deref()), &self.base, context)
    }

    fn files_now(&self, wanted: &[String]) -> Result<FilesNow> {
        let checkout = FoundWorktree::find(self)?.checkout(self)?.keeping(self.looks.as_deref());
        files_now::files_now(&checkout, &self.base, wanted)
    }

    fn snapshot(&self) -> Result<Option<SavedWork>> {
        let checkout = FoundWorktree::find(self)?.checkout(self)?;
        ref_files::move_aside(&checkout.common_dir, &self.trash, &self.run)?;
        snapshot::save(&checkout, &self.run, &self.base)
    }

    fn remove(&self, options: RemoveOptions) -> Result<Removal> {
        let removal = removal::remove(self, options)?;
        index_cache::discard(self.looks.as_deref());
        index_cache::discard(self.checkpoint_index().as_deref());
        Ok(removal)
    }

    fn commit_roots(&self) -> Result<Vec<PathBuf>> {
        commit_roots::of(self)
    }

    fn branch_work(&self) -> std::result::Result<&GitWorktree, MergeError> {
        Ok(self)
    }
}

impl GitWorktree {
    /// Commits what is not committed, with the user's name, hooks and signature.
    pub fn commit_all(&self, message: &str) -> std::result::Result<Committed, MergeError> {
        commit_all::commit_all(self, message, None)
    }

    /// The same before a merge into a branch: commits beside the branch of the worktree are not refused once that branch
    /// has them.
    pub fn commit_all_for(&self, message: &str, into: &str) -> std::result::Result<Committed, MergeError> {
        commit_all::commit_all(self, message, Some(into))
    }

    /// The short name of a branch that this one can be merged into.
    pub fn check_target(&self, into: &str) -> std::result::Result<String, MergeError> {
        merge::check_target(&FoundWorktree::find(self)?.common_dir, &self.branch, into)
    }

    /// Whether everything that is there now, committed or not, merges into a branch. Nothing is written.
    pub fn preview_merge(&self, into: &str) -> std::result::Result<MergePreview, MergeError> {
        merge_preview::preview_merge(self, into)
    }

    /// What a merge into a branch would bring; what is not committed is not part of it.
    pub fn review(&self, into: &str) -> std::result::Result<Review, MergeError> {
        review::review(self, into)
    }

    /// The work as it is, in a commit of no branch that has the files of the base where a pattern matches.
    pub fn protected_work(&self, globs: &[String]) -> Result<ProtectedWork> {
        protected::protected_work(self, globs)
    }

    /// Merges the branch. Safe to repeat after a crash.
    pub fn merge(&self, request: &MergeRequest) -> std::result::Result<MergeOutcome, MergeError> {
        merge::merge(self, request, None)
    }

    /// The same for a merge that has to pass a check first. If the target or the branch moves during the check, the merge is
    /// made and checked anew.
    pub fn merge_checked(
        &self,
        request: &MergeRequest,
        check: &mut MergeCheck<'_>,
    ) -> std::result::Result<MergeOutcome, MergeError> {
        merge::merge(self, request, Some(check))
    }
}

impl GitWorktree {
    /// The error that a removal would end with because commits of the worktree cannot be saved.
    fn incomplete_history(&self, lookup: &FoundWorktree) -> Result<Option<WorkspaceError>> {
        let Some(entry) = &lookup.entry else { return Ok(None) };
        let (work_tree, run) = (self.path.as_path(), &self.run);
        let own = OwnCommits { common_dir: &lookup.common_dir, work_tree, run, deleted_branch: None };
        let commits = own.incomplete(&entry.admin_dir, &self.branch)?;
        Ok((!commits.is_empty()).then_some(WorkspaceError::IncompleteHistory { commits }))
    }

    /// The commit that is checked out, found from the recorded repository; `None` on a branch without one.
    pub fn checked_out(&self) -> Result<Option<Commit>> {
        let checkout = FoundWorktree::find(self)?.checkout(self)?;
        checkout.head.commit(&checkout.common_dir)
    }

    fn add(&self) -> Result<Finished> {
        // Without tracking, parallel runs do not compete for the lock of the configuration.
        let with_branch = self.adding()?.args(["--no-track", "-b"]).arg(&self.branch).arg("--").arg(&self.path);
        let added = with_branch.arg(self.base.as_str()).finish_despite_hooks()?;
        if added.refused_head() { self.add_in_two_steps() } else { Ok(added) }
    }

    /// Makes the branch first, without `git branch`: that needs a HEAD on a branch or a commit, and jj has its own ref
    /// there while its user works on the root revision, and always where it is not colocated.
    fn add_in_two_steps(&self) -> Result<Finished> {
        let message = format!("branch: Created from {}", self.base);
        let branched = own_ref::update(GitCommand::in_repository(&self.repository), &message)
            .arg(branch::full_name(&self.branch))
            .args([self.base.as_str(), MUST_NOT_EXIST])
            .finish_despite_hooks()?;
        if !branched.success {
            return Ok(branched);
        }
        self.adding()?.arg("--").arg(&self.path).arg(&self.branch).finish_despite_hooks()
    }

    fn adding(&self) -> Result<GitCommand> {
        let git = GitCommand::in_repository(&self.repository);
        let common_dir = link::git_dir(&self.repository).and_then(|git_dir| link::common_dir(&git_dir));
        // The files that are checked out may be those of another agent.
        let git = match common_dir.or_else(|| jj_link::hidden_git_store(&self.repository)) {
            Some(common_dir) => UserSettings::of_new_tree(&common_dir)?.set(git),
            None => git,
        };
        let git = git.config("checkout.workers=0").config("checkout.thresholdForParallelism=2000");
        Ok(git.run(["worktree", "add", "--quiet"]))
    }

    /// Undoes a `worktree add` that failed, and names the failure.
    fn take_back(&self, message: String) -> WorkspaceError {
        let fatal = |words: &str| message.lines().any(|line| line.starts_with("fatal: ") && line.contains(words));
        if fatal("a branch named") || fatal("reference already exists") {
            return WorkspaceError::BranchExists { name: self.branch.clone() };
        }
        if fatal("is not a valid branch name") {
            return WorkspaceError::InvalidBranchName { name: self.branch.clone() };
        }
        let left = if fatal("cannot lock ref") {
            // Nothing was made.
            None
        } else if fatal("already exists") {
            // Only the branch was made; what is at the path belongs to another owner.
            removal::take_back_branch(self).err()
        } else {
            self.undo().err()
        };
        let message = match left {
            Some(error) => format!("{message}\nand what was made is not all taken back: {error}"),
            None => message,
        };
        WorkspaceError::WorktreeNotCreated { path: self.path.clone(), branch: self.branch.clone(), message }
    }
}
