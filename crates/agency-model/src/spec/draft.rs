//! A spec that may still lack fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{InputSpec, LimitsSpec, PromptSpec, Reserved, RunSpec, RunnerSpec, StoredRules, parse};
use crate::document::Mistake;
use crate::policy::Rule;
use crate::run::RestartPolicy;
use crate::{Host, McpServers, Mode, VcsChoice, WorkspaceKind, merged_mcp_servers};

/// A run spec as a file or flags give it. `repo`, `base_ref`, `runner.kind` and `prompt.path` are
/// required once everything is put together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"repo\": …}")]
#[schemars(title = "RunSpec")]
pub struct SpecDraft {
    /// Absolute path of a git or jj repository. Required.
    pub repo: Option<String>,
    /// The git ref, or with jj the revset, to start from. Required.
    pub base_ref: Option<String>,
    /// Which agent, and with what arguments. Required.
    pub runner: Option<RunnerDraft>,
    /// The prompt. Required.
    pub prompt: Option<PromptDraft>,
    /// The branch to create, or with jj the bookmark that keeps the work in the end; `agency/<run_id>` if absent.
    pub new_branch: Option<String>,
    /// Files that the prompt refers to.
    pub inputs: Option<Vec<InputSpec>>,
    /// Bounds of the run.
    pub limits: Option<LimitsDraft>,
    /// A label.
    pub name: Option<String>,
    /// What the agent is connected to: a screen or a stream.
    pub mode: Option<Mode>,
    /// What the supervisor runs in.
    pub host: Option<Host>,
    /// Where the agent works.
    pub workspace: Option<WorkspaceKind>,
    /// What makes its workspace: `auto` is jj in a repository of jj, and git in all others.
    pub vcs: Option<VcsChoice>,
    /// What happens when the agent crashes.
    pub restart: Option<RestartPolicy>,
    /// Whether a headless agent is started in its one-shot form, which asks no questions and accepts no messages.
    pub one_shot: Option<bool>,
    /// What the agent may do without asking, as rules; they come before those of the configuration.
    pub approval_policy: Option<Vec<Rule>>,
    /// The MCP servers that the agent gets, by name.
    pub mcp_servers: Option<McpServers>,
    /// Stored, not used yet.
    pub commands: Option<Value>,
    /// Stored, not used yet.
    pub artifacts_out: Option<Value>,
    /// Stored, not used yet.
    pub patch_policy: Option<Value>,
    /// Stored, not used yet.
    pub context_pack: Option<Value>,
}

/// Which agent runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"kind\": \"codex\"}")]
pub struct RunnerDraft {
    /// The name of a configured agent. Required.
    pub kind: Option<String>,
    /// Further arguments for it.
    pub args: Option<Vec<String>>,
}

/// The prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"path\": \"task.md\"}")]
pub struct PromptDraft {
    /// A markdown file inside the repository. Required.
    pub path: Option<String>,
}

/// Bounds of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object, such as {\"max_minutes\": 30}")]
pub struct LimitsDraft {
    /// Wall time in minutes; 0: no limit.
    pub max_minutes: Option<u32>,
    /// How many minutes may pass without progress of the agent; 0: no limit.
    pub no_progress_minutes: Option<u32>,
    /// How many minutes a question of the agent may wait for its answer; 0: no limit.
    pub question_minutes: Option<u32>,
    /// After how many minutes a screen that is not recognised becomes a question; 0: never.
    pub unknown_minutes: Option<u32>,
}

impl LimitsDraft {
    fn overridden_by(self, flags: Self) -> Self {
        Self {
            max_minutes: flags.max_minutes.or(self.max_minutes),
            no_progress_minutes: flags.no_progress_minutes.or(self.no_progress_minutes),
            question_minutes: flags.question_minutes.or(self.question_minutes),
            unknown_minutes: flags.unknown_minutes.or(self.unknown_minutes),
        }
    }
}

/// What holds where neither the file nor a flag says anything.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The repository, where no spec file was given.
    pub repo: Option<String>,
    /// The base ref, where no spec file was given.
    pub base_ref: Option<String>,
    /// The agent.
    pub runner: Option<String>,
    /// The host.
    pub host: Host,
    /// What makes workspaces.
    pub vcs: VcsChoice,
    /// The bounds.
    pub limits: LimitsSpec,
    /// Whether the agent must have a prompt at the start.
    pub needs_prompt: bool,
}

