//! What a user asks for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::{Host, Mode, RunId, RunKind, SessionId};
use agency_system::process::TerminalSize;

use super::find_agent::SearchPath;
use crate::config::environment_of_process;
use crate::store::RunRow;

/// What a user asked for.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunRequest {
    /// What the run is for.
    pub kind: RunKind,
    /// The spec file, if one was given.
    pub spec_file: Option<PathBuf>,
    /// The flags.
    pub flags: SpecDraft,
    /// The prompt as text, if it was given so.
    pub prompt_text: Option<String>,
    /// Whether the run begins with the uncommitted changes of the user's checkout.
    pub include_changes: bool,
    /// Where the user stands: a spec without a repository means the one here.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, if there is one.
    pub terminal: Option<TerminalSize>,
    /// Whether the user is notified when the agent asks and when the run has finished, as configured.
    pub notify: bool,
    /// The workflow session that it belongs to.
    pub workflow: Option<WorkflowMember>,
    /// What the worktree gets beside the files of its commit.
    pub setup: SetupChoice,
}

impl RunRequest {
    /// A run of an agent in a repository, with the environment of this process. It waits for a free slot if need be, and
    /// sends no notifications. A relative path is taken from the current directory.
    #[must_use]
    pub fn new(repository: impl Into<PathBuf>, agent: impl Into<String>) -> Self {
        let repository = repository.into();
        // Without a current directory, the plan is refused with the path as it is.
        let repository = std::path::absolute(&repository).unwrap_or(repository);
        Self {
            kind: RunKind::Run,
            spec_file: None,
            flags: SpecDraft {
                repo: Some(repository.display().to_string()),
                runner: Some(RunnerDraft { kind: Some(agent.into()), args: None }),
                ..SpecDraft::default()
            },
            prompt_text: None,
            include_changes: false,
            current_directory: repository,
            environment: environment_of_process(),
            may_wait: true,
            terminal: None,
            notify: false,
            workflow: None,
            setup: SetupChoice::Project,
        }
    }

    /// Where programs are looked up.
    pub(super) fn search_path(&self) -> SearchPath<'_> {
        SearchPath { current_directory: &self.current_directory, environment: &self.environment }
    }

    /// What the agent is to do.
    #[must_use]
    pub fn prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt_text = Some(text.into());
        self
    }

    /// The run begins with the uncommitted changes of the user's checkout.
    #[must_use]
    pub fn include_changes(mut self) -> Self {
        self.include_changes = true;
        self
    }

    /// Arguments for the agent.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let runner = self.flags.runner.get_or_insert(RunnerDraft { kind: None, args: None });
        runner.args = Some(args.into_iter().map(Into::into).collect());
        self
    }

    /// On its own screen, or on pipes.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.flags.mode = Some(mode);
        self
    }

    /// In tmux, or detached.
    #[must_use]
    pub fn host(mut self, host: Host) -> Self {
        self.flags.host = Some(host);
        self
    }

    /// The name of the run.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.flags.name = Some(name.into());
        self
    }

    /// The ref that its branch begins at.
    #[must_use]
    pub fn base(mut self, base_ref: impl Into<String>) -> Self {
        self.flags.base_ref = Some(base_ref.into());
        self
    }

    /// The name of its branch.
    #[must_use]
    pub fn branch(mut self, branch: impl Into<String>) -> Self {
        self.flags.new_branch = Some(branch.into());
        self
    }

    /// The environment of the agent, in place of that of this process.
    #[must_use]
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.environment = environment;
        self
    }
}

/// What a worktree gets beside the files of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SetupChoice {
    /// What the project file says, which the user has to have approved.
    #[default]
    Project,
    /// Nothing but ports.
    None,
}

/// The description of a run of a workflow session.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WorkflowMember {
    /// The session.
    pub session: SessionId,
    /// The id that was chosen for the run, so that it is known before there is one.
    pub id: RunId,
    /// The run whose worktree it works in, whatever the spec says; without one it gets what the spec says.
    pub beside: Option<Box<RunRow>>,
    /// Where in the workspace the agent starts.
    pub directory: Option<PathBuf>,
}
