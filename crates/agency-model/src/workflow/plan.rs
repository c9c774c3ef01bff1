//! A workflow that is understood whole.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Located, Position, Step, Work};
use crate::string_enum::string_enum;
use crate::{Host, McpServers, Mode};

/// How long a workflow may take if it does not say.
pub const WORKFLOW_TIMEOUT: Duration = Duration::from_secs(3600);

/// What a workflow file says, with every default filled in. Both spellings end up here: a stage is a parallel step of
/// agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The file that it was read from, as messages name it.
    pub file: String,
    /// Its name; the `id` of a file with stages.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What its sessions are to reach, unless they have another goal.
    pub goal: Option<String>,
    /// How long a session may take.
    #[serde(with = "super::duration")]
    pub timeout: Duration,
    /// Where the file sets that limit; absent for the default, and in plans that older versions stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_at: Option<Position>,
    /// Servers for every agent.
    pub mcp_servers: McpServers,
    /// What steps go by that do not say themselves.
    pub defaults: Defaults,
    /// How the file is written.
    pub spelling: Spelling,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// What steps go by that do not say themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defaults {
    /// The agent; without it, the default agent of the configuration.
    pub adapter: Option<Located<String>>,
    /// What agents talk to; already part of every step.
    pub mode: Option<Mode>,
    /// What supervisors run in; without it, as configured.
    pub host: Option<Host>,
}

string_enum! {
    /// How a workflow file is written.
    Spelling {
        /// As `steps`, each with its type.
        Steps = "steps",
        /// As `stages` of tasks.
        Stages = "stages",
    }
}

impl Plan {
    /// The same, where a user reviews every merge first.
    #[must_use]
    pub fn with_reviewed_merges(mut self) -> Self {
        self.steps.iter_mut().for_each(Step::review_merges);
        self
    }

    /// Every step with those inside it, each after the one that contains it.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        let mut open: Vec<&Step> = self.steps.iter().rev().collect();
        std::iter::from_fn(move || {
            let step = open.pop()?;
            open.extend(step.children().iter().rev());
            Some(step)
        })
    }

    /// Finds a step by its name, wherever it is. A task is found before the stage of the same name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Step> {
        let named = || self.all_steps().filter(|step| step.name == name);
        named().find(|step| !matches!(step.work, Work::Parallel(_))).or_else(|| named().next())
    }
}
