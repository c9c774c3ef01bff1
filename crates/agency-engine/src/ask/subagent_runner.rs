//! [`SubagentRunner`]: asks a question, waits for the answer, and leaves nothing behind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::run::{Reason, State};
use agency_model::{Event, RunId, Usage};
use agency_system::lock::Lock;
use agency_system::process::end_run;
use agency_system::uuid::random_uuid;
use agency_workspace::{Scratch, Workspace};
use ulid::Ulid;

use super::answer::{answer_in, end_of};
use super::command::{Purpose, Reader, Subject};
use super::{AskError, PromptTemplate, TEMPLATE_FILE};
use crate::agency::Agency;
use crate::config::{AgentConfig, Config, environment_of_process};
use crate::deadline::capped;
use crate::home::HomeError;
use crate::runs::create::{AskPlan, CreateError, Plan, SearchPath};
use crate::runs::scratch::{scratch_place, scratch_places, sweep_scratch};
use crate::sources::{ResolvedSource, Sources};
use crate::store::RunRow;
use crate::watch::{DirectoryWatch, EventReader, Tail};

/// How often a cancellation is checked for.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// No agent takes a longer question.
const MAX_QUESTION_BYTES: usize = 8 * 1024 * 1024;
/// How much of an agent's standard error is reported.
const MAX_STDERR_BYTES: u64 = 16 * 1024;
/// The time that a supervisor has, after the end of its run is in the row, to write the files and end.
const SUPERVISOR_LEAVES: Duration = Duration::from_secs(5);

/// Runs agents that answer questions about sources. A clone has a database connection of its own, and can be used in
/// another thread.
#[derive(Debug, Clone)]
pub struct SubagentRunner {
    pub(super) agency: Agency,
    pub(super) sources: Sources,
}

/// A question.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AskRequest {
    /// The names of the sources.
    pub sources: Vec<String>,
    /// The names of groups of sources.
    pub groups: Vec<String>,
    /// What is asked.
    pub question: String,
    /// The agent; the default one if absent.
    pub runner: Option<String>,
    /// How long the answer may take; as long as the configuration allows if absent.
    pub limit: Option<Duration>,
    /// The working directory of the user.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
}

impl AskRequest {
    /// A question to the default agent, with the environment of this process. It needs at least one
    /// [source](Self::source) or [group](Self::group).
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            current_directory: PathBuf::from("/"),
            environment: environment_of_process(),
            ..Self::default()
        }
    }

    /// About a source, too.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.sources.push(name.into());
        self
    }

    /// About the sources of a group, too.
    #[must_use]
    pub fn group(mut self, name: impl Into<String>) -> Self {
        self.groups.push(name.into());
        self
    }

    /// The agent.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.runner = Some(name.into());
        self
    }

    /// How long the answer may take.
    #[must_use]
    pub const fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The environment of the agent, in place of that of this process.
    #[must_use]
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.environment = environment;
        self
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Answer {
    /// The final answer of the agent, or all that it printed.
    pub answer: String,
    /// The names of the sources it had.
    pub sources: Vec<String>,
    /// What the model consumed.
    pub usage: Usage,
    /// How long it took.
    pub duration: Duration,
    /// The run that gave it.
    pub run: RunId,
}

impl Answer {
    /// An answer of a run, without sources, usage and duration: for tests of code that gets one.
    pub fn new(run: RunId, answer: impl Into<String>) -> Self {
        let (sources, usage, duration) = (vec![], Usage::default(), Duration::ZERO);
        Self { answer: answer.into(), sources, usage, duration, run }
    }
}

impl SubagentRunner {
    /// A runner for the agents that the agency's configuration names, and these sources.
    #[must_use]
    pub const fn new(agency: Agency, sources: Sources) -> Self {
        Self { agency, sources }
    }

    /// The configuration that names the agents.
    #[must_use]
    pub const fn config(&self) -> &Config {
        self.agency.config()
    }

