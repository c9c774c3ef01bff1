//! What a run would be: everything decided, nothing made.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use agency_model::spec::{RunSpec, SpecDraft};
use agency_model::{RunId, RunKind, SessionId, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::uncommitted::UncommittedLookup;
use crate::config::{AgentConfig, Config};
use crate::home::Home;
use crate::host::socket_in;
use crate::process::TerminalSize;
use crate::store::RunRow;
use crate::wire::Notify;
use crate::workspace::{Commit, GitWorktree, InPlace, JjWorkspace, Repository, Scratch, SharedJjWorkspace, Workspace};

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// What the run is for.
    pub kind: RunKind,
    /// The spec file, if one was given.
    pub spec_file: Option<PathBuf>,
    /// What the flags say.
    pub flags: SpecDraft,
    /// The prompt as text, if it was given so.
    pub prompt_text: Option<String>,
    /// Where the user stands: a spec without a repository means the one here.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, if there is one.
    pub terminal: Option<TerminalSize>,
    /// Whether the user is told when the agent asks and when the run is over, as the configuration says.
    pub notify: bool,
    /// The workflow session that it belongs to.
    pub workflow: Option<WorkflowMember>,
}

/// What a run that belongs to a workflow session is to be.
#[derive(Debug, Clone)]
pub struct WorkflowMember {
    /// The session.
    pub session: SessionId,
    /// The id that was chosen for the run, so that it is known before there is one.
    pub id: RunId,
    /// The run whose worktree it works in; without one it gets its own.
    pub beside: Option<Box<RunRow>>,
    /// Where in the workspace the agent starts.
    pub directory: Option<PathBuf>,
}

/// One input file as it was when the run was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputFingerprint {
    /// The path below the repository.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the content, in hexadecimal.
    pub sha256: String,
}

/// A checked run that does not exist yet.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The id it will have.
    pub id: RunId,
    /// What it is for.
    pub kind: RunKind,
    /// Who makes its workspace.
    pub vcs: Vcs,
    /// The materialised spec.
    pub spec: RunSpec,
    /// The repository.
    pub repository: Repository,
    /// The commit that `base_ref` means.
    pub base: Commit,
    /// The input files.
    pub inputs: Vec<InputFingerprint>,
    /// What the agent is told; none for a conversation that goes on, or one that waits for its first message.
    pub prompt: Option<String>,
    /// Whether the prompt came as text and is to be written to a file.
    pub prompt_is_text: bool,
    /// The agent's configuration.
    pub agent: AgentConfig,
    /// The agent's executable.
    pub program: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, or of one nobody sees.
    pub size: TerminalSize,
    /// The conversation that it continues.
    pub resume: Option<Resume>,
    /// The run whose worktree it works in, beside others of the same workflow.
    pub beside: Option<Box<RunRow>>,
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
    /// When it may start at the earliest.
    pub not_before: Option<Timestamp>,
    /// Whom to tell when the agent asks, and when the run is over.
    pub notify: Notify,
    /// The directory of an ask.
    pub scratch: Option<Scratch>,
    /// The look at files that are not committed, and that the run therefore does not get.
    pub uncommitted: Option<Arc<UncommittedLookup>>,
}

/// A conversation that goes on in another run.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The run that had it.
    pub parent: RunRow,
    /// The agent's own id of it; none if the agent has to begin another in the same workspace.
    pub session: Option<String>,
    /// What it has used.
    pub spent: Usage,
}

impl Plan {
    /// What the user should know about a run that was created.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let uncommitted = self.uncommitted.iter().flat_map(|lookup| lookup.found());
        self.notices.iter().chain(uncommitted).cloned().collect()
    }

    /// The same for a run that is not created; waits for what is still looked up.
    #[must_use]
    pub fn expected_warnings(&self) -> Vec<String> {
        let uncommitted = self.uncommitted.iter().flat_map(|lookup| lookup.finish());
        self.notices.iter().chain(uncommitted).cloned().collect()
    }

    /// The branch it will have, if it gets a workspace of its own.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        if let Some(host) = self.host_of_worktree() {
            return host.new_branch.clone();
        }
        match self.spec.workspace {
            WorkspaceKind::Worktree => Some(self.spec.new_branch.clone().unwrap_or_else(|| self.id.default_branch())),
            WorkspaceKind::None | WorkspaceKind::Shared | WorkspaceKind::Scratch => None,
        }
    }

    /// The worktree it will have, if it gets one.
    #[must_use]
    pub fn worktree(&self, home: &Home) -> Option<PathBuf> {
        if let Some(host) = self.host_of_worktree() {
            return host.worktree_path.as_ref().map(PathBuf::from);
        }
        match self.spec.workspace {
            WorkspaceKind::Worktree => {
                Some(home.worktrees().join(self.repository.fingerprint()).join(self.id.as_str()))
            }
            WorkspaceKind::None | WorkspaceKind::Shared | WorkspaceKind::Scratch => None,
        }
    }

    /// The run whose worktree it works in: the one that it continues, or one that it works beside.
    pub(super) fn host_of_worktree(&self) -> Option<&RunRow> {
        self.resume.as_ref().map(|resume| &resume.parent).or(self.beside.as_deref())
    }

    /// Whether the agent is told that it may trust its worktree.
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
        if let Some(scratch) = &self.scratch {
            return Box::new(scratch.clone());
        }
        let (worktrees_root, trash) = (home.worktrees(), home.trash());
        match (self.branch(), self.worktree(home)) {
            (Some(bookmark), Some(path)) if self.vcs == Vcs::Jj => {
                let run = self.host_of_worktree().map_or(self.id.clone(), RunRow::worktree_owner);
                let (repository, base) = (self.repository.root().to_owned(), self.base.clone());
                let workspace =
                    JjWorkspace { repository, run, base, bookmark, path, worktrees_root, trash, looks: None };
                match self.host_of_worktree() {
                    Some(_) => Box::new(SharedJjWorkspace(workspace)),
                    None => Box::new(workspace),
                }
            }
            // Another run made it, and it stays when this run cannot start.
            (_, Some(path)) if self.host_of_worktree().is_some() => {
                Box::new(InPlace { repository: path, base: self.base.clone(), looks: None })
            }
            (Some(branch), Some(path)) => Box::new(GitWorktree {
                repository: self.repository.root().to_owned(),
                run: self.id.clone(),
                base: self.base.clone(),
                branch,
                path,
                worktrees_root,
                trash,
                looks: None,
            }),
            (_, _) => Box::new(InPlace {
                repository: self.repository.root().to_owned(),
                base: self.base.clone(),
                looks: None,
            }),
        }
    }
}
