//! The ref that keeps the work of a run whose workspace is gone.
//!
//! The one rule: a ref that older versions wrote is read like a new one, and moved only in one step with the new one.

use std::collections::HashMap;
use std::path::Path;

use agency_model::RunId;

use super::git_command::GitCommand;
use super::own_ref::{self, RefState};
use super::{Commit, Repository, Result, SavedWork};

/// Every ref of ours, among them those of older versions.
const OWN_REFS: &str = "refs/agency/";

/// The outcome for a ref that an older version wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MovedRef {
    /// The work is at the new ref only, now or since an earlier attempt.
    Moved,
    /// The new ref holds other work, so both stay.
    Both,
    /// Neither ref exists any more.
    Missing,
}

/// The ref and the commit of the work that was saved for a run, by this version or an older one.
pub(super) fn locate(git_dir: &Path, run: &RunId) -> Result<Option<(String, Commit)>> {
    for reference in [run.saved_work_ref(), run.old_saved_work_ref()] {
        if let Some(commit) = own_ref::commit_at(git_dir, &reference)? {
            return Ok(Some((reference, commit)));
        }
    }
    Ok(None)
}

/// The work that was saved for a run; `None` when there is none.
pub(super) fn find(git_dir: &Path, run: &RunId, base: &Commit) -> Result<Option<SavedWork>> {
    match locate(git_dir, run)? {
        Some((reference, commit)) => Ok(Some(describe(git_dir, reference, commit, base)?)),
        None => Ok(None),
    }
}

/// Counts what a saved commit holds.
pub(super) fn describe(git_dir: &Path, reference: String, commit: Commit, base: &Commit) -> Result<SavedWork> {
    let names = GitCommand::on(git_dir)
        .run(["diff-tree", "-r", "--name-only", "-z"])
        .comparing_links()
        .args([base.as_str(), commit.as_str()])
        .read()?;
    let files = names.iter().filter(|byte| **byte == 0).count();
    Ok(SavedWork { reference, commit, files })
}

/// Moves the old refs of runs of one repository to where this version saves work. Safe to repeat, and to do while
/// others save.
pub fn move_old_refs(root: &Path, runs: &[RunId]) -> Result<Vec<MovedRef>> {
    let git_dir = Repository::from_root(root.to_owned()).common_dir()?;
    let refs = own_refs(&git_dir)?;
    runs.iter().map(|run| move_one(&git_dir, run, &refs)).collect()
}

fn move_one(git_dir: &Path, run: &RunId, refs: &HashMap<String, Commit>) -> Result<MovedRef> {
    let (old, new) = (run.old_saved_work_ref(), run.saved_work_ref());
    let changes = match (refs.get(&old), refs.get(&new)) {
        (None, Some(_)) => return Ok(MovedRef::Moved),
        (None, None) => return Ok(MovedRef::Missing),
        (Some(before), None) => {
            if own_ref::state(git_dir, &new)? != RefState::Free {
                own_ref::make_room(git_dir, &new, run)?;
            }
            vec![format!("create {new} {before}"), format!("delete {old} {before}")]
        }
        (Some(before), Some(after)) if contains(git_dir, after, before)? => vec![format!("delete {old} {before}")],
        (Some(_), Some(_)) => return Ok(MovedRef::Both),
    };
    // One transaction, so that there is no moment without a ref.
    let git = GitCommand::on(git_dir).config("core.hooksPath=/dev/null");
    own_ref::change_all(git, "agency: moved", &changes)?;
    Ok(MovedRef::Moved)
}

/// Whether everything of `older` is in the history of `newer`.
fn contains(git_dir: &Path, newer: &Commit, older: &Commit) -> Result<bool> {
    let asked = GitCommand::on(git_dir).run(["merge-base", "--is-ancestor"]).args([older.as_str(), newer.as_str()]);
    Ok(asked.finish()?.success)
}

fn own_refs(git_dir: &Path) -> Result<HashMap<String, Commit>> {
    let printed = GitCommand::on(git_dir)
        .run(["for-each-ref", "--format=%(symref) %(objectname) %(refname)"])
        .arg(OWN_REFS)
        .read()?;
    let text = String::from_utf8_lossy(&printed);
    // A line of a symbolic ref, which holds nothing, does not begin with the separator.
    let entry = |line: &str| {
        let (id, name) = line.strip_prefix(' ')?.split_once(' ')?;
        Some((name.to_owned(), id.parse().ok()?))
    };
    Ok(text.lines().filter_map(entry).collect())
}
