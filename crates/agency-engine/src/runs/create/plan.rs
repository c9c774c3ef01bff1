//! What a run would be: everything decided, nothing made.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use agency_model::spec::RunSpec;
use agency_model::{RunId, RunKind, SessionId, Vcs, WorkspaceKind};
use agency_system::process::TerminalSize;
use agency_workspace::{Commit, GitWorktree, InPlace, JjWorkspace, Repository, SharedJjWorkspace, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use super::naming::RunName;
use super::origin::RunOrigin;
use crate::config::{AgentConfig, Config};
use crate::home::Home;
use crate::host::socket_in;
use crate::store::RunRow;
use crate::wire::Notify;
use crate::worktree::WorktreeOrders;

/// One input file as it was when the run was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InputFingerprint {
    /// The path below the repository.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the content, in hexadecimal.
    pub sha256: String,
}

/// The first text that an agent receives.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlannedPrompt {
    /// A text that is written to a file of the run.
    Text(String),
    /// The content of a file that exists already.
    File(String),
}

impl PlannedPrompt {
    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::File(text) => text,
        }
    }
}

/// A checked run that does not exist yet.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Plan {
    /// The id it will have.
    pub id: RunId,
    /// The name it will have, unless another run takes it first.
    pub name: RunName,
    /// What it is for.
    pub kind: RunKind,
    /// Why it is made, which decides where it works.
    pub origin: RunOrigin,
    /// What makes its workspace.
    pub vcs: Vcs,
    /// The materialised spec.
    pub spec: RunSpec,
    /// The repository.
    pub repository: Repository,
    /// The commit that `base_ref` means.
    pub base: Commit,
    /// The input files.
    pub inputs: Vec<InputFingerprint>,
    /// What the agent receives; none for a conversation that continues, or one that waits for its first message.
    pub prompt: Option<PlannedPrompt>,
    /// The agent's configuration.
    pub agent: AgentConfig,
    /// The agent's executable.
    pub program: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, or of one without a viewer.
    pub size: TerminalSize,
    /// Where in the workspace the agent starts.
    pub directory: Option<PathBuf>,
    /// The workflow session that it belongs to.
    pub workflow_session: Option<SessionId>,
    /// The agent's own id of the conversation, where it is known beforehand.
    pub session: Option<String>,
    /// The version that the agent names.
    pub agent_version: Option<String>,
    /// What the user should know before it starts.
    pub notices: Vec<String>,
    /// Which notifications to send when the agent asks, and when the run has finished.
    pub notify: Notify,
    /// The race that it takes part in.
    pub race: Option<String>,
    /// What the project gives the worktree, if the user approved that.
    #[doc(hidden)]
    pub worktree_setup: Option<WorktreeOrders>,
}

impl Plan {
    /// What the user should know about a run that was created.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let uncommitted = self.origin.uncommitted().into_iter().flat_map(|lookup| lookup.found());
        self.notices.iter().chain(uncommitted).cloned().collect()
    }

    /// The same for a run that is not created; waits for what is still looked up.
    #[must_use]
    pub fn expected_warnings(&self) -> Vec<String> {
        let uncommitted = self.origin.uncommitted().into_iter().flat_map(|lookup| lookup.finish());
        self.notices.iter().chain(uncommitted).cloned().collect()
    }

    /// The branch it will have, if it works in a worktree.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        match &self.origin {
            RunOrigin::NewWorktree { branch, .. } => Some(branch.clone()),
            RunOrigin::Beside(_) | RunOrigin::Resumes(_) => self.origin.host_of_worktree()?.new_branch.clone(),
            RunOrigin::InPlace | RunOrigin::Ask(_) => None,
        }
    }

    /// The worktree it will have, if it works in one.
    #[must_use]
    pub fn worktree(&self, home: &Home) -> Option<PathBuf> {
        match &self.origin {
            RunOrigin::NewWorktree { .. } => Some(self.new_worktree(home)),
            RunOrigin::Beside(_) | RunOrigin::Resumes(_) => {
                self.origin.host_of_worktree()?.worktree_path.as_ref().map(PathBuf::from)
            }
            RunOrigin::InPlace | RunOrigin::Ask(_) => None,
        }
    }

    fn new_worktree(&self, home: &Home) -> PathBuf {
        home.worktrees().join(self.repository.fingerprint()).join(self.id.as_str())
    }

    /// Whether the agent is started with trust in its worktree.
    pub(super) fn trusts_worktree(&self, config: &Config) -> bool {
        config.trust_worktrees && matches!(self.spec.workspace, WorkspaceKind::Worktree | WorkspaceKind::Shared)
    }

    /// The tmux server its session will live on: the configured one, or the one its user sits in.
    pub(super) fn tmux_socket(&self, config: &Config) -> Option<String> {
        let around = || socket_in(self.environment.get(OsStr::new("TMUX"))?)?.to_str().map(str::to_owned);
        config.tmux_socket.clone().or_else(around)
    }

    /// Where it will work.
    pub(super) fn workspace(&self, home: &Home) -> Box<dyn Workspace> {
        match &self.origin {
            RunOrigin::Ask(scratch) => Box::new(scratch.clone()),
            RunOrigin::InPlace => Box::new(self.in_place(self.repository.root().to_owned(), home)),
            RunOrigin::NewWorktree { branch, .. } => match self.vcs {
                Vcs::Jj => Box::new(self.jj_workspace(home, self.id.clone(), branch.clone(), self.new_worktree(home))),
                Vcs::Git => Box::new(GitWorktree {
                    repository: self.repository.root().to_owned(),
                    run: self.id.clone(),
                    base: self.base.clone(),
                    branch: branch.clone(),
                    path: self.new_worktree(home),
                    worktrees_root: home.worktrees(),
                    trash: home.trash(),
                    looks: None,
                }),
            },
            RunOrigin::Beside(host) => self.workspace_of(host, home),
            RunOrigin::Resumes(resume) => self.workspace_of(&resume.parent, home),
        }
    }

    /// The workspace of another run, which made it; it stays when this run cannot start.
    fn workspace_of(&self, host: &RunRow, home: &Home) -> Box<dyn Workspace> {
        match (self.vcs, &host.new_branch, &host.worktree_path) {
            (Vcs::Jj, Some(bookmark), Some(path)) => Box::new(SharedJjWorkspace(self.jj_workspace(
                home,
                host.worktree_owner(),
                bookmark.clone(),
                path.into(),
            ))),
            (_, _, Some(path)) => Box::new(self.in_place(path.into(), home)),
            (_, _, None) => Box::new(self.in_place(self.repository.root().to_owned(), home)),
        }
    }

    fn in_place(&self, repository: PathBuf, home: &Home) -> InPlace {
        InPlace { repository, base: self.base.clone(), worktrees_root: home.worktrees(), looks: None }
    }

    fn jj_workspace(&self, home: &Home, run: RunId, bookmark: String, path: PathBuf) -> JjWorkspace {
        JjWorkspace {
            repository: self.repository.root().to_owned(),
            run,
            base: self.base.clone(),
            bookmark,
            path,
            worktrees_root: home.worktrees(),
            trash: home.trash(),
            looks: None,
        }
    }
}
