//! Takes in what an agent wrote, also where its revision was rewritten below it.
//!
//! The one rule: what the agent wrote is in the revision of its workspace afterwards, and in its files.

use super::command::JjCommand;
use super::revision::{Revision, first, revisions};
use super::{JjWorkspace, inner, link};
use crate::{Commit, Result};

/// Lets jj take in the files of a workspace, and brings the workspace up to date where it is stale.
///
/// A workspace is stale when its revision was rewritten from outside, as by a change to the revision below. Jj then puts
/// what was written since into a second revision of the same change, and shows the first one, without it. The agent
/// continues with the second.
pub(super) fn take_in(workspace: &JjWorkspace) -> Result<Revision> {
    check(workspace)?;
    let known = same_change(workspace, &current(workspace)?)?;
    in_workspace(workspace).run(["workspace", "update-stale"]).read()?;
    // Not stale, it takes in nothing.
    in_workspace(workspace).run(["log", "--no-graph", "--revisions=@", "--template="]).read()?;
    let shown = current(workspace)?;
    let mut others = same_change(workspace, &shown)?;
    others.retain(|other| other.commit != shown.commit && !other.empty);
    // One that was there before is meant only if nothing else is: this was interrupted here.
    others.retain(|other| shown.empty || !holds(&known, &other.commit));
    match others.as_slice() {
        [written] => {
            in_workspace(workspace).run(["edit"]).arg(written.commit.as_str()).read()?;
            current(workspace)
        }
        // Several are left side by side, where their owner sees all of them.
        [] | [_, ..] => Ok(shown),
    }
}

/// Refuses a workspace in which jj is not started.
pub(super) fn check(workspace: &JjWorkspace) -> Result<()> {
    // An agent can write anything into its `.jj`; jj is not to be led to another repository and its settings.
    if !link::share_repository(&workspace.path, &workspace.repository) {
        return Err(workspace.not_registered());
    }
    inner::check(&workspace.path)
}

/// The revision of the workspace, as jj last saw it.
pub(super) fn current(workspace: &JjWorkspace) -> Result<Revision> {
    let found = first(JjCommand::reading(&workspace.repository), &workspace.revset())?;
    found.ok_or_else(|| workspace.not_registered())
}

/// All revisions that are versions of the same change.
fn same_change(workspace: &JjWorkspace, revision: &Revision) -> Result<Vec<Revision>> {
    revisions(JjCommand::reading(&workspace.repository), &format!("change_id({})", revision.change))
}

fn holds(revisions: &[Revision], commit: &Commit) -> bool {
    revisions.iter().any(|revision| revision.commit == *commit)
}

fn in_workspace(workspace: &JjWorkspace) -> JjCommand {
    JjCommand::on(&workspace.path).taking_everything()
}
