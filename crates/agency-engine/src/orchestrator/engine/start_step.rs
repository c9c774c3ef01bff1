//! Starts steps, and finds those that an earlier driver started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agency_model::document::Mistake;
use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::template::TemplateValues;
use agency_model::workflow::{
    AgentStep, Command, Fact, PromptParts, Running, ScriptStep, StepPath, StepResult, TemplateText, Work,
    WorkspaceChoice,
};
use agency_model::{RunId, RunKind, VcsChoice, merged_mcp_servers};
use agency_system::process::RUN_ID_VARIABLE;
use agency_workspace::{GitWorktree, Repository, default_target};
use ulid::Ulid;

use super::agent::{AgentAction, AgentTask, exists};
use super::merge::Merging;
use super::script::{ScriptRun, ScriptSource};
use super::{DriveError, DriverEvent, Job, UnderWay, WorkflowExecutor};
use crate::home::{Home, HomeError, create_private_directory, write_atomically};
use crate::runs::create::{RunRequest, SetupChoice, WorkflowMember};
use crate::runs::remove::base_of;
use crate::runs::user_repository::repository_of;
use crate::store::RunRow;

/// Names the session to whatever it starts.
const SESSION_VARIABLE: &str = "AGENCY_SESSION";

/// Why the run of an agent step cannot be described.
#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error(transparent)]
    Template(#[from] Mistake),
    #[error(transparent)]
    Prompt(#[from] HomeError),
}

impl WorkflowExecutor {
    /// Starts a step: first the fact is stored, then the work begins.
    pub(super) fn start(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        let Some(work) = self.flow.step(path).map(|step| step.work.clone()) else { return Ok(()) };
        let run_id = matches!(work, Work::Agent(_)).then(|| RunId::from_ulid(Ulid::generate()));
        self.note(Fact::StepStarted { path: path.clone(), attempt, run_id: run_id.clone() })?;
        match (work, run_id) {
            (Work::Agent(step), Some(run)) => self.start_agent(path, attempt, &step, run),
            (Work::Script(step), _) => self.start_script(path, attempt, &step),
            // What follows is asked for by itself.
            (Work::Agent(_) | Work::Merge(_) | Work::Approval(_) | Work::Loop(_) | Work::Parallel(_), _) => Ok(()),
        }
    }

    /// Continues the steps that an earlier driver started.
    pub(super) fn resume_running(&mut self) -> Result<(), DriveError> {
        for Running { path, attempt, run_id, waits, .. } in self.flow.running() {
            let Some(work) = self.flow.step(&path).map(|step| step.work.clone()) else { continue };
            match (work, run_id) {
                (_, _) if waits => self.ask(&path, attempt)?,
                (Work::Agent(step), Some(run)) if exists(&self.agency, &run)? => {
                    let contract = step.contract();
                    self.watch_agent(&path, attempt, run, contract, AgentAction::Find);
                }
                (Work::Agent(step), Some(run)) => self.start_agent(&path, attempt, &step, run)?,
                (Work::Script(step), _) => self.start_script(&path, attempt, &step)?,
                (Work::Agent(_) | Work::Merge(_) | Work::Approval(_) | Work::Loop(_) | Work::Parallel(_), _) => {}
            }
        }
        Ok(())
    }

    fn start_agent(&mut self, path: &StepPath, attempt: u32, step: &AgentStep, run: RunId) -> Result<(), DriveError> {
        match self.run_request(path, attempt, step, &run) {
            Ok(request) => {
                let contract = step.contract();
                let shared = step.workspace == WorkspaceChoice::Shared;
                let copies = (!shared).then(|| GitWorktree { run: run.clone(), ..self.worktree.clone() });
                let action = AgentAction::Start { request: Box::new(request), copies };
                self.watch_agent(path, attempt, run, contract, action);
                Ok(())
            }
            Err(error) => self.fail(path, attempt, error.to_string()),
        }
    }

    fn watch_agent(
        &mut self,
        path: &StepPath,
        attempt: u32,
        run: RunId,
        contract: agency_model::workflow::Contract,
        action: AgentAction,
    ) {
        let stopped = Arc::new(AtomicBool::new(false));
        let task = AgentTask { run: run.clone(), contract, stopped: Arc::clone(&stopped), action };
        self.under_way.insert((path.clone(), attempt), UnderWay { what: Job::Agent(run, stopped), stopping: false });
        let (place, sender, path) = (self.place.clone(), self.sender.clone(), path.clone());
        std::thread::spawn(move || {
            let arrival = match task.run(&place) {
                Some(result) => DriverEvent::Ended { path, attempt, result: Box::new(result) },
                None => DriverEvent::Lost { path, attempt },
            };
            // Without a receiver, the driver is shutting down.
            let _ = sender.send(arrival);
        });
    }

    /// The run that an agent step starts.
    fn run_request(
        &self,
        path: &StepPath,
        attempt: u32,
        step: &AgentStep,
        run: &RunId,
    ) -> Result<RunRequest, TaskError> {
        let values = self.flow.values(path);
        let spells = self.record.spellbook();
        let parts =
            PromptParts { file: &self.record.plan.file, spells: &spells, system_prompt: &self.record.system_prompt() };
        let prompt = step.prompt(&values, &parts)?;
        let context = TemplateValues::new(&values);
        let mut environment = self.environment();
        for (name, value) in &step.env {
            let value = value.render(&self.record.plan.file, &context, &spells)?;
            environment.insert(name.into(), value.into());
        }
        if let Some(prompt) = &prompt {
            let directory = self.directory.step(path, attempt);
            // The run keeps it too; here it belongs to the history of the session.
            create_private_directory(&directory)?;
            write_atomically(&directory.join("prompt.md"), prompt.as_bytes())?;
        }
        let defaults = &self.record.plan.defaults;
        let adapter = step.adapter.as_ref().or(defaults.adapter.as_ref()).map(|adapter| adapter.value.clone());
        let shared = step.workspace == WorkspaceChoice::Shared;
        let flags = SpecDraft {
            repo: Some(self.record.repo.clone()),
            base_ref: Some(self.maker.base_commit.clone()),
            runner: Some(RunnerDraft { kind: adapter, args: Some(step.extra_args.clone()) }),
            name: Some(step.display_name.clone()),
            mode: Some(step.mode),
            host: defaults.host,
            vcs: Some(VcsChoice::Git),
            mcp_servers: Some(merged_mcp_servers(&self.record.plan.mcp_servers, &step.mcp_servers)),
            ..SpecDraft::default()
        };
        Ok(RunRequest {
            kind: RunKind::Task,
            spec_file: None,
            flags,
            prompt_text: prompt,
            include_changes: false,
            current_directory: PathBuf::from(&self.record.repo),
            environment,
            may_wait: true,
            terminal: None,
            notify: false,
            workflow: Some(WorkflowMember {
                session: self.record.id.clone(),
                id: run.clone(),
                beside: shared.then(|| Box::new(self.maker.clone())),
                directory: step.cwd.as_ref().map(|cwd| PathBuf::from(&cwd.value)),
            }),
            setup: SetupChoice::Project,
        })
    }

    fn start_script(&mut self, path: &StepPath, attempt: u32, step: &ScriptStep) -> Result<(), DriveError> {
        let script = match self.script(path, attempt, step) {
            Ok(script) => script,
            Err(error) => return self.fail(path, attempt, error.to_string()),
        };
        let what = Job::Script(script.directory.clone(), Arc::clone(&script.stopped));
        self.under_way.insert((path.clone(), attempt), UnderWay { what, stopping: false });
        let (sender, path) = (self.sender.clone(), path.clone());
        std::thread::spawn(move || {
            let result = Box::new(script.run());
            // Without a receiver, the driver is shutting down.
            let _ = sender.send(DriverEvent::Ended { path, attempt, result });
        });
        Ok(())
    }

    fn script(&self, path: &StepPath, attempt: u32, step: &ScriptStep) -> Result<ScriptRun, Mistake> {
        let what = match &step.command {
            Command::Shell(line) => ScriptSource::Line(self.render(path, line)?),
            Command::Words(words) => {
                ScriptSource::Program(words.iter().map(|word| self.render(path, word)).collect::<Result<_, _>>()?)
            }
        };
        let mut environment = self.environment();
        for (name, value) in &step.env {
            environment.insert(name.into(), self.render(path, value)?.into());
        }
        // Its processes are the session's, whichever run drives it.
        environment.insert(RUN_ID_VARIABLE.into(), self.maker.id.as_str().into());
        Ok(ScriptRun {
            directory: self.directory.step(path, attempt),
            what,
            environment,
            stopped: Arc::default(),
            workspace: self.worktree.path.clone(),
            workdir: step.workdir.as_ref().map(|place| place.value.clone()),
        })
    }

    /// Merges now, unless that is being done.
    pub(super) fn merge(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        if self.under_way.contains_key(&(path.clone(), attempt)) {
            return Ok(());
        }
        let merging = match self.merging(path, attempt) {
            Ok(merging) => merging,
            Err(result) => return self.end(path, attempt, *result),
        };
        let answer = self.blocked(path, attempt).and_then(|blocked| blocked.answer);
        let what = Job::Merging(Arc::clone(&merging.stopped));
        self.under_way.insert((path.clone(), attempt), UnderWay { what, stopping: false });
        let (sender, path) = (self.sender.clone(), path.clone());
        std::thread::spawn(move || {
            let arrival = match merging.merge(answer) {
                Ok(result) => DriverEvent::Ended { path, attempt, result: Box::new(result) },
                Err(checkouts) => DriverEvent::MergeBlocked { path, attempt, checkouts },
            };
            // Without a receiver this process is about to end.
            let _ = sender.send(arrival);
        });
        Ok(())
    }

    /// The merge that a step asks for.
    pub(super) fn merging(&self, path: &StepPath, attempt: u32) -> Result<Merging, Box<StepResult>> {
        let failure = |error: &dyn std::fmt::Display| Box::new(StepResult::failure(error.to_string()));
        let Some(Work::Merge(step)) = self.flow.step(path).map(|step| step.work.clone()) else {
            return Err(failure(&"it is not a merge"));
        };
        let record = &self.record;
        let into = match &step.into {
            Some(into) => into.value.clone(),
            None => {
                let then = record.checked_out.clone().or_else(|| self.branch_of_retry(attempt));
                default_target(record.repo.as_ref(), &record.base_ref, then.as_deref())
                    .map_err(|error| failure(&error))?
            }
        };
        let message = step.commit_message.as_ref().map(|message| self.render(path, message)).transpose();
        let message = message.map_err(|error| failure(&error))?.or_else(|| default_message(record.task.title()));
        let directory = self.directory.step(path, attempt);
        let save_as = save_name(record.id.as_str(), path, attempt);
        let repository = Repository::from_root(record.repo.clone().into());
        let (worktree, merged) = (self.worktree.clone(), self.directory.merged());
        let (maker, trials) = (self.maker.id.clone(), self.place.home.trials());
        let (environment, stopped) = (self.environment(), Arc::default());
        Ok(Merging {
            worktree,
            repository,
            into,
            message,
            step,
            directory,
            merged,
            save_as,
            maker,
            trials,
            environment,
            stopped,
            agency: self.agency.clone(),
        })
    }

    /// The branch that is checked out now, where none was when the session began and a user retries the step.
    fn branch_of_retry(&self, attempt: u32) -> Option<String> {
        let repository = (attempt > 1).then(|| Repository::from_root(self.record.repo.clone().into()))?;
        repository.branch_to_merge_into().ok().flatten()
    }

    /// Fails a step.
    pub(super) fn fail(&mut self, path: &StepPath, attempt: u32, why: String) -> Result<(), DriveError> {
        self.end(path, attempt, StepResult::failure(why))
    }

    /// Ends a step.
    pub(super) fn end(&mut self, path: &StepPath, attempt: u32, result: StepResult) -> Result<(), DriveError> {
        self.note(Fact::StepEnded { path: path.clone(), attempt, result })?;
        Ok(())
    }

    /// Renders a text of the plan; most have nothing to render.
    pub(super) fn render(&self, path: &StepPath, text: &TemplateText) -> Result<String, Mistake> {
        if !agency_model::template::is_template(&text.value) {
            return Ok(text.value.clone());
        }
        text.render(&self.record.plan.file, &TemplateValues::new(&self.flow.values(path)), &self.record.spellbook())
    }

    /// What everything that the session starts finds in its environment.
    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut environment = self.place.environment.clone();
        environment.insert(SESSION_VARIABLE.into(), self.record.id.as_str().into());
        environment
    }
}

/// The last part of the ref that holds changes which were in the way of a merge.
fn save_name(session: &str, path: &StepPath, attempt: u32) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    let step: String = path.as_str().chars().map(plain).collect();
    format!("checkout-{session}-{step}-{attempt}")
}

fn default_message(title: &str) -> Option<String> {
    (!title.is_empty()).then(|| title.to_owned())
}

/// The worktree that a run made.
pub(super) fn worktree_of(home: &Home, maker: &RunRow) -> Option<GitWorktree> {
    Some(GitWorktree {
        repository: repository_of(home, maker).ok()?,
        run: maker.id.clone(),
        base: base_of(maker).ok()?,
        branch: maker.new_branch.clone()?,
        path: maker.worktree_path.clone()?.into(),
        worktrees_root: home.worktrees(),
        trash: home.trash(),
        looks: Some(home.run(&maker.id).looks()),
    })
}
