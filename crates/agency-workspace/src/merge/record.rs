//! Remembers a merge that leaves no trace in history: a squash or a rebase makes commits that do not name the branch.
//!
//! The one rule: it is written before the target moves, and counts only once the target holds what it names. An agent can
//! write the ref, so it counts only if a private file confirms it, or if the commit that it names has all changes of the
//! branch.

use std::io::{self, Write};
use std::path::Path;

use agency_model::RunId;

use super::super::git_command::GitCommand;
use super::super::{Commit, GitWorktree, WorkspaceError, branch, link, own_ref};
use super::context::MergeContext;
use super::merge_tree::{Combined, merge_tree};
use super::{MergeError, MergeRequest, contains};

fn reference(run: &RunId) -> String {
    format!("refs/agency/merged/{run}")
}

/// Remembers that `commit` is the merge of `tip`, at the run's ref and in the private file.
pub(super) fn write(
    place: &MergeContext,
    run: &RunId,
    (commit, tip): (&Commit, &Commit),
    file: Option<&Path>,
) -> Result<(), MergeError> {
    let record = place
        .git()
        .run(["commit-tree", "--no-gpg-sign", "-m", "The merge, and the branch that was merged"])
        .args(["-p", commit.as_str(), "-p", tip.as_str()])
        .arg(format!("{commit}^{{tree}}"))
        .read_line()?;
    let reference = reference(run);
    if own_ref::state(&place.common_dir, &reference)? == own_ref::RefState::Taken {
        own_ref::make_room(&place.common_dir, &reference, run)?;
    }
    own_ref::update(place.git(), "agency: merging").args([reference.as_str(), record.as_str()]).read()?;
    if let Some(file) = file {
        write_private(file, &record).map_err(WorkspaceError::io("write", file))?;
    }
    Ok(())
}

/// Replaces a file in one step.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut draft = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(path).map(drop).map_err(|error| error.error)
}

/// Whether an earlier call merged `tip` into what `target` points at now.
pub(super) fn says_merged(
    common_dir: &Path,
    worktree: &GitWorktree,
    (tip, target): (&Commit, &Commit),
    request: &MergeRequest,
) -> Result<bool, MergeError> {
    let reference = reference(&worktree.run);
    let commit = |name: &str| branch::commit_of(common_dir, &format!("{reference}{name}"));
    if commit("^2")?.as_ref() != Some(tip) {
        return Ok(false);
    }
    let (Some(record), Some(merged)) = (commit("")?, commit("^1")?) else { return Ok(false) };
    if !contains(common_dir, target, &merged)? {
        return Ok(false);
    }
    if is_confirmed(request.record.as_deref(), &record) {
        return Ok(true);
    }
    let place = MergeContext::read(common_dir, worktree, &request.into)?;
    let tree = GitCommand::on(common_dir).run(["rev-parse", "--verify"]).arg(format!("{merged}^{{tree}}"));
    // Where the merge brings nothing to the commit, all changes are in it.
    match merge_tree(&place, None, &merged, tip)? {
        Combined::Clean(combined) => Ok(combined == tree.read_line()?),
        Combined::Conflicts(_) => Ok(false),
    }
}

fn is_confirmed(file: Option<&Path>, record: &Commit) -> bool {
    file.and_then(|file| link::read_small(file).ok())
        .is_some_and(|text| text.trim_ascii() == record.as_str().as_bytes())
}
