//! Creates a planned run, step by step.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_adapters::AdapterError;
use agency_model::run::Input;
use agency_model::{ErrorCode, Host, Mode};
use agency_system::fault;
use agency_system::lock::{Lock, is_held};
use agency_system::process::bind_listener;
use agency_workspace::Workspace;
use tracing::{debug, info, warn};

use super::launching::{Launching, RunPaths, launch};
use super::run_files::place_file;
use super::supervisor::{StartMoment, SupervisorStart};
use super::{CreateError, PathUse, Plan};
use crate::agency::Agency;
use crate::agent_files;
use crate::home::{HomeError, RunDirectory};
use crate::host::{StartingSession, Tmux};
use crate::own_program::check_starter;
use crate::record::finish::{Ended, announce_end, write_markers};
use crate::store::{Applied, RunRow, now};
use crate::variant_name::variant_name;
use crate::wire::{Report, send_orders};

/// How often an interrupt by the user and the death of the supervisor are checked for.
pub(super) const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(100);

impl Agency {
    /// Creates the planned run and starts its agent. On failure everything made is taken back, and the reason is in the row.
    pub fn create(&mut self, plan: &Plan, interrupted: &AtomicBool) -> Result<RunRow, CreateError> {
        self.create_supervised(plan, interrupted, SupervisorStart::Program)
    }

    /// The same with a choice of what supervises.
    pub(crate) fn create_supervised(
        &mut self,
        plan: &Plan,
        interrupted: &AtomicBool,
        supervisor: SupervisorStart<'_>,
    ) -> Result<RunRow, CreateError> {
        if matches!(supervisor, SupervisorStart::Program) {
            check_starter(&self.executable)?;
        }
        wait_until(plan.origin.resume().and_then(|resume| resume.not_before), interrupted)?;
        if !plan.may_wait {
            self.check_slot()?;
        }
        self.home.ensure()?;
        let conversation = plan.origin.resume().map(|resume| self.claim_conversation(&resume.parent)).transpose()?;
        let started_by = self.starter()?;
        let directory = self.home.run(&plan.id);
        directory.create()?;
        let creator = Lock::take(&directory.creator_lock(), Duration::ZERO)?;
        if creator.is_none() || self.store.knows(&plan.id)? {
            return Err(CreateError::PlanUsed(plan.id.clone()));
        }
        fault::point("run.locked");
        let named = self.insert_planned(plan, started_by).inspect_err(|_| {
            // What never became a run leaves nothing; what cannot be deleted now is swept by reconciliation.
            let _ = std::fs::remove_dir_all(directory.path());
        })?;
        let plan = &named;
        drop(conversation);
        info!(run = %plan.id, agent = plan.spec.runner.kind, host = %plan.spec.host, mode = %plan.spec.mode, "run created");
        fault::point("run.inserted");
        let mut creation = Creation {
            agency: self,
            plan,
            supervisor,
            directory,
            workspace: plan.workspace(&self.home),
            interrupted,
            workspace_made: false,
            starting_session: None,
            session_started: false,
            agent_may_live: false,
        };
        match creation.execute() {
            Ok(()) => Ok(self.store.run(&plan.id)?),
            Err(error) => {
                warn!(run = %plan.id, code = error.code().as_str(), "run not started");
                creation.take_back();
                // A Ctrl-C reaches git too, which then fails with an error of its own.
                let error = if interrupted.load(Ordering::Relaxed) { CreateError::Interrupted } else { error };
                self.record_failure(plan, &error);
                Err(error)
            }
        }
    }

    fn check_slot(&self) -> Result<(), CreateError> {
        let live = self.store.live_count(|id| is_held(&self.home.run(id).supervisor_lock()).unwrap_or(true))?;
        if live >= self.config.max_agents {
            return Err(CreateError::MaxAgents { live, most: self.config.max_agents });
        }
        Ok(())
    }

