//! Problems with workflow sessions.

use agency_engine::orchestrator::{DriveError, OrchestratorError, SessionError};
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for SessionError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            SessionError::Home(error) => error.explain(problem),
            SessionError::NotFound(text) => problem.detail("session", text),
            SessionError::Ambiguous { ids, .. } => problem.hint("give more of the id").detail("candidates", ids),
            SessionError::InUse(id) => problem.hint("try again in a moment").detail("session", id),
            SessionError::BadRecord { path, .. }
            | SessionError::BadHistory { path, .. }
            | SessionError::WrongHistory { path, .. } => {
                problem.hint("it was written by another version, or damaged; nothing was changed").detail("path", path)
            }
        }
    }
}

impl Coded for OrchestratorError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            OrchestratorError::Session(error) => error.explain(problem),
            OrchestratorError::Create(error) => error.explain(problem),
            OrchestratorError::Delivery(error) => error.explain(problem),
            OrchestratorError::Stop(error) => error.explain(problem),
            OrchestratorError::Drive(error) => error.explain(problem),
            OrchestratorError::Wait(error) => error.explain(problem),
            OrchestratorError::Home(error) => error.explain(problem),
            OrchestratorError::Store(error) => error.explain(problem),
            OrchestratorError::WrongState { id, state, .. } => problem
                .hint(format!("agency workflow show {id} shows its state"))
                .detail("session", id)
                .detail("state", state),
            OrchestratorError::NotDriven { id } => {
                problem.hint(format!("agency workflow resume {id}")).detail("session", id)
            }
            OrchestratorError::NoSuchStep { name, nearest } => problem.detail("step", name).detail("nearest", nearest),
            OrchestratorError::NotActive { name, state } => problem
                .hint("agency workflow show lists the steps")
                .detail("step", name)
                .detail("state", state.as_str()),
            OrchestratorError::NotInteractive { name } => {
                problem.hint("agency workflow cancel ends the session").detail("step", name)
            }
            OrchestratorError::NothingAsked { id } => {
                problem.hint(format!("agency workflow show {id} shows its state")).detail("session", id)
            }
            OrchestratorError::ChoiceAsked { question, .. } => {
                problem.hint(format!("agency inbox show {question} shows what each answer does"))
            }
            OrchestratorError::SeveralAsked { id, questions } => {
                problem.hint("agency answer QUESTION allow").detail("session", id).detail("questions", questions)
            }
            OrchestratorError::Refused(_) => problem.hint("agency workflow show lists the steps"),
        }
    }
}

impl Coded for DriveError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            DriveError::Session(error) => error.explain(problem),
            DriveError::Home(error) => error.explain(problem),
            DriveError::Open(error) => error.explain(problem),
            DriveError::Store(error) => error.explain(problem),
            DriveError::NoWorktree(id) => problem.hint("start another session").detail("session", id),
            DriveError::Refused(_) | DriveError::Deserted => problem,
        }
    }
}
