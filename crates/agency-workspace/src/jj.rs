//! A jj workspace on a revision of its own.
//!
//! The one rule: the user's own working copy and revision stay as they are, and looking at the agent's takes nothing in.

mod checkout;
mod command;
mod inner;
mod lock;
mod removal;
mod repository;
mod revision;
mod stale;
mod store;
mod workspace_lookup;

use std::path::{Path, PathBuf};
use std::thread;

use agency_model::RunId;

use self::command::JjCommand;
use self::lock::RepoLock;
use self::revision::{first, working_copy_of};
use self::workspace_lookup::names;
use super::checkout::Checkout;
use super::git_command::{Finished, pauses};
use super::jj_link as link;
use super::{
    Changes, Commit, FilesNow, JjError, Patch, PatchContext, Preview, Removal, RemoveOptions, Result, SavedWork,
    Workspace, WorkspaceError, changes, files_now, index_cache, trash,
};
use agency_system::fault;

pub(super) use checkout::checkout;
pub use command::jj_version;
pub use repository::{restore_ref_with_jj, restore_with_jj};

/// The workspace of one run, as recorded with the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JjWorkspace {
    /// The top of the user's own workspace.
    pub repository: PathBuf,
    /// The run that works here.
    pub run: RunId,
    /// The commit of the revision below the agent's.
    pub base: Commit,
    /// The bookmark that keeps the agent's work when the workspace is removed.
    pub bookmark: String,
    /// Where the workspace is, absolute.
    pub path: PathBuf,
    /// The directory below which all worktrees and workspaces are.
    pub worktrees_root: PathBuf,
    /// Where directories go before they are deleted; best on the filesystem of the workspaces.
    pub trash: PathBuf,
    /// Where a look at the files is kept for the next one; `None` where nothing is kept. It may be deleted at any time.
    pub looks: Option<PathBuf>,
}

impl Workspace for JjWorkspace {
    fn directory(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> Result<()> {
        let _lock = RepoLock::take(&self.repository);
        if self.path.symlink_metadata().is_ok() {
            return Err(WorkspaceError::PathOccupied { path: self.path.clone() });
        }
        if names(&self.repository)?.contains(&self.name()) {
            return Err(self.name_taken());
        }
        let base = self.base_to_build_on()?;
        trash::make_private(self.path.parent().unwrap_or(&self.worktrees_root))?;
        for pause in pauses() {
            let added = self.add(&base)?;
            fault::point("jj.added");
            if !added.met_half_made_worktree() {
                return self.check_added(added);
            }
            // The git that jj starts read another worktree while that was being made.
            if removal::undo(self).is_err() {
                return Err(self.take_back(added.stderr));
            }
            thread::sleep(pause);
        }
        self.check_added(self.add(&base)?)
    }

    fn undo(&self) -> Result<()> {
        let _lock = RepoLock::take(&self.repository);
        removal::undo(self)
    }

    fn changes(&self) -> Result<Changes> {
        let base = self.base_of_files();
        changes::changes(&self.seen_by_git(&base)?, &base)
    }

    fn preview(&self) -> Result<Preview> {
        removal::preview(self)
    }

    fn patch_with(&self, context: PatchContext) -> Result<Patch> {
        let base = self.base_of_files();
        changes::patch(&self.seen_by_git(&base)?, &base, context)
    }

    fn files_now(&self, wanted: &[String]) -> Result<FilesNow> {
        let base = self.base_of_files();
        files_now::files_now(&self.seen_by_git(&base)?, &base, wanted)
    }

    fn snapshot(&self) -> Result<Option<SavedWork>> {
        let _lock = RepoLock::take(&self.repository);
        removal::save(self)
    }

    fn remove(&self, options: RemoveOptions) -> Result<Removal> {
        let _lock = RepoLock::take(&self.repository);
        let removal = removal::remove(self, options)?;
        index_cache::discard(self.looks.as_deref());
        Ok(removal)
    }
}

impl JjWorkspace {
    /// The name that jj knows the workspace by.
    #[must_use]
    pub fn name(&self) -> String {
        format!("agency-{}", self.run)
    }

    /// Brings a workspace in which no agent is at work up to date with its repository. What was written stays.
    pub fn bring_up_to_date(&self) -> Result<()> {
        let _lock = RepoLock::take(&self.repository);
        stale::take_in(self).map(drop)
    }

    /// The revision of the workspace, as a revset.
    fn revset(&self) -> String {
        working_copy_of(&self.name())
    }

    fn add(&self, base: &str) -> Result<Finished> {
        JjCommand::on(&self.repository)
            .run(["workspace", "add"])
            .arg(format!("--name={}", self.name()))
            .arg(format!("--revision={base}"))
            .arg("--")
            .arg(&self.path)
            .finish()
    }

