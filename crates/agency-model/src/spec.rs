//! The run spec, version 1: the description of a run, as a JSON object.
//!
//! A [`SpecDraft`] is what a file or flags say; [`SpecDraft::materialise`] turns it into the one
//! [`RunSpec`] that is stored and executed. Precedence: flags over the file, defaults last.

mod approval;
mod draft;
mod parse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use approval::StoredRules;
pub use draft::{Defaults, LimitsDraft, PromptDraft, RunnerDraft, SpecDraft};
pub use parse::MAX_SPEC_BYTES;

use crate::run::RestartPolicy;
use crate::{Host, McpServers, Mode, VcsChoice, WorkspaceKind};

/// The materialised spec, as `spec.json` holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Absolute path of a git or jj repository.
    pub repo: String,
    /// The git ref, or with jj the revset, to start from.
    pub base_ref: String,
    /// Which agent, and with what arguments.
    pub runner: RunnerSpec,
    /// The prompt; absent for an agent that waits for its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptSpec>,
    /// The branch to create, or with jj the bookmark that keeps the work in the end; `agency/<run_id>` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_branch: Option<String>,
    /// Files that the prompt refers to.
    #[serde(default)]
    pub inputs: Vec<InputSpec>,
    /// Bounds of the run.
    #[serde(default)]
    pub limits: LimitsSpec,
    /// A label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the agent is connected to: a screen or a stream.
    pub mode: Mode,
    /// What the supervisor runs in.
    pub host: Host,
    /// Where the agent works.
    pub workspace: WorkspaceKind,
    /// What makes its workspace.
    #[serde(default = "before_there_was_a_choice")]
    pub vcs: VcsChoice,
    /// What happens when the agent crashes.
    pub restart: RestartPolicy,
    /// Whether a headless agent is started in its one-shot form, which asks no questions and accepts no messages.
    #[serde(default)]
    pub one_shot: bool,
    /// What the agent may do without asking; these rules come before those of the configuration.
    #[serde(default, skip_serializing_if = "StoredRules::is_empty")]
    pub approval_policy: StoredRules,
    /// The MCP servers that the agent gets, by name.
    #[serde(default, skip_serializing_if = "McpServers::is_empty")]
    pub mcp_servers: McpServers,
    /// Kept for later versions.
    #[serde(flatten)]
    pub reserved: Reserved,
}

/// Fields that version 1 stores and ignores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reserved {
    /// Commands to run around the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Value>,
    /// What the run is to hand over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts_out: Option<Value>,
    /// How changes may be applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_policy: Option<Value>,
    /// Context to hand to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_pack: Option<Value>,
}

/// Which agent runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerSpec {
    /// The name of a configured agent: `claude_code`, `codex`, or your own.
    pub kind: String,
    /// Further arguments for it.
    #[serde(default)]
    pub args: Vec<String>,
}

/// The prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptSpec {
    /// A markdown file, relative to the repository or absolute, inside the repository.
    pub path: String,
}

/// A file the prompt refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"path\": \"a.txt\", \"mode\": \"read\"}")]
pub struct InputSpec {
    /// The file, relative to the repository or absolute, inside the repository.
    pub path: String,
    /// How it is used.
    pub mode: InputMode,
}

/// How an input is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputMode {
    /// Read only.
    Read,
}

/// Bounds of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsSpec {
    /// Wall time in minutes; absent or 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<u32>,
    /// How many minutes may pass without progress of the agent; absent or 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_progress_minutes: Option<u32>,
    /// How many minutes a question of the agent may wait for its answer; absent or 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_minutes: Option<u32>,
    /// After how many minutes a screen that is not recognised becomes a question; absent or 0: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_minutes: Option<u32>,
}

/// What made the workspace of a spec that was stored without this field.
const fn before_there_was_a_choice() -> VcsChoice {
    VcsChoice::Git
}

/// The JSON Schema of a spec file, for editors.
#[must_use]
pub fn run_spec_schema() -> schemars::Schema {
    schemars::schema_for!(SpecDraft)
}