impl SpecDraft {
    /// Lays `flags` over this draft: what a flag says wins, inputs and runner arguments are appended, servers added.
    #[must_use]
    pub fn overridden_by(self, flags: Self) -> Self {
        let runner = self.runner.unwrap_or_default();
        let flag_runner = flags.runner.unwrap_or_default();
        let mut args = runner.args.unwrap_or_default();
        args.extend(flag_runner.args.unwrap_or_default());
        let mut inputs = self.inputs.unwrap_or_default();
        inputs.extend(flags.inputs.unwrap_or_default());
        let servers = merged_mcp_servers(&self.mcp_servers.unwrap_or_default(), &flags.mcp_servers.unwrap_or_default());
        Self {
            repo: flags.repo.or(self.repo),
            base_ref: flags.base_ref.or(self.base_ref),
            runner: Some(RunnerDraft { kind: flag_runner.kind.or(runner.kind), args: Some(args) }),
            prompt: flags.prompt.or(self.prompt),
            new_branch: flags.new_branch.or(self.new_branch),
            inputs: Some(inputs),
            limits: Some(self.limits.unwrap_or_default().overridden_by(flags.limits.unwrap_or_default())),
            name: flags.name.or(self.name),
            mode: flags.mode.or(self.mode),
            host: flags.host.or(self.host),
            workspace: flags.workspace.or(self.workspace),
            vcs: flags.vcs.or(self.vcs),
            restart: flags.restart.or(self.restart),
            one_shot: flags.one_shot.or(self.one_shot),
            commands: flags.commands.or(self.commands),
            artifacts_out: flags.artifacts_out.or(self.artifacts_out),
            patch_policy: flags.patch_policy.or(self.patch_policy),
            approval_policy: flags.approval_policy.or(self.approval_policy),
            mcp_servers: Some(servers),
            context_pack: flags.context_pack.or(self.context_pack),
        }
    }

    /// Completes the draft, or names the first required field that is missing.
    pub fn materialise(self, defaults: Defaults) -> Result<RunSpec, Mistake> {
        let missing = parse::missing;
        let runner = self.runner.unwrap_or_default();
        let limits = self.limits.unwrap_or_default();
        let minutes = |given: Option<u32>, default: Option<u32>| given.or(default).filter(|minutes| *minutes > 0);
        Ok(RunSpec {
            repo: self.repo.or(defaults.repo).ok_or_else(|| missing("repo"))?,
            base_ref: self.base_ref.or(defaults.base_ref).ok_or_else(|| missing("base_ref"))?,
            runner: RunnerSpec {
                kind: runner.kind.or(defaults.runner).ok_or_else(|| missing("runner.kind"))?.replace('-', "_"),
                args: runner.args.unwrap_or_default(),
            },
            prompt: match self.prompt.and_then(|prompt| prompt.path) {
                Some(path) => Some(PromptSpec { path }),
                None if defaults.needs_prompt => return Err(missing("prompt.path")),
                None => None,
            },
            new_branch: self.new_branch,
            inputs: self.inputs.unwrap_or_default(),
            limits: LimitsSpec {
                max_minutes: minutes(limits.max_minutes, defaults.limits.max_minutes),
                no_progress_minutes: minutes(limits.no_progress_minutes, defaults.limits.no_progress_minutes),
                question_minutes: minutes(limits.question_minutes, defaults.limits.question_minutes),
                unknown_minutes: minutes(limits.unknown_minutes, defaults.limits.unknown_minutes),
            },
            name: self.name,
            mode: self.mode.unwrap_or(Mode::Interactive),
            host: self.host.unwrap_or(defaults.host),
            workspace: self.workspace.unwrap_or(WorkspaceKind::Worktree),
            vcs: self.vcs.unwrap_or(defaults.vcs),
            restart: self.restart.unwrap_or(RestartPolicy::Never),
            one_shot: self.one_shot.unwrap_or(false),
            approval_policy: StoredRules::Rules(self.approval_policy.unwrap_or_default()),
            mcp_servers: self.mcp_servers.unwrap_or_default(),
            reserved: Reserved {
                commands: self.commands,
                artifacts_out: self.artifacts_out,
                patch_policy: self.patch_policy,
                context_pack: self.context_pack,
            },
        })
    }
}