    pub(super) fn new_row(&self, plan: &Plan) -> RunRow {
        let directory = self.home.run(&plan.id);
        RunRow {
            name: Some(plan.name.as_str().to_owned()),
            repo_fingerprint: plan.repository.fingerprint(),
            base_commit: plan.base.as_str().to_owned(),
            new_branch: plan.branch(),
            worktree_path: plan.worktree(&self.home).map(|path| path.display().to_string()),
            stdout_log_path: directory.stdout_log().display().to_string(),
            stderr_log_path: directory.stderr_log().display().to_string(),
            tmux_socket: plan.tmux_socket(&self.config).filter(|_| plan.spec.host == Host::Tmux),
            parent_id: plan.origin.resume().map(|resume| resume.parent.id.clone()),
            agent_version: plan.agent_version.clone(),
            agent_session: plan.session.clone(),
            kind: plan.kind,
            vcs: plan.vcs,
            workflow_session: plan.workflow_session.clone(),
            race_id: plan.race.clone(),
            ..RunRow::queued(plan.id.clone(), now(), &plan.spec)
        }
    }

    /// Records in the row why a run did not start. If that fails, reconciliation records that it disappeared.
    fn record_failure(&mut self, plan: &Plan, error: &CreateError) {
        let details = error.to_string();
        let input = Input::CouldNotStart(error.code());
        let applied = self.store.apply(&plan.id, &input, Some(&details));
        let Ok(Applied::Moved { from, row, .. }) = applied else { return };
        let directory = self.home.run(&plan.id);
        // The row is written; the rest is for readers of the files.
        let _ = write_markers(&directory, &Ended::from_row(&row));
        announce_end(&self.home, &mut self.store, from, &row);
    }
}

/// A run that is being created.
pub(super) struct Creation<'a> {
    pub(super) agency: &'a Agency,
    pub(super) plan: &'a Plan,
    pub(super) supervisor: SupervisorStart<'a>,
    pub(super) directory: RunDirectory,
    pub(super) workspace: Box<dyn Workspace>,
    interrupted: &'a AtomicBool,
    workspace_made: bool,
    /// The session while tmux starts it.
    pub(super) starting_session: Option<StartingSession>,
    pub(super) session_started: bool,
    /// From the orders on, until the supervisor reports something else.
    agent_may_live: bool,
}

