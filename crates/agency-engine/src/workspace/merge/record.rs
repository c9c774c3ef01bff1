//! Remembers a merge that leaves no trace in history: a squash or a rebase makes commits that do not name the branch.
//!
//! The one rule: it is written before the target moves, and counts only once the target holds what it names.

use std::path::Path;

use agency_model::RunId;

use super::super::Commit;
use super::super::git_command::GitCommand;
use super::super::own_ref;
use super::place::Place;
use super::{MergeError, contains};

fn reference(run: &RunId) -> String {
    format!("refs/agency/merged/{run}")
}

/// Remembers that `commit` is the merge of `tip`.
pub(super) fn write(place: &Place, run: &RunId, commit: &Commit, tip: &Commit) -> Result<(), MergeError> {
    let record = place
        .git()
        .run(["commit-tree", "--no-gpg-sign", "-m", "The merge, and the branch that was merged"])
        .args(["-p", commit.as_str(), "-p", tip.as_str()])
        .arg(format!("{commit}^{{tree}}"))
        .read_line()?;
    let reference = reference(run);
    if own_ref::look(&place.common_dir, &reference)? == own_ref::Place::Taken {
        own_ref::make_room(&place.common_dir, &reference, run)?;
    }
    own_ref::update(place.git(), "agency: merging").args([reference, record]).read()?;
    Ok(())
}

/// Whether an earlier call merged exactly this.
pub(super) fn says_merged(git_dir: &Path, run: &RunId, tip: &Commit, target: &Commit) -> Result<bool, MergeError> {
    let reference = reference(run);
    let asked =
        GitCommand::on(git_dir).run(["rev-parse", "--verify", "--quiet"]).args([format!("{reference}^2")]).finish()?;
    if !asked.success || asked.stdout.trim_ascii_end() != tip.as_str().as_bytes() {
        return Ok(false);
    }
    let merged = GitCommand::on(git_dir).run(["rev-parse", "--verify"]).arg(format!("{reference}^1")).read_line()?;
    match merged.parse() {
        Ok(merged) => contains(git_dir, target, &merged),
        Err(_) => Ok(false),
    }
}
