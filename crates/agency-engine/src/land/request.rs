//! What a user asks for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use agency_workspace::MergeStrategy;

use super::publish::Publish;
use crate::config::environment_of_process;
use crate::runs::create::SetupChoice;

/// How work is to land.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LandRequest {
    /// The branch to land on; the one that the run started from, if absent.
    pub into: Option<String>,
    /// How it is merged.
    pub strategy: MergeStrategy,
    /// The message of commits; the agent's final answer, or its prompt, if absent.
    pub message: Option<String>,
    /// What checks the merged files.
    pub checks: LandChecks,
    /// How long each check may take; as the project file sets it, if absent.
    pub check_limit: Option<Duration>,
    /// Whether checks begin without the ignored files of earlier ones.
    pub fresh: bool,
    /// Whether an agent at work is interrupted first.
    pub interrupt: bool,
    /// What happens to uncommitted changes in a checkout of the target that are in the way.
    pub dirty: DirtyChoice,
    /// Who resolves conflicts.
    pub on_conflict: OnConflict,
    /// The tree of the only files that may land; any, if absent.
    pub only_tree: Option<String>,
    /// What happens at a remote.
    pub publish: Publish,
    /// What the tree gets in which the merged files are checked.
    pub setup: SetupChoice,
    /// The environment of checks.
    pub environment: BTreeMap<OsString, OsString>,
}

/// Which commands check the merged files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LandChecks {
    /// Those of the project file, which the user has to have approved.
    Project,
    /// These, each for `sh -c`.
    Only(Vec<String>),
    /// None.
    None,
}

/// What happens to changes of the user that are in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DirtyChoice {
    /// Nothing; the work does not land.
    #[default]
    Block,
    /// They are saved to a ref, then the work lands.
    Save,
}

/// Who resolves conflicts with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OnConflict {
    /// The user; the work does not land.
    #[default]
    Report,
    /// The agent, in its worktree, so many times.
    Agent {
        /// How often it may try.
        attempts: u32,
    },
}

impl Default for LandRequest {
    fn default() -> Self {
        Self::new()
    }
}

impl LandRequest {
    /// A merge commit on the branch that the run started from, checked as the project file sets it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            into: None,
            strategy: MergeStrategy::Merge,
            message: None,
            checks: LandChecks::Project,
            check_limit: None,
            fresh: false,
            interrupt: false,
            dirty: DirtyChoice::Block,
            on_conflict: OnConflict::Report,
            only_tree: None,
            publish: Publish::Nothing,
            setup: SetupChoice::Project,
            environment: environment_of_process(),
        }
    }

    /// Lands on this branch.
    #[must_use]
    pub fn into(mut self, branch: impl Into<String>) -> Self {
        self.into = Some(branch.into());
        self
    }

    /// Merges in this way.
    #[must_use]
    pub const fn strategy(mut self, strategy: MergeStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// The message of commits.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Checks the merged files by one more command, and not by those of the project.
    #[must_use]
    pub fn check(mut self, command: impl Into<String>) -> Self {
        let mut commands = match self.checks {
            LandChecks::Only(commands) => commands,
            LandChecks::Project | LandChecks::None => vec![],
        };
        commands.push(command.into());
        self.checks = LandChecks::Only(commands);
        self
    }
}
