//! Problems with named agents.

use agency_engine::agents::AgentError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for AgentError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            AgentError::Create(error) => error.explain(problem),
            AgentError::Stop(error) => error.explain(problem),
            AgentError::Orphan(error) => error.explain(problem),
            AgentError::Home(error) => error.explain(problem),
            AgentError::Store(error) => error.explain(problem),
            AgentError::InvalidName { name } => problem.detail("field", "name").detail("name", name),
            AgentError::NameTaken { name, run } => problem
                .hint(format!("agency send {name} talks to it; agency agent stop {name} ends it"))
                .detail("name", name)
                .detail("id", run),
            AgentError::NotFound { name, nearest } => {
                problem.hint("agency agent ls lists all agents").detail("name", name).detail("nearest", nearest)
            }
        }
    }
}
