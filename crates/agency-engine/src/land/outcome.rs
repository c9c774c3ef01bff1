//! What landing reports, while it is under way and afterwards.

use std::path::{Path, PathBuf};

use agency_model::{QuestionId, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::CheckEnd;
use super::LandError;
use super::publish::Published;

/// Something that is about to take time, or that a user should know.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LandProgress<'a> {
    /// A run begins to land.
    Landing {
        /// The run.
        id: &'a RunId,
        /// The branch.
        target: &'a str,
    },
    /// What was not committed is committed on the branch of the run now.
    Committed {
        /// How many files.
        files: usize,
        /// Git repositories inside the worktree, whose content a commit cannot hold.
        left_out: &'a [PathBuf],
        /// Those of which the work names another commit than its base, which may be in the worktree only.
        new_links: &'a [PathBuf],
    },
    /// The agent resolves conflicts, in this run.
    AgentResolves {
        /// The run, which may be a new one that continues the conversation.
        id: &'a RunId,
    },
    /// A question to the user waits in the inbox.
    AsksUser {
        /// The question.
        question: &'a QuestionId,
    },
    /// The commands that follow execute code that the agent wrote.
    Unreviewed {
        /// The run.
        id: &'a RunId,
    },
    /// The tree of the checks gets what worktrees of the project get.
    Preparing {
        /// What is done, or what is missing.
        message: &'a str,
    },
    /// Another landing checks in the same tree, and is waited for.
    WaitingForTree,
    /// A check begins.
    CheckBegins {
        /// The command.
        command: &'a str,
        /// Where its output goes.
        log: &'a Path,
    },
    /// A check has ended.
    CheckEnded {
        /// The command.
        command: &'a str,
        /// How.
        end: CheckEnd,
        /// The end of its output.
        output: &'a str,
    },
}

/// Work that has landed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Landed {
    /// The run.
    pub id: RunId,
    /// The branch that holds the work.
    pub target: String,
    /// The commit of it that holds the work; absent for a pull request, by which it has yet to land.
    pub commit: Option<String>,
    /// How: `merge`, `squash` or `rebase`.
    pub strategy: String,
    /// Whether the target had the work before this call.
    pub already: bool,
    /// The commands that checked it.
    pub checks: Vec<String>,
    /// The checkouts of the target, which have the files now.
    pub checkouts: Vec<PathBuf>,
    /// What is at a remote now, if that was asked for.
    pub published: Option<Published>,
    /// Commands that bring back changes of the user that were moved out of the way.
    pub saved: Vec<String>,
}

/// The result of landing several runs.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LandedRuns {
    /// Those that landed, in that order.
    pub landed: Vec<Landed>,
    /// The one that did not.
    pub failed: Option<FailedLanding>,
    /// Those after it, which were not tried.
    pub left: Vec<RunId>,
}

/// A run that did not land.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FailedLanding {
    /// The run.
    pub id: RunId,
    /// Why not.
    pub error: LandError,
}
