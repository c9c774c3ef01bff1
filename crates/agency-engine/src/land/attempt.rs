//! One landing, from the commit of what is uncommitted to the record that it landed.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_model::{RunId, WorkEvent};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_workspace::{
    Commit, Committed, DirtyFiles, GitWorktree, MergeError, MergeOutcome, MergeRequest, Merged, ProposedMerge,
    Repository, SavedChanges,
};
use tracing::warn;

use super::checks::{CheckReport, Checks};
use super::message::merge_message;
use super::ready::AtWork;
use super::record::Intent;
use super::{DirtyChoice, LandChecks, LandError, LandProgress, LandRequest, Landed, Publish};
use crate::agency::Agency;
use crate::project::Project;
use crate::runs::create::SetupChoice;
use crate::store::RunRow;
use crate::worktree::WorktreeSettings;

/// The default limit of a check.
pub(crate) const CHECK_LIMIT: Duration = Duration::from_secs(30 * 60);

/// A landing under way.
pub(super) struct Attempt<'a> {
    pub(super) agency: &'a mut Agency,
    pub(super) request: &'a LandRequest,
    pub(super) progress: &'a mut dyn FnMut(LandProgress<'_>),
    pub(super) stop: &'a AtomicBool,
}

/// What is decided before anything is changed.
pub(super) struct Prepared {
    pub(super) row: RunRow,
    pub(super) worktree: GitWorktree,
    pub(super) repository: Repository,
    pub(super) target: String,
    pub(super) project: Option<Project>,
    pub(super) checks: Vec<String>,
    pub(super) limit: Duration,
    /// What the tree of the checks gets.
    pub(super) settings: WorktreeSettings,
}

impl Agency {
    /// Decides where and how the work of a run lands.
    pub(super) fn prepare_landing(&mut self, row: RunRow, request: &LandRequest) -> Result<Prepared, LandError> {
        let worktree = self.workspace_of(&row)?.branch_work()?.clone();
        let repository = Repository::from_root(worktree.repository.clone());
        let project = self.project(repository.root())?;
        let checks = match (&request.checks, &project) {
            (LandChecks::Only(commands), _) => commands.clone(),
            (LandChecks::Project, Some(project)) => project.checks()?.to_vec(),
            (LandChecks::Project, None) | (LandChecks::None, _) => vec![],
        };
        let usual = project.as_ref().map_or(CHECK_LIMIT, Project::check_limit);
        let limit = request.check_limit.unwrap_or(usual);
        let settings = match (&project, request.setup) {
            (Some(project), SetupChoice::Project) if !checks.is_empty() => project.worktree()?.clone(),
            (_, _) => WorktreeSettings::default(),
        };
        let target = match &request.into {
            Some(into) => worktree.check_target(into)?,
            None => self.land_target(&row)?,
        };
        Ok(Prepared { row, worktree, repository, target, project, checks, limit, settings })
    }
}

