//! What users do with a session: cancel it, complete a task, approve or reject.

use std::time::{Duration, Instant};

use agency_model::workflow::{SessionState, Work};
use agency_model::{Answer, Mode, SessionId, nearest};

use super::engine::{DriverContext, DriverOrder};
use super::state::StepNode;
use super::{CallerEnv, Orchestrator, OrchestratorError, WorkflowSession};
use crate::store::{QuestionRow, QuestionState, Request, RunRow};
use crate::watch::DirectoryWatch;
use crate::wire::wake_supervisor;

/// How much longer than its agents a driver gets to end.
const DRIVER_EXTRA_GRACE: Duration = Duration::from_secs(20);
/// How long a driver may take to process a command.
const DRIVER_TIMEOUT: Duration = Duration::from_secs(60);

impl Orchestrator {
    /// Ends a session: its agents and commands are stopped, its worktree stays.
    pub fn cancel(&mut self, id: &SessionId, caller_env: CallerEnv) -> Result<WorkflowSession, OrchestratorError> {
        let state = self.show(id)?.state();
        if matches!(state, SessionState::Completed | SessionState::Cancelled) {
            let why = "only an unfinished session can be cancelled";
            return Err(OrchestratorError::WrongState { id: id.clone(), state, why });
        }
        if let Some(driver) = self.driver(id)? {
            self.stop_driver(&driver)?;
        }
        let session = self.show(id)?;
        if session.state() == SessionState::Cancelled {
            return Ok(session);
        }
        // The driver died, or there was none.
        let place = DriverContext {
            home: self.agency.home.clone(),
            config: self.agency.config.clone(),
            executable: self.agency.executable.clone(),
            environment: caller_env.environment,
        };
        super::engine::cancel(&place, id)?;
        self.show(id)
    }

    /// Gives a driver time to stop what it started.
    fn stop_driver(&mut self, driver: &RunRow) -> Result<(), OrchestratorError> {
        let limit = self.agency.config.stop_grace + DRIVER_EXTRA_GRACE;
        self.agency.store.request(&driver.id, &Request::Stop { grace: Some(limit) })?;
        wake_supervisor(&self.agency.home.run(&driver.id));
        let row = self.agency.wait(&driver.id, Some(limit), agency_model::run::State::is_terminal)?;
        if !row.state.is_terminal() {
            self.agency.stop(&row)?;
        }
        Ok(())
    }

    /// Completes an interactive task: its run is stopped, and the workflow continues.
    pub fn complete_task(&mut self, id: &SessionId, task: &str) -> Result<WorkflowSession, OrchestratorError> {
        let session = self.show(id)?;
        let steps = session.steps();
        let all = flattened(&steps);
        let found = |node: &&&StepNode| node.name == task || node.path.as_str() == task;
        // A task before the stage of its name.
        let node = all.iter().filter(found).max_by_key(|node| node.children.is_empty());
        let Some(node) = node else {
            let near = nearest(task, all.iter().map(|node| node.name.as_str())).map(str::to_owned);
            return Err(OrchestratorError::NoSuchStep { name: task.to_owned(), nearest: near });
        };
        let running = session.flow.running();
        let Some(leaf) = running.iter().find(|leaf| leaf.path == node.path) else {
            return Err(OrchestratorError::NotActive { name: node.name.clone(), state: node.state });
        };
        let interactive = session.flow.step(&leaf.path).is_some_and(|step| match &step.work {
            Work::Agent(agent) => agent.mode == Mode::Interactive,
            Work::Script(_) | Work::Loop(_) | Work::Parallel(_) | Work::Merge(_) | Work::Approval(_) => false,
        });
        if !interactive {
            return Err(OrchestratorError::NotInteractive { name: node.name.clone() });
        }
        let driver = self.driver(id)?.ok_or_else(|| OrchestratorError::NotDriven { id: id.clone() })?;
        self.order(&driver, &DriverOrder::CompleteTask { step: leaf.path.to_string() })?;
        let (path, attempt) = (leaf.path.clone(), leaf.attempt);
        self.wait_until(id, |session| {
            !session.flow.running().iter().any(|leaf| leaf.path == path && leaf.attempt == attempt)
        })
    }

