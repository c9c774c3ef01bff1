//! Whether the work of a worktree has landed, or whether there is none.
//!
//! The one rule: what is there now decides, not what was recorded; what cannot be read counts as work.

use agency_model::RunId;
use agency_workspace::{BesideBranch, Commit, GitWorktree, Repository, RestingWork};

use super::Group;
use crate::home::{Home, read_text};
use crate::land::{Intent, target_of};
use crate::runs::remove::workspace_of;

/// In the directory of a run whose worktree is being removed: why.
pub(super) const REMOVING_FILE: &str = "removing.txt";

/// What the work of a worktree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Work {
    /// The agent changed nothing.
    Nothing,
    /// All of it is in this branch.
    Landed { into: String },
    /// It was saved, and its removal was interrupted.
    BeingRemoved { why: String },
    /// Something is neither saved nor landed.
    Left(String),
}

impl Work {
    /// In words, for a removal.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Nothing => "changed nothing".to_owned(),
            Self::Landed { into } => format!("its work is on {into}"),
            Self::BeingRemoved { why } | Self::Left(why) => why.clone(),
        }
    }
}

/// Looks at the files, the branch and the target.
pub(super) fn work_of(home: &Home, group: &Group) -> Work {
    match look(home, group) {
        Ok(work) => work,
        Err(why) => Work::Left(why),
    }
}

fn look(home: &Home, group: &Group) -> Result<Work, String> {
    let row = group.last();
    let workspace = workspace_of(home, row).map_err(|error| error.to_string())?;
    let worktree = workspace.branch_work().map_err(|error| error.to_string())?;
    let tip = match worktree.resting_work().map_err(|error| error.to_string())? {
        RestingWork::InBranch(tip) => tip,
        RestingWork::Beside(found @ (BesideBranch::Missing | BesideBranch::Unregistered)) => {
            let why = removal_under_way(home, &row.id).filter(|_| worktree.path.symlink_metadata().is_err());
            return why.map(|why| Work::BeingRemoved { why }).ok_or_else(|| found.to_string());
        }
        RestingWork::Beside(found) => return Err(found.to_string()),
    };
    if group.began_at(&tip) {
        return Ok(Work::Nothing);
    }
    landed(home, group, worktree, &tip)
}

/// Whether a branch holds the commit, or the one that a landing made of it.
fn landed(home: &Home, group: &Group, worktree: &GitWorktree, tip: &Commit) -> Result<Work, String> {
    let repository = Repository::from_root(worktree.repository.clone());
    let holds =
        |commit: &Commit, branch: &str| repository.is_in_branch(commit, branch).map_err(|error| error.to_string());
    let recorded = group.landed();
    let into = match recorded.and_then(|row| row.landed_into.clone()) {
        Some(into) => into,
        None => target_of(home, group.last()).map_err(|error| error.to_string())?,
    };
    if into != worktree.branch && holds(tip, &into)? {
        return Ok(Work::Landed { into });
    }
    let intent = Intent::read(&home.run(&group.last().worktree_owner())).filter(|intent| intent.tip == tip.as_str());
    let made = recorded.and_then(|row| row.landed_commit.clone());
    if let (Some(intent), Some(made)) = (intent, made)
        && intent.commit == made
        && intent.target == into
        && made.parse().is_ok_and(|made| holds(&made, &into) == Ok(true))
    {
        return Ok(Work::Landed { into });
    }
    Err(format!("its commits are not on {into}"))
}

/// Why a removal began that was interrupted, if one was.
pub(super) fn removal_under_way(home: &Home, run: &RunId) -> Option<String> {
    read_text(&home.run(run).file(REMOVING_FILE)).ok().map(|text| text.trim_end().to_owned())
}