impl Attempt<'_> {
    /// Lands one run.
    pub(super) fn land(&mut self, id: &RunId) -> Result<Landed, LandError> {
        let at_work = if self.request.interrupt { AtWork::Interrupt } else { AtWork::Refuse };
        let row = self.agency.at_rest(id, at_work)?;
        let _landing = self.lock(&row)?;
        let prepared = self.agency.prepare_landing(row, self.request)?;
        fault::point("land.begin");
        prepared.repository.bookmarks_to_git()?;
        let result = self.land_prepared(&prepared);
        if let Err(error) = &result {
            self.record_failure(&prepared, error);
        }
        let landed = result?;
        prepared.repository.branches_to_jj()?;
        Ok(landed)
    }

    /// Two landings of one branch would check and merge the same twice.
    fn lock(&self, row: &RunRow) -> Result<Lock, LandError> {
        let path = self.agency.home.run(&row.worktree_owner()).file("land.lock");
        Lock::take(&path, Duration::ZERO)?.ok_or_else(|| {
            let why = "another agency land of it is running".to_owned();
            LandError::NotReady { id: row.id.clone(), why }
        })
    }

    fn land_prepared(&mut self, prepared: &Prepared) -> Result<Landed, LandError> {
        let Prepared { row, worktree, target, .. } = prepared;
        let given = self.request.message.clone();
        let message = given.clone().unwrap_or_else(|| self.agency.land_message(row));
        let Committed { commit: tip, files, left_out, new_links } = self.commit(prepared, &message)?;
        fault::point("land.committed");
        (self.progress)(LandProgress::Landing { id: &row.id, target });
        if files > 0 || !left_out.is_empty() || !new_links.is_empty() {
            (self.progress)(LandProgress::Committed { files, left_out: &left_out, new_links: &new_links });
        }
        let owner = self.agency.home.run(&row.worktree_owner());
        let request = MergeRequest {
            into: target.clone(),
            tip: Some(tip.clone()),
            strategy: self.request.strategy,
            message: Some(merge_message(self.request.strategy, &worktree.branch, target, &message, given.is_some())),
            dirty: match self.request.dirty {
                DirtyChoice::Block => DirtyFiles::Block,
                DirtyChoice::Save => DirtyFiles::Save { name: format!("checkout-{}", row.id) },
            },
            record: Some(owner.file("merged")),
        };
        let mut refusal = None;
        let mut announced = false;
        let moves = !matches!(self.request.publish, Publish::PullRequest { .. });
        let outcome = worktree.merge_checked(&request, &mut |proposed| {
            let checked = self.check(prepared, proposed, &mut announced);
            checked.map_err(|error| refusal = Some(error)).is_ok() && moves
        });
        if let Some(error) = refusal {
            return Err(error);
        }
        let outcome = outcome.map_err(|error| moved_meanwhile(error, row))?;
        match (&self.request.publish, outcome) {
            (Publish::PullRequest { remote }, MergeOutcome::Refused { .. }) => {
                let published = self.request_pull(prepared, remote.as_deref(), &message)?;
                Ok(Landed { published: Some(published), ..self.not_moved(prepared) })
            }
            (Publish::Push { remote }, outcome) => {
                let landed = self.finish(prepared, &tip, outcome)?;
                Ok(Landed { published: Some(self.push_target(prepared, remote.as_deref())?), ..landed })
            }
            (Publish::Nothing | Publish::PullRequest { .. }, outcome) => self.finish(prepared, &tip, outcome),
        }
    }

    /// Work that was checked, and is to land elsewhere.
    fn not_moved(&self, prepared: &Prepared) -> Landed {
        Landed {
            id: prepared.row.id.clone(),
            target: prepared.target.clone(),
            commit: None,
            strategy: self.request.strategy.as_str().to_owned(),
            already: false,
            checks: prepared.checks.clone(),
            checkouts: vec![],
            published: None,
            saved: vec![],
        }
    }

    /// Commits what is not committed, as long as no agent works on it.
    fn commit(&mut self, prepared: &Prepared, message: &str) -> Result<Committed, LandError> {
        let Prepared { row, worktree, .. } = prepared;
        // No run continues the conversation meanwhile.
        let _worktree = self.agency.worktree_lock(row)?;
        self.agency.at_rest(&row.id, AtWork::Refuse)?;
        let committed = worktree.commit_all(message)?;
        // A message may have reached an idle agent.
        self.agency.at_rest(&row.id, AtWork::Refuse)?;
        self.check_approval(prepared, &committed.commit)?;
        self.agency.check_resolution(prepared, &committed.commit)?;
        Ok(committed)
    }

    /// Where the project or the request demands it, a user has to have approved exactly these files.
    fn check_approval(&self, prepared: &Prepared, tip: &Commit) -> Result<(), LandError> {
        if let Some(only) = &self.request.only_tree {
            if *only == prepared.repository.tree_of(tip)? {
                return Ok(());
            }
            let why = "its files changed since the user was asked".to_owned();
            return Err(LandError::NotReady { id: prepared.row.id.clone(), why });
        }
        if !prepared.project.as_ref().is_some_and(Project::requires_approval) {
            return Ok(());
        }
        let id = prepared.row.id.clone();
        let why = match self.agency.store.approved_tree(&id)? {
            Some(tree) if tree == prepared.repository.tree_of(tip)? => return Ok(()),
            Some(_) => "its files changed since they were approved",
            None => "the project requires an approval of its files",
        };
        Err(LandError::NotReady { why: format!("{why}; agency review --approve {id}"), id })
    }

    /// Looks at a merge before the target moves to it.
    fn check(&mut self, prepared: &Prepared, proposed: &ProposedMerge, announced: &mut bool) -> Result<(), LandError> {
        let Prepared { row, repository, target, checks, limit, settings, .. } = prepared;
        if !*announced {
            let strategy = self.request.strategy.as_str().to_owned();
            self.agency.record_work(&row.id, WorkEvent::Landing { target: target.clone(), strategy })?;
            if !checks.is_empty() {
                (self.progress)(LandProgress::Unreviewed { id: &row.id });
            }
        }
        if !checks.is_empty() {
            let checks = Checks {
                id: &row.id,
                repository,
                commands: checks,
                limit: *limit,
                settings: settings.clone(),
                // Earlier checks of this landing built what is in the tree.
                fresh: self.request.fresh && !*announced,
                environment: &self.request.environment,
                stop: self.stop,
                trials: self.agency.home.trials(),
                logs: self.agency.home.run(&row.id).file("land"),
            };
            checks.run(proposed, &mut |report| self.take(&row.id, report))?;
        }
        *announced = true;
        fault::point("land.checked");
        let (commit, tip) = (proposed.commit.to_string(), proposed.tip.to_string());
        Intent { target: target.clone(), commit, tip }.write(&self.agency.home.run(&row.worktree_owner()))?;
        fault::point("land.intended");
        Ok(())
    }

    /// Reports the progress of the checks, and records how each ended.
    fn take(&mut self, id: &RunId, report: CheckReport<'_>) -> Result<(), LandError> {
        match report {
            CheckReport::Preparing(message) => (self.progress)(LandProgress::Preparing { message }),
            CheckReport::WaitingForTree => (self.progress)(LandProgress::WaitingForTree),
            CheckReport::Begins { command, log } => (self.progress)(LandProgress::CheckBegins { command, log }),
            CheckReport::Ended { command, end, output, event } => {
                (self.progress)(LandProgress::CheckEnded { command, end, output });
                self.agency.record_work(id, event)?;
            }
        }
        Ok(())
    }

    /// Records the outcome of the merge.
    fn finish(&mut self, prepared: &Prepared, tip: &Commit, outcome: MergeOutcome) -> Result<Landed, LandError> {
        let Prepared { row, repository, checks, .. } = prepared;
        let id = row.id.clone();
        let strategy = self.request.strategy.as_str().to_owned();
        let (target, commit, already, checkouts, saved) = match outcome {
            MergeOutcome::Merged(Merged { target, commit, checkouts, saved, .. }) => {
                (target, commit.to_string(), false, checkouts, saved)
            }
            MergeOutcome::AlreadyMerged { target, commit, saved } => {
                if tip.as_str() == row.base_commit && row.landed_at.is_none() {
                    return Err(LandError::Nothing { id, target });
                }
                let known = self.agency.landed_before(row, repository, &target, tip);
                (target, known.unwrap_or_else(|| commit.to_string()), true, vec![], saved)
            }
            MergeOutcome::Conflicts { target, conflicts, .. } => {
                let worktree = prepared.worktree.path.clone();
                return Err(LandError::Conflicts { id, target, files: conflicts, worktree });
            }
            MergeOutcome::Blocked { target, checkouts } => return Err(LandError::Dirty { id, target, checkouts }),
            // Without a refusal of ours, which is returned before.
            MergeOutcome::Refused { .. } => return Err(LandError::Interrupted),
        };
        // All runs of the worktree share the branch.
        let mut ids = vec![id.clone()];
        let others = self.agency.store.runs_in_worktree(row.worktree_path.as_deref())?;
        ids.extend(others.into_iter().map(|other| other.id).filter(|other| *other != id));
        for id in &ids {
            self.agency.record_landed(id, &target, &commit, &strategy)?;
        }
        self.agency.forget_resolution(row);
        let checks = if already { vec![] } else { checks.clone() };
        let saved = saved.into_iter().map(|SavedChanges { command, .. }| command).collect();
        Ok(Landed { id, target, commit: Some(commit), strategy, already, checks, checkouts, published: None, saved })
    }

    /// Notes why the work did not land. The error itself is what the user gets.
    fn record_failure(&mut self, prepared: &Prepared, error: &LandError) {
        // It landed, or is not to land here.
        if matches!(error, LandError::NotPublished { .. } | LandError::Merge(MergeError::NotPushed { .. })) {
            return;
        }
        let files = if let LandError::Conflicts { files, .. } = error { files.as_slice() } else { &[] };
        let files = files.iter().map(|conflict| conflict.path.display().to_string()).collect();
        let event = WorkEvent::LandFailed { target: prepared.target.clone(), message: error.to_string(), files };
        if let Err(failure) = self.agency.record_work(&prepared.row.id, event) {
            warn!(run = %prepared.row.id, %failure, "a failed landing could not be recorded");
        }
    }
}

/// A branch that changed under the merge means that its run is at work again.
fn moved_meanwhile(error: MergeError, row: &RunRow) -> LandError {
    if !matches!(error, MergeError::BranchMoved { .. }) {
        return error.into();
    }
    let why = "its branch was changed while it landed; check the changes, then land it again".to_owned();
    LandError::NotReady { id: row.id.clone(), why }
}
