//! Makes a planned run real, step by step.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_adapters::{AdapterError, FileContent, LaunchFile};
use agency_model::run::{Input, State};
use agency_model::{ErrorCode, Event, Host, Mode, RunKind, WorkspaceKind};
use agency_system::fault;
use agency_system::lock::{Lock, is_held};
use agency_system::process::{LOG_VARIABLE, bind_listener, close_on_exec};
use agency_workspace::{UncommittedCheck, Workspace, write_prompt};
use tracing::{debug, info, warn};

use super::launching::{Launching, RunPaths, launch};
use super::supervisor::{StartedSupervisor, SupervisorStart};
use super::{CreateError, PROMPT_IN_WORKTREE, PathUse, Plan, PlannedPrompt};
use crate::agency::Agency;
use crate::agent_files;
use crate::home::{HomeError, RunDirectory, create_private_directory, open_for_append, write_atomically};
use crate::host::{SupervisorCommand, Tmux, start_detached};
use crate::own_program::check_starter;
use crate::record::event_log::EventLog;
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
            session_started: false,
            agent_may_live: false,
        };
        match creation.execute() {
            Ok(()) => Ok(self.store.run(&plan.id)?),
            Err(error) => {
                warn!(run = %plan.id, code = error.code().as_str(), "run not started");
                creation.take_back();
                // A Ctrl-C reaches git too, which then fails in its own words.
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

pub(super) struct Creation<'a> {
    pub(super) agency: &'a Agency,
    pub(super) plan: &'a Plan,
    supervisor: SupervisorStart<'a>,
    pub(super) directory: RunDirectory,
    workspace: Box<dyn Workspace>,
    interrupted: &'a AtomicBool,
    workspace_made: bool,
    pub(super) session_started: bool,
    /// From the orders on, until the supervisor reports something else.
    agent_may_live: bool,
}

impl Creation<'_> {
    fn execute(&mut self) -> Result<(), CreateError> {
        self.write_files()?;
        fault::point("run.files");
        let started = Instant::now();
        self.workspace.prepare()?;
        debug!(path = %self.workspace.directory().display(), ms = started.elapsed().as_millis(), "workspace made");
        self.workspace_made = true;
        fault::point("run.workspace");
        self.grant_trust()?;
        self.check_interrupt()?;
        let prompt_file = self.place_prompt()?;
        fault::point("run.prompt");
        let listener = bind_listener(&self.directory.launch_socket())
            .map_err(|source| HomeError::new("listen at", self.directory.launch_socket(), source))?;
        let started = Instant::now();
        let mut started_supervisor = self.start_supervisor()?;
        fault::point("run.hosted");
        let mut supervisor = self.wait_for_supervisor(&listener, &mut started_supervisor)?;
        debug!(ms = started.elapsed().as_millis(), "supervisor connected");
        let directory = self.agent_directory()?;
        let commit_roots = self.sandbox_roots();
        let found = RunPaths {
            directory: &directory,
            prompt_file: &prompt_file,
            run: &self.directory,
            commit_roots: &commit_roots,
        };
        let Launching { mut orders, environment, files } =
            launch(self.plan, &self.agency.config, &found).map_err(|error| refused(&error))?;
        files.iter().try_for_each(place_file)?;
        let broken = |error: io::Error| CreateError::Host(format!("it did not take its orders: {error}"));
        orders.uncommitted = self.note_uncommitted()?;
        self.agent_may_live = true;
        send_orders(&mut supervisor, &orders, &environment).map_err(broken)?;
        fault::point("run.ordered");
        let report = self.wait_for_report(&mut supervisor)?;
        debug!(report = %variant_name(&report), ms = started.elapsed().as_millis(), "supervisor reported");
        fault::point("run.reported");
        // Its work is done; a dead socket file would only puzzle.
        let _ = std::fs::remove_file(self.directory.launch_socket());
        self.agent_may_live = matches!(report, Report::Running | Report::Queued);
        match report {
            Report::Running | Report::Queued => Ok(()),
            Report::Failed { code, message } => Err(CreateError::Start { code, message }),
            Report::Stopped => Err(CreateError::Stopped),
        }
    }

    fn write_files(&self) -> Result<(), CreateError> {
        let row = self.agency.store.run(&self.plan.id)?;
        self.directory.write_json("spec.json", &self.plan.spec)?;
        self.directory.write_json("inputs.json", &self.plan.inputs)?;
        self.directory.write_json("meta.json", &row)?;
        for log in [self.directory.stdout_log(), self.directory.stderr_log(), self.directory.combined_log()] {
            open_for_append(&log)?;
        }
        if let Some(PlannedPrompt::Text(prompt)) = &self.plan.prompt {
            self.directory.write("prompt.md", prompt.as_bytes())?;
        }
        if let Some(scratch) = self.plan.origin.scratch() {
            self.directory.write("prompt.md", scratch.prompt_text().unwrap_or_default().as_bytes())?;
            self.directory.write_json("sources.json", &scratch.links().iter().cloned().collect::<BTreeMap<_, _>>())?;
        }
        if self.plan.kind == RunKind::Workflow {
            let path = self.directory.driver_config();
            let text = self.agency.config.stored().map_err(|error| HomeError::new("write", &path, error.into()))?;
            write_atomically(&path, &text)?;
        }
        if let Some(path) = &row.worktree_path {
            self.directory.write("worktree_path.txt", format!("{path}\n").as_bytes())?;
        }
        if let Some(session) = &row.tmux_session_name {
            self.directory.write("tmux_session.txt", format!("{session}\n").as_bytes())?;
        }
        let mut events = EventLog::open(&self.directory.events())?;
        events.append(0, Event::StateChange { from: None, to: State::Queued });
        for message in &self.plan.notices {
            events.append(0, Event::Notice { message: message.clone() });
        }
        Ok(())
    }

    /// Notes what is known by now about files that are not committed; else says what the supervisor is to look for.
    fn note_uncommitted(&self) -> Result<Option<UncommittedCheck>, CreateError> {
        let warnings = match self.plan.origin.uncommitted().map(|lookup| lookup.take()) {
            None => return Ok(None),
            Some(Err(check)) => return Ok(Some(check)),
            Some(Ok(warnings)) => warnings,
        };
        if !warnings.is_empty() {
            // The supervisor opens it once it has its orders.
            let mut events = EventLog::open(&self.directory.events())?;
            for message in warnings {
                events.append(0, Event::Notice { message: message.clone() });
            }
        }
        Ok(None)
    }

    /// Puts the prompt where an agent that takes a file finds it, and returns where that is.
    fn place_prompt(&self) -> Result<String, CreateError> {
        let given = self.plan.spec.prompt.as_ref().map(|prompt| prompt.path.clone()).unwrap_or_default();
        let Some(prompt) = &self.plan.prompt else { return Ok(given) };
        if self.plan.origin.scratch().is_some() {
            return Ok(given);
        }
        if matches!(self.plan.spec.workspace, WorkspaceKind::None | WorkspaceKind::Shared) {
            return Ok(self.plan.repository.root().join(&given).display().to_string());
        }
        let worktree = self.workspace.directory();
        // A prompt that is not committed, or was changed since, is not in the worktree as the user sees it.
        let same = || std::fs::read(worktree.join(&given)).is_ok_and(|found| found == prompt.text().as_bytes());
        if matches!(prompt, PlannedPrompt::Text(_)) || !same() {
            write_prompt(worktree, prompt.text())?;
            return Ok(PROMPT_IN_WORKTREE.to_owned());
        }
        Ok(given)
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

    fn start_supervisor(&mut self) -> Result<StartedSupervisor, CreateError> {
        let broken = |error: io::Error| CreateError::Host(error.to_string());
        if let SupervisorStart::Thread(start) = self.supervisor {
            return start(&self.agency.home, &self.plan.id).map(StartedSupervisor::Thread).map_err(broken);
        }
        // Whatever our caller left open, a tmux server or supervisor would keep open for days.
        close_on_exec();
        let home = self.agency.home.root().display().to_string();
        let executable = self.agency.executable.display().to_string();
        let wrapper = self.agency.config.wrapper.as_ref();
        let directives = self.plan.environment.get(OsStr::new(LOG_VARIABLE)).and_then(|value| value.to_str());
        let supervisor = SupervisorCommand::new(&executable, wrapper, &home, &self.plan.id).recording(directives);
        match self.plan.spec.host {
            Host::Tmux => {
                let tmux = Tmux::new(self.plan.tmux_socket(&self.agency.config));
                let session = self.plan.id.tmux_session();
                let place = (self.workspace.directory(), self.plan.size);
                tmux.start(&session, self.plan.name.as_str(), place, &supervisor)?;
                self.session_started = true;
                Ok(StartedSupervisor::Tmux)
            }
            Host::Detached => {
                let log = open_for_append(&self.directory.supervisor_log())?;
                start_detached(&supervisor, log).map(StartedSupervisor::Process).map_err(broken)
            }
        }
    }

    pub(super) fn check_interrupt(&self) -> Result<(), CreateError> {
        if self.interrupted.load(Ordering::Relaxed) { Err(CreateError::Interrupted) } else { Ok(()) }
    }

    /// Undoes what was made. What cannot be undone now stays with the failed row, and `agency rm` removes it.
    fn take_back(&self) {
        let _ = std::fs::remove_file(self.directory.launch_socket());
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

/// Puts a file where the agent looks for it.
fn place_file(file: &LaunchFile) -> Result<(), HomeError> {
    create_private_directory(file.path.parent().unwrap_or(&file.path))?;
    match &file.content {
        FileContent::Text(text) => write_atomically(&file.path, text.as_bytes()),
        FileContent::Link(target) => {
            symlink(target, &file.path).map_err(|source| HomeError::new("link", &file.path, source))
        }
    }
}

/// What was planned cannot be started after all: the configuration changed meanwhile.
fn refused(error: &AdapterError) -> CreateError {
    CreateError::Runner { message: error.to_string(), hint: "agency adapters shows what each agent can do".to_owned() }
}
