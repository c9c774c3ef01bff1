//! Why there is no answer.

use agency_model::{ErrorCode, RunId};
use agency_workspace::WorkspaceError;

use super::TemplateError;
use crate::home::HomeError;
use crate::runs::create::CreateError;
use crate::runs::stop::StopError;
use crate::runs::wait::WaitError;
use crate::sources::SourceError;
use crate::store::StoreError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AskError {
    /// An ask was started by an ask.
    #[error("this command runs inside an ask: an agent that answers a question cannot ask another one")]
    Recursion,
    /// No source is named.
    #[error("no source is named")]
    NoSources,
    /// The question cannot be asked.
    #[error("the question cannot be asked: {0}")]
    Question(&'static str),
    /// A source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The run could not be created.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The scratch directory of a chat.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The agent failed.
    #[error("{message}{}", after_newline(stderr))]
    Failed {
        /// The run.
        run: RunId,
        /// How it failed.
        message: String,
        /// What it complained about.
        stderr: String,
    },
    /// The run was stopped.
    #[error("{0} was stopped before it answered")]
    Stopped(RunId),
    /// No answer came in time.
    #[error("no answer came within {seconds} s")]
    Timeout {
        /// The run.
        run: RunId,
        /// How long it had.
        seconds: u64,
    },
    /// The caller cancelled the ask.
    #[error("interrupted; the agent was stopped")]
    Interrupted,
    /// The agent of a chat could not be started.
    #[error("the agent could not be started: {0}")]
    Start(std::io::Error),
    /// Stopping it failed.
    #[error(transparent)]
    Stop(#[from] StopError),
    /// Waiting failed.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the home.
    #[error(transparent)]
    Home(#[from] HomeError),
}

fn after_newline(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{text}") }
}

impl AskError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Recursion => ErrorCode::Recursion,
            Self::NoSources | Self::Question(_) => ErrorCode::Usage,
            Self::Source(error) => error.code(),
            Self::Template(TemplateError::Missing { .. } | TemplateError::NotText(_)) => ErrorCode::InvalidTemplate,
            Self::Template(TemplateError::Home(error)) | Self::Home(error) => error.code(),
            Self::Create(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Failed { .. } => ErrorCode::RunFailed,
            Self::Stopped(_) => ErrorCode::InvalidState,
            Self::Timeout { .. } => ErrorCode::Timeout,
            Self::Interrupted => ErrorCode::Interrupted,
            Self::Start(_) => ErrorCode::RunnerNotConfigured,
            Self::Stop(error) => error.code(),
            Self::Wait(WaitError::Home(error)) => error.code(),
            Self::Wait(WaitError::Store(error)) | Self::Store(error) => error.code(),
        }
    }
}
