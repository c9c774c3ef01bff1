//! Problems with workflow sessions.

use agency_engine::orchestrator::{DriveError, OrchestratorError, SessionError};

use super::Problem;

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            SessionError::Home(error) => error.into(),
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

impl From<OrchestratorError> for Problem {
    fn from(error: OrchestratorError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            OrchestratorError::Session(error) => error.into(),
            OrchestratorError::Create(error) => error.into(),
            OrchestratorError::Delivery(error) => error.into(),
            OrchestratorError::Stop(error) => error.into(),
            OrchestratorError::Drive(error) => error.into(),
            OrchestratorError::Wait(error) => error.into(),
            OrchestratorError::Home(error) => error.into(),
            OrchestratorError::Store(error) => error.into(),
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

impl From<DriveError> for Problem {
    fn from(error: DriveError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            DriveError::Session(error) => error.into(),
            DriveError::Home(error) => error.into(),
            DriveError::Open(error) => error.into(),
            DriveError::Store(error) => error.into(),
            DriveError::NoWorktree(id) => problem.hint("start another session").detail("session", id),
            DriveError::Refused(_) | DriveError::Deserted => problem,
        }
    }
}