    /// Agrees to what the session asks for.
    pub fn approve(
        &mut self,
        id: &SessionId,
        message: Option<&str>,
        by: &str,
    ) -> Result<WorkflowSession, OrchestratorError> {
        self.agency.check_answering()?;
        let question = self.the_question(id)?;
        if !question.question.options.is_empty() {
            let options = question.question.options.iter().map(|option| option.id.clone()).collect();
            return Err(OrchestratorError::ChoiceAsked { id: id.clone(), question: question.id.to_string(), options });
        }
        self.agency.answer(&question, &Answer::Allow { message: message.map(str::to_owned) }, by)?;
        self.wait_for_answer(id, &question)
    }

    /// Does not agree.
    pub fn reject(
        &mut self,
        id: &SessionId,
        message: Option<&str>,
        by: &str,
    ) -> Result<WorkflowSession, OrchestratorError> {
        let question = self.the_question(id)?;
        let message = Some(message.unwrap_or_default().to_owned());
        self.agency.answer(&question, &Answer::Deny { message }, by)?;
        self.wait_for_answer(id, &question)
    }

    /// The one question that the driver of a session asks.
    fn the_question(&mut self, id: &SessionId) -> Result<QuestionRow, OrchestratorError> {
        let session = self.show(id)?;
        let driver = self.driver(id)?;
        let driver = driver.ok_or_else(|| match session.state() {
            SessionState::Waiting | SessionState::PendingMerge | SessionState::Running => {
                OrchestratorError::NotDriven { id: id.clone() }
            }
            SessionState::Blocked | SessionState::Completed | SessionState::Failed | SessionState::Cancelled => {
                OrchestratorError::NothingAsked { id: id.clone() }
            }
        })?;
        let mut open = self.open_questions(&driver)?;
        if open.is_empty() && session.flow.running().iter().any(|leaf| leaf.waits) {
            // The question is being examined.
            self.wait_until_asked(id, &driver)?;
            open = self.open_questions(&driver)?;
        }
        match (open.len(), open.pop()) {
            (1, Some(question)) => Ok(question),
            (_, None) => Err(OrchestratorError::NothingAsked { id: id.clone() }),
            (_, Some(last)) => {
                let questions = open.iter().chain([&last]).map(|question| question.id.to_string()).collect();
                Err(OrchestratorError::SeveralAsked { id: id.clone(), questions })
            }
        }
    }

    fn open_questions(&self, driver: &RunRow) -> Result<Vec<QuestionRow>, OrchestratorError> {
        let mut open = self.agency.questions_of(&driver.id)?;
        open.retain(|question| question.state == QuestionState::Open);
        Ok(open)
    }

    fn wait_until_asked(&mut self, id: &SessionId, driver: &RunRow) -> Result<(), OrchestratorError> {
        let watch = DirectoryWatch::begin(&[self.agency.home.run(&driver.id).path()])?;
        let deadline = Instant::now() + DRIVER_TIMEOUT;
        while self.open_questions(driver)?.is_empty()
            && self.show(id)?.flow.running().iter().any(|leaf| leaf.waits)
            && self.driver(id)?.is_some_and(|found| found.id == driver.id)
            && Instant::now() < deadline
        {
            watch.wait(deadline.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }

    fn wait_for_answer(
        &mut self,
        id: &SessionId,
        question: &QuestionRow,
    ) -> Result<WorkflowSession, OrchestratorError> {
        let key = question.question.key.request.clone();
        self.wait_until(id, |session| {
            !session.flow.running().iter().any(|leaf| leaf.waits && super::engine::key_of_question(leaf) == key)
        })
    }

    fn order(&mut self, driver: &RunRow, order: &DriverOrder) -> Result<(), OrchestratorError> {
        let text = serde_json::to_string(order).unwrap_or_default();
        self.agency.send(driver, &text)?;
        Ok(())
    }

    /// Waits until the driver has dealt with something. Returns the session as it is then, whatever the outcome.
    fn wait_until(
        &mut self,
        id: &SessionId,
        enough: impl Fn(&WorkflowSession) -> bool,
    ) -> Result<WorkflowSession, OrchestratorError> {
        let watch = DirectoryWatch::begin(&[self.sessions.directory(id).path()])?;
        let deadline = Instant::now() + DRIVER_TIMEOUT;
        loop {
            let session = self.show(id)?;
            if enough(&session) || session.state().is_settled() || Instant::now() >= deadline {
                return Ok(session);
            }
            watch.wait(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// Every step, those inside others too.
pub(super) fn flattened(steps: &[StepNode]) -> Vec<&StepNode> {
    steps.iter().flat_map(|step| std::iter::once(step).chain(flattened(&step.children))).collect()
}
