//! Why a run was not created.

use std::fmt;
use std::path::PathBuf;

use agency_model::document::Mistakes;
use agency_model::{ErrorCode, RunId};
use agency_workspace::WorkspaceError;

use crate::home::HomeError;
use crate::host::TmuxError;
use crate::own_program::NotInitialised;
use crate::project::ProjectError;
use crate::store::StoreError;

/// Why a run was refused, or did not start.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CreateError {
    /// The spec has the wrong shape.
    #[error(transparent)]
    Spec(Mistakes),
    /// A value cannot be used.
    #[error("{message}")]
    Value {
        /// The field of the spec, or the flag, that holds it.
        field: &'static str,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// A path cannot be used.
    #[error("{what} '{}': {why}", path.display())]
    Path {
        /// What the path is for.
        what: PathUse,
        /// The path as given.
        path: PathBuf,
        /// Why not.
        why: String,
        /// The code.
        code: ErrorCode,
    },
    /// The agent is unknown or cannot be found.
    #[error("{message}")]
    Runner {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The run to resume does not allow it.
    #[error("{message}")]
    State {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// It is started from inside an ask.
    #[error("this command runs inside an ask: an agent that answers a question cannot start runs")]
    Recursion,
    /// Too many agents are live.
    #[error("{live} runs are live, and max_agents is {most}")]
    MaxAgents {
        /// How many are live.
        live: u32,
        /// How many may be.
        most: u32,
    },
    /// The repository or the worktree.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// tmux.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The project file, which may need an approval.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// Every port that runs can get is in use.
    #[error("no {0} ports in a row are free for the run")]
    Ports(usize),
    /// A file of the home.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The program that is to supervise is this one, and does not call [`init`](crate::init).
    #[error(transparent)]
    NotInitialised(#[from] NotInitialised),
    /// The plan was given to [`Agency::create`](crate::agency::Agency::create) before.
    #[error("run {0} was created from this plan already; make a new plan for each run")]
    PlanUsed(RunId),
    /// The supervisor did not come up.
    #[error("the supervisor did not start: {0}")]
    Host(String),
    /// The supervisor reported that the agent did not start.
    #[error("{message}")]
    Start {
        /// The code it reported.
        code: ErrorCode,
        /// Its message.
        message: String,
    },
    /// The run was stopped before it began.
    #[error("the run was stopped before it began")]
    Stopped,
    /// The user pressed Ctrl-C.
    #[error("interrupted; what had been created was removed")]
    Interrupted,
}

/// What a path was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PathUse {
    /// `--spec`.
    Spec,
    /// `repo`, or `--repo`.
    Repository,
    /// `prompt.path`, or `--prompt-file`.
    Prompt,
    /// One of `inputs`, or `--input`.
    Input,
    /// `--env-file`.
    Environment,
    /// `--mcp-config`.
    McpConfig,
    /// The workspace of a run to resume.
    Workspace,
    /// Where in its workspace an agent is to start.
    Directory,
}

impl fmt::Display for PathUse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Spec => "the spec file",
            Self::Repository => "the repository",
            Self::Prompt => "the prompt",
            Self::Input => "the input",
            Self::Environment => "the environment file",
            Self::McpConfig => "the list of MCP servers",
            Self::Workspace => "the workspace",
            Self::Directory => "the directory in the workspace",
        })
    }
}

impl CreateError {
    /// What to do about it, where that is known and not in the message: also which name of an agent may be meant. Options
    /// of the command line in it have methods of the same names on the requests, such as
    /// [`RunRequest::prompt`](super::RunRequest::prompt) for `--prompt`.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Value { hint, .. } | Self::State { hint, .. } => Some(hint),
            Self::Runner { hint, .. } => Some(hint),
            Self::Spec(_)
            | Self::Path { .. }
            | Self::Recursion
            | Self::MaxAgents { .. }
            | Self::Workspace(_)
            | Self::Tmux(_)
            | Self::Store(_)
            | Self::Project(_)
            | Self::Ports(_)
            | Self::Home(_)
            | Self::Host(_)
            | Self::NotInitialised(_)
            | Self::PlanUsed(_)
            | Self::Start { .. }
            | Self::Stopped
            | Self::Interrupted => None,
        }
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Spec(_) | Self::Value { .. } => ErrorCode::InvalidSpec,
            Self::Path { code, .. } | Self::Start { code, .. } => *code,
            Self::Runner { .. } => ErrorCode::RunnerNotConfigured,
            Self::Recursion => ErrorCode::Recursion,
            Self::MaxAgents { .. } => ErrorCode::MaxAgents,
            Self::Workspace(error) => error.code(),
            Self::Tmux(TmuxError::Missing) => ErrorCode::TmuxNotFound,
            Self::Tmux(TmuxError::Refused(_) | TmuxError::Broken(_)) => ErrorCode::TmuxStartFailed,
            Self::Store(error) => error.code(),
            Self::Project(error) => error.code(),
            Self::Ports(_) => ErrorCode::WorktreeCreateFailed,
            Self::Home(error) => error.code(),
            Self::Host(_) | Self::NotInitialised(_) => ErrorCode::HostStartFailed,
            Self::Stopped | Self::State { .. } | Self::PlanUsed(_) => ErrorCode::InvalidState,
            Self::Interrupted => ErrorCode::Interrupted,
        }
    }
}