    /// The sources that can be asked about.
    #[must_use]
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Asks a question and waits for the answer. `hear` receives the agent's events until then; once `cancelled` is set,
    /// the agent is stopped. Whatever happens, the scratch directory is gone afterwards.
    pub fn ask(
        &mut self,
        request: &AskRequest,
        hear: &mut dyn FnMut(&Event),
        cancelled: &AtomicBool,
    ) -> Result<Answer, AskError> {
        let started = Instant::now();
        self.refuse_recursion(&request.environment)?;
        self.sweep();
        check_question(&request.question)?;
        let sources = self.resolve(&request.sources, &request.groups)?;
        let template = PromptTemplate::load(&self.template_file())?;
        let plan = match self.plan(request, &sources, &template) {
            // Ctrl-C also reaches the programs that list MCP servers.
            Err(_) if cancelled.load(Ordering::Relaxed) => return Err(AskError::Interrupted),
            plan => plan?,
        };
        let ended = self.run(&plan, request.limit, hear, cancelled);
        self.clear(&plan);
        let row = ended?;
        Ok(Answer {
            answer: self.answer_of(&plan, &row)?,
            sources: sources.into_iter().map(|source| source.name).collect(),
            usage: row.usage,
            duration: started.elapsed(),
            run: row.id,
        })
    }

    /// Where the template is: beside the configuration file.
    #[must_use]
    pub fn template_file(&self) -> PathBuf {
        self.sources.file().with_file_name(TEMPLATE_FILE)
    }

    /// An agent that answers an ask may not ask another.
    pub(super) fn refuse_recursion(&self, environment: &BTreeMap<OsString, OsString>) -> Result<(), AskError> {
        self.agency.refuse_within_ask(environment).map_err(|_| AskError::Recursion)
    }

    /// Deletes the scratch directories that nothing needs any more.
    pub(super) fn sweep(&self) {
        for root in scratch_places(&self.agency.home) {
            sweep_scratch(&root);
        }
    }

    /// A directory for these sources that is not made yet.
    pub(super) fn scratch(&self, sources: &[ResolvedSource], owner: &Path) -> Result<Scratch, HomeError> {
        let scratch = Scratch::below(&scratch_place(&self.agency.home)?, &random_uuid(), owner);
        Ok(sources.iter().fold(scratch, |scratch, source| scratch.link(&source.name, &source.path)))
    }

    pub(super) fn resolve(&self, names: &[String], groups: &[String]) -> Result<Vec<ResolvedSource>, AskError> {
        let sources = self.sources.resolve(names, groups)?;
        if sources.is_empty() { Err(AskError::NoSources) } else { Ok(sources) }
    }

    /// The agent that is wanted, or the default one.
    pub(super) fn agent(&self, wanted: Option<&str>) -> Result<(String, AgentConfig), CreateError> {
        let wanted = wanted.unwrap_or(&self.config().default_agent);
        let found = self.config().agent(wanted).map(|(name, agent)| (name.to_owned(), agent.clone()));
        found.ok_or_else(|| CreateError::Runner {
            message: format!("no agent is named '{wanted}'"),
            hint: "agency adapters lists all of them".to_owned(),
        })
    }

    fn plan(
        &self,
        request: &AskRequest,
        sources: &[ResolvedSource],
        template: &PromptTemplate,
    ) -> Result<Plan, AskError> {
        let (runner, agent) = self.agent(request.runner.as_deref())?;
        let id = RunId::from_ulid(Ulid::generate());
        let scratch = self.scratch(sources, self.agency.home.run(&id).path())?;
        let search_path =
            SearchPath { current_directory: &request.current_directory, environment: &request.environment };
        let reader = Reader::new(
            &runner,
            &agent,
            &Subject { scratch: &scratch, purpose: Purpose::Ask, search_path: &search_path },
        )?;
        let prompt = template.render_for(&request.question, sources, reader.sources_below);
        let scratch = scratch.with(reader.entries.clone()).prompt(prompt.clone());
        Ok(self.agency.plan_ask(AskPlan {
            id,
            runner,
            agent: reader.agent(&agent),
            question: request.question.clone(),
            words: reader.on_stdin.then_some(prompt),
            program: reader.program,
            scratch,
            environment: request.environment.clone(),
        })?)
    }