    fn check_added(&self, added: Finished) -> Result<()> {
        if added.success {
            return self.check_root().map_err(|error| self.take_back(error.to_string()));
        }
        if added.stderr.contains("already exists") {
            return Err(self.name_taken());
        }
        Err(self.take_back(added.stderr))
    }

    /// The base as a revset. Where the user wrote more into it since it was looked up, it is what it has become.
    fn base_to_build_on(&self) -> Result<String> {
        let jj = || JjCommand::reading(&self.repository);
        let change = first(jj(), self.base.as_str())?.map(|revision| revision.change);
        let rewritten = change.map_or_else(|| "none()".to_owned(), |change| format!("latest(change_id({change}))"));
        Ok(format!("coalesce(::visible_heads() & {}, {rewritten})", self.base))
    }

    /// The commit from which the agent's changes are counted: the base, or what it has become.
    fn base_below(&self, jj: impl Fn() -> JjCommand) -> Result<Option<Commit>> {
        let below = format!("::{}", self.revset());
        if let Some(base) = first(jj(), &format!("{} & {below}", self.base))? {
            return Ok(Some(base.commit));
        }
        let Some(before) = first(jj(), self.base.as_str())? else { return Ok(None) };
        let after = first(jj(), &format!("change_id({}) & {below}", before.change))?;
        Ok(after.map(|revision| revision.commit))
    }

    /// The base of the files as they are, which in a stale workspace are not those of its revision.
    fn base_of_files(&self) -> Commit {
        let operation = link::shown_operation(&self.path);
        let jj = || match &operation {
            Some(operation) => JjCommand::at_operation(&self.repository, operation),
            None => JjCommand::reading(&self.repository),
        };
        // For a command that only reads, a base that may have moved is better than an error.
        self.base_below(jj).ok().flatten().unwrap_or_else(|| self.base.clone())
    }

    fn seen_by_git(&self, commit: &Commit) -> Result<Checkout> {
        if !self.path.is_dir() {
            return Err(WorkspaceError::PathMissing { path: self.path.clone() });
        }
        Ok(checkout(&self.path, &self.repository, commit)?.keeping(self.looks.as_deref()))
    }

    /// Asks jj where the workspace is, which must be where we asked for it.
    fn check_root(&self) -> Result<()> {
        let printed = JjCommand::reading(&self.path).run(["workspace", "root"]).read()?;
        let root = Path::new(printed.trim_end_matches('\n'));
        let same = super::link::Identity::of(root) == super::link::Identity::of(&self.path);
        if same { Ok(()) } else { Err(self.not_registered()) }
    }

    /// Undoes a `workspace add` that failed, and names the failure.
    fn take_back(&self, message: String) -> WorkspaceError {
        let message = match removal::undo(self) {
            Ok(()) => message,
            Err(error) => format!("{message}\nand what was made is not all taken back: {error}"),
        };
        JjError::NotCreated { path: self.path.clone(), message }.into()
    }

    fn name_taken(&self) -> WorkspaceError {
        JjError::NameTaken { name: self.name(), repository: self.repository.clone() }.into()
    }

    fn not_registered(&self) -> WorkspaceError {
        let (path, repository) = (self.path.clone(), self.repository.clone());
        JjError::NotRegistered { path, name: self.name(), repository }.into()
    }
}

/// The workspace of an earlier run in which another continues: it is only brought up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedJjWorkspace(pub JjWorkspace);

impl Workspace for SharedJjWorkspace {
    fn directory(&self) -> &Path {
        self.0.directory()
    }

    fn prepare(&self) -> Result<()> {
        self.0.bring_up_to_date()
    }

    /// Takes nothing back, since the workspace is the earlier run's.
    fn undo(&self) -> Result<()> {
        Ok(())
    }

    fn changes(&self) -> Result<Changes> {
        self.0.changes()
    }

    fn patch_with(&self, context: PatchContext) -> Result<Patch> {
        self.0.patch_with(context)
    }

    fn files_now(&self, wanted: &[String]) -> Result<FilesNow> {
        self.0.files_now(wanted)
    }

    fn snapshot(&self) -> Result<Option<SavedWork>> {
        self.0.snapshot()
    }

    fn remove(&self, options: RemoveOptions) -> Result<Removal> {
        self.0.remove(options)
    }
}

/// The git directory that keeps the revisions of the jj workspace at `root`; `None` where there is none.
pub(super) fn git_store_of(root: &Path) -> Option<PathBuf> {
    link::git_store_of(root)
}
