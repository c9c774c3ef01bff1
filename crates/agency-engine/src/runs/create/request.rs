//! What a user asks for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use agency_model::spec::SpecDraft;
use agency_model::{RunId, RunKind, SessionId};

use crate::process::TerminalSize;
use crate::store::RunRow;

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
    /// Whether the user is notified when the agent asks and when the run has finished, as the configuration says.
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
    /// The run whose worktree it works in, whatever the spec says; without one it gets what the spec says.
    pub beside: Option<Box<RunRow>>,
    /// Where in the workspace the agent starts.
    pub directory: Option<PathBuf>,
}