    fn run(
        &mut self,
        plan: &Plan,
        limit: Option<Duration>,
        hear: &mut dyn FnMut(&Event),
        cancelled: &AtomicBool,
    ) -> Result<RunRow, AskError> {
        let deadline = limit.map(|limit| Instant::now() + capped(limit));
        let row = match self.agency.create(plan, cancelled) {
            Err(CreateError::Interrupted) => return Err(AskError::Interrupted),
            created => created?,
        };
        for message in &plan.notices {
            hear(&Event::Notice { message: message.clone() });
        }
        let directory = self.agency.home.run(&row.id);
        let unreadable = |source| AskError::Home(HomeError::new("read", directory.events(), source));
        let watch = DirectoryWatch::begin(&[directory.path()])?;
        let mut cursor = Tail::at(&directory.events(), 0).map_err(unreadable)?;
        let mut reader = EventReader::default();
        loop {
            // The state is read first: what was written before the end is read after it.
            let row = self.agency.store.run(&row.id)?;
            let over = row.state.is_terminal() || self.agency.settle(&row)?.is_some();
            cursor
                .read(|piece| {
                    reader.feed(piece).iter().for_each(|read| hear(&read.event.event));
                    Ok(())
                })
                .map_err(unreadable)?;
            if over {
                return Ok(self.agency.store.run(&row.id)?);
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || cancelled.load(Ordering::Relaxed) {
                // It may have ended by itself this very moment; then it needs no stopping.
                if let Err(error) = self.agency.stop(&row)
                    && !self.agency.store.run(&row.id)?.state.is_terminal()
                {
                    return Err(error.into());
                }
                let seconds = limit.unwrap_or_default().as_secs();
                return Err(if late { AskError::Timeout { run: row.id, seconds } } else { AskError::Interrupted });
            }
            watch.wait(INTERRUPT_POLL_INTERVAL);
        }
    }

    /// What is left goes, and the row says so.
    fn clear(&mut self, plan: &Plan) {
        let row = self.agency.store.run(&plan.id);
        if row.is_ok_and(|row| row.reason == Some(Reason::Disappeared)) {
            // No other process ends what a killed supervisor left. What stays is listed by `agency agent orphans`.
            end_run(&plan.id, self.config().stop_grace);
        }
        // What cannot be deleted now is swept later.
        let gone = plan.origin.scratch().is_some_and(|scratch| scratch.undo().is_ok());
        if gone && self.agency.store.run(&plan.id).is_ok_and(|row| row.state.is_terminal()) {
            self.mark_removed(&plan.id);
        }
    }

    /// What cannot be noted now is noted by reconciliation.
    fn mark_removed(&mut self, id: &RunId) {
        let directory = self.agency.home.run(id);
        // The supervisor writes the snapshot of the end after the row, and would replace this one.
        let _owner = Lock::take(&directory.supervisor_lock(), SUPERVISOR_LEAVES);
        if let Ok(row) = self.agency.store.mark_removed(id, None) {
            let _ = directory.write_json("meta.json", &row);
        }
    }

    fn answer_of(&self, plan: &Plan, row: &RunRow) -> Result<String, AskError> {
        let directory = self.agency.home.run(&row.id);
        match row.state {
            State::Completed => {}
            State::Killed => return Err(AskError::Stopped(row.id.clone())),
            State::Failed | State::Queued | State::Running => {
                let error = row.error.clone().unwrap_or_else(|| "the agent failed".to_owned());
                let code = row.error_code().map(|code| format!("{code}: ")).unwrap_or_default();
                return Err(AskError::Failed {
                    run: row.id.clone(),
                    message: error.strip_prefix(code.as_str()).unwrap_or(&error).to_owned(),
                    stderr: end_of(&directory.stderr_log(), MAX_STDERR_BYTES).unwrap_or_default().trim().to_owned(),
                });
            }
        }
        let stream = plan.agent.form(plan.spec.mode, plan.spec.one_shot).stream;
        let log = directory.stdout_log();
        answer_in(&log, stream).map_err(|source| HomeError::new("read", log, source).into())
    }
}

fn check_question(question: &str) -> Result<(), AskError> {
    if question.trim().is_empty() {
        return Err(AskError::Question("it is empty"));
    }
    if question.contains('\0') {
        return Err(AskError::Question("it contains a NUL character, and a question is plain text"));
    }
    if question.len() > MAX_QUESTION_BYTES {
        return Err(AskError::Question("it is longer than 8 MB; put the text into a source, and ask about that"));
    }
    Ok(())
}