impl Creation<'_> {
    fn execute(&mut self) -> Result<(), CreateError> {
        let launch_socket = self.directory.launch_socket();
        let listener =
            bind_listener(&launch_socket).map_err(|source| HomeError::new("listen at", launch_socket, source))?;
        let started = Instant::now();
        let supervisor = self.start_supervisor_at(StartMoment::WithoutFiles)?;
        self.write_files()?;
        fault::point("run.files");
        let supervisor = self.start_supervisor_at(StartMoment::WithFiles)?.or(supervisor);
        self.prepare_workspace()?;
        self.grant_trust()?;
        self.check_interrupt()?;
        let prompt_file = self.place_prompt()?;
        fault::point("run.prompt");
        let supervisor = self.start_supervisor_at(StartMoment::WithWorkspace)?.or(supervisor);
        self.finish_session()?;
        fault::point("run.hosted");
        let mut supervisor = self.wait_for_supervisor(&listener, supervisor)?;
        debug!(ms = started.elapsed().as_millis(), "supervisor connected");
        let directory = self.agent_directory()?;
        let commit_roots = self.sandbox_roots();
        let ports = self.claim_ports()?;
        let found = RunPaths {
            directory: &directory,
            prompt_file: &prompt_file,
            run: &self.directory,
            commit_roots: &commit_roots,
            ports: &ports,
        };
        let Launching { mut orders, environment, files } =
            launch(self.plan, &self.agency.config, &found).map_err(|error| refused(&error))?;
        files.iter().try_for_each(place_file)?;
        let broken = |error: io::Error| CreateError::Host(format!("it did not take its orders: {error}"));
        orders.uncommitted = self.note_uncommitted()?;
        orders.worktree = self.note_setup()?;
        self.agent_may_live = true;
        send_orders(&mut supervisor, &orders, &environment).map_err(broken)?;
        fault::point("run.ordered");
        let report = self.wait_for_report(&mut supervisor)?;
        debug!(report = %variant_name(&report), ms = started.elapsed().as_millis(), "supervisor reported");
        fault::point("run.reported");
        // It is not used any more.
        let _ = std::fs::remove_file(self.directory.launch_socket());
        self.agent_may_live = matches!(report, Report::Running | Report::Queued);
        match report {
            Report::Running | Report::Queued => Ok(()),
            Report::Failed { code, message } => Err(CreateError::Start { code, message }),
            Report::Stopped => Err(CreateError::Stopped),
        }
    }

    fn prepare_workspace(&mut self) -> Result<(), CreateError> {
        let started = Instant::now();
        self.workspace.prepare()?;
        debug!(path = %self.workspace.directory().display(), ms = started.elapsed().as_millis(), "workspace made");
        self.workspace_made = true;
        fault::point("run.workspace");
        Ok(())
    }

    /// Marks the worktree as trusted, where the agent keeps that in a file of the user's.
    fn grant_trust(&self) -> Result<(), CreateError> {
        if self.plan.spec.mode == Mode::Interactive && self.plan.trusts_worktree(&self.agency.config) {
            // The trust is the worktree's, and goes with it.
            let maker = self.plan.origin.host_of_worktree().map_or(self.plan.id.clone(), RunRow::worktree_owner);
            let run = self.agency.home.run(&maker);
            agent_files::grant_trust(
                self.plan.agent.adapter,
                &run,
                self.workspace.directory(),
                &self.plan.environment,
            )?;
        }
        Ok(())
    }

    /// What the agent's sandbox lets it write to: what a commit needs, and what the user's own settings name, because an
    /// argument replaces those. None for an agent without a sandbox.
    fn sandbox_roots(&self) -> Vec<PathBuf> {
        let Some(own) = agent_files::sandbox_roots(self.plan.agent.adapter, &self.plan.environment) else {
            return vec![];
        };
        // Without them the agent works, and cannot commit.
        match self.workspace.commit_roots() {
            Ok(roots) if !roots.is_empty() => own.into_iter().chain(roots).collect(),
            Ok(_) | Err(_) => vec![],
        }
    }

    /// Where the agent starts: in its workspace, and nowhere else.
    fn agent_directory(&self) -> Result<PathBuf, CreateError> {
        let workspace = self.workspace.directory();
        let Some(below) = &self.plan.directory else { return Ok(workspace.to_owned()) };
        let refused = |why: String| CreateError::Path {
            what: PathUse::Directory,
            path: below.clone(),
            why,
            code: ErrorCode::InvalidPath,
        };
        let top = workspace.canonicalize().map_err(|error| refused(error.to_string()))?;
        let found = workspace.join(below).canonicalize().map_err(|error| refused(error.to_string()))?;
        match (found.starts_with(&top), found.is_dir()) {
            (true, true) => Ok(found),
            (false, _) => Err(refused("it lies outside the workspace".to_owned())),
            (true, false) => Err(refused("it is not a directory".to_owned())),
        }
    }

    pub(super) fn check_interrupt(&self) -> Result<(), CreateError> {
        if self.interrupted.load(Ordering::Relaxed) { Err(CreateError::Interrupted) } else { Ok(()) }
    }

    /// Undoes what was made. What cannot be undone now stays with the failed row, and `agency rm` removes it.
    fn take_back(&mut self) {
        let _ = std::fs::remove_file(self.directory.launch_socket());
        // A session that tmux is about to start could not be ended.
        let _ = self.finish_session();
        if self.agent_may_live {
            // The supervisor died, or did not report in time: the agent may have begun to work, and its work
            // is nowhere else.
            return;
        }
        if self.session_started {
            let _ = Tmux::new(self.plan.tmux_socket(&self.agency.config)).kill_session(&self.plan.id.tmux_session());
        }
        // What stays is taken back by `agency rm`.
        let _ = agent_files::revoke_trust(&self.directory);
        // A workspace that could not be made has taken itself back, and its branch may be another run's by now.
        if self.workspace_made {
            let _ = self.workspace.undo();
        }
    }
}

/// Waits for the moment at which a run may start.
fn wait_until(moment: Option<jiff::Timestamp>, interrupted: &AtomicBool) -> Result<(), CreateError> {
    while moment.is_some_and(|moment| moment > jiff::Timestamp::now()) {
        if interrupted.load(Ordering::Relaxed) {
            return Err(CreateError::Interrupted);
        }
        std::thread::sleep(INTERRUPT_POLL_INTERVAL);
    }
    Ok(())
}

/// What was planned cannot be started after all: the configuration changed meanwhile.
fn refused(error: &AdapterError) -> CreateError {
    CreateError::Runner { message: error.to_string(), hint: "agency adapters shows what each agent can do".to_owned() }
}
