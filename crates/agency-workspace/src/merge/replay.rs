//! Makes the commits of a branch anew on top of another, as `git rebase` does, without a working tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::super::Commit;
use super::MergeError;
use super::combine::{Made, NewCommit, message_file, tree_of};
use super::context::MergeContext;
use super::merge_tree::{Combined, merge_tree};

/// Replays what `onto` does not have. Commits that were merges, or whose changes are there already, fall away.
pub(super) fn replay(place: &MergeContext, onto: &Commit, tip: &Commit) -> Result<Made, MergeError> {
    let mut newest = onto.clone();
    for (commit, parent) in to_replay(place, onto, tip)? {
        if parent.as_ref() == Some(&newest) {
            newest = commit;
            continue;
        }
        let tree = match merge_tree(place, parent.as_ref(), &newest, &commit)? {
            Combined::Clean(tree) => tree,
            Combined::Conflicts(conflicts) => return Ok(Made::Conflicts { at: Some(commit), conflicts }),
        };
        let was_empty = match &parent {
            Some(parent) => tree_of(place, parent)? == tree_of(place, &commit)?,
            None => false,
        };
        if was_empty || tree != tree_of(place, &newest)? {
            newest = commit_again(place, &commit, &tree, &newest)?;
        }
    }
    Ok(if newest == *onto { Made::Nothing } else { Made::Commit(newest) })
}

/// The commits to replay, oldest first, each with its parent.
fn to_replay(place: &MergeContext, onto: &Commit, tip: &Commit) -> Result<Vec<(Commit, Option<Commit>)>, MergeError> {
    let listed = place
        .git()
        .run(["rev-list", "--reverse", "--topo-order", "--parents", "--no-merges", "--cherry-pick", "--right-only"])
        .arg(format!("{onto}...{tip}"))
        .read_line()?;
    let line = |line: &str| {
        let mut ids = line.split(' ');
        let commit = ids.next()?.parse().ok()?;
        Some((commit, ids.next().and_then(|parent| parent.parse().ok())))
    };
    Ok(listed.lines().filter_map(line).collect())
}

/// Makes a commit with the author, date and message of another one.
fn commit_again(place: &MergeContext, commit: &Commit, tree: &str, parent: &Commit) -> Result<Commit, MergeError> {
    let printed = place
        .git()
        .run(["log", "--max-count=1", "--no-show-signature", "--encoding=UTF-8", "--date=raw"])
        .arg("--format=%an%x00%ae%x00@%ad%x00%B")
        .arg(commit.as_str())
        .read()?;
    let mut fields = printed.splitn(4, |byte| *byte == 0);
    let author = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"].map(|name| {
        let value = fields.next().unwrap_or_default();
        (name, OsStr::from_bytes(value).to_owned())
    });
    let git = author.iter().fold(place.git(), |git, (name, value)| git.env(name, value));
    let message = fields.next().unwrap_or_default();
    // The line feed that ends what git prints is not part of it.
    let message = message_file(message.strip_suffix(b"\n").unwrap_or(message))?;
    NewCommit { tree, parents: &[parent], message: message.path() }.make(place, git)
}
