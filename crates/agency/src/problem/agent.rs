//! Problems with named agents.

use agency_engine::agents::AgentError;

use super::Problem;

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            AgentError::Create(error) => error.into(),
            AgentError::Stop(error) => error.into(),
            AgentError::Orphan(error) => error.into(),
            AgentError::Home(error) => error.into(),
            AgentError::Store(error) => error.into(),
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
