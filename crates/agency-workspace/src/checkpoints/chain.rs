//! The checkpoints of a worktree: the first parents of one ref.
//!
//! The one rule: the ref moves by compare-and-swap, and a history that an agent wrote there ends at the first commit that
//! is not a checkpoint.

use std::path::Path;

use agency_model::RunId;

use super::super::git_command::GitCommand;
use super::super::own_ref;
use super::super::{Commit, Result, WorkspaceError, branch};
use super::message::{CheckpointMoment, parse, to_message};

/// The author of checkpoints.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "agency"),
    ("GIT_AUTHOR_EMAIL", "agency@localhost"),
    ("GIT_COMMITTER_NAME", "agency"),
    ("GIT_COMMITTER_EMAIL", "agency@localhost"),
];
/// Below this are the refs of all runs.
const PREFIX: &str = "refs/agency/checkpoints/";
/// No worktree has more; an agent could write a longer history.
const MAX_LISTED: u32 = 100_000;
/// A larger number is not one of ours; it leaves room for all that follow.
const MAX_NUMBER: u32 = u32::MAX - 1_000_000;

/// The files of a worktree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Counts the checkpoints of the worktree from 1.
    pub number: u32,
    /// The commit that holds the files.
    pub commit: Commit,
    /// The tree of that commit.
    pub tree: String,
    /// The commit that was checked out then; `None` on a branch without one.
    pub head: Option<Commit>,
    /// When it was taken, in seconds since 1970.
    pub taken_at: i64,
    /// Why, and at which moment of the conversation.
    pub moment: CheckpointMoment,
}

/// What is at the ref of a run.
pub(super) enum Tip {
    /// Nothing.
    Free,
    /// The last checkpoint.
    Last(Checkpoint),
    /// Something that is not a checkpoint.
    Foreign,
    /// A commit that cannot be read: a power cut can destroy what was written right before it.
    Broken,
}

/// The last checkpoint of a run.
pub(super) fn last(common_dir: &Path, run: &RunId) -> Result<Option<Checkpoint>> {
    match tip(common_dir, run)? {
        Tip::Last(checkpoint) => Ok(Some(checkpoint)),
        Tip::Free | Tip::Foreign | Tip::Broken => Ok(None),
    }
}

pub(super) fn tip(common_dir: &Path, run: &RunId) -> Result<Tip> {
    let name = run.checkpoints_ref();
    let mut found = match refs_below(common_dir, &name) {
        Err(WorkspaceError::Git { .. }) if is_broken(common_dir, &name)? => return Ok(Tip::Broken),
        found => found?,
    };
    Ok(match found.iter().position(|found| found.name == name) {
        Some(at) => found.swap_remove(at).checkpoint.map_or(Tip::Foreign, Tip::Last),
        None if found.is_empty() => Tip::Free,
        None => Tip::Foreign,
    })
}

/// Whether a ref leads to a commit that git cannot read.
fn is_broken(common_dir: &Path, name: &str) -> Result<bool> {
    let exists = GitCommand::on(common_dir).run(["rev-parse", "--verify", "--quiet"]).arg(name).finish()?.success;
    let read = GitCommand::on(common_dir).run(["cat-file", "commit"]).arg(name).finish()?.success;
    Ok(exists && !read)
}

/// The last checkpoint of each run of a repository.
pub(super) fn last_of_all(common_dir: &Path) -> Result<Vec<(RunId, Checkpoint)>> {
    let found = refs_below(common_dir, PREFIX)?.into_iter();
    let owned = found.filter_map(|found| Some((found.name.strip_prefix(PREFIX)?.parse().ok()?, found.checkpoint?)));
    Ok(owned.collect())
}

/// A ref, with the checkpoint that it points at.
struct FoundRef {
    name: String,
    checkpoint: Option<Checkpoint>,
}

fn refs_below(common_dir: &Path, pattern: &str) -> Result<Vec<FoundRef>> {
    let format = "--format=%(refname)%00%(symref)%00%(objectname)%00%(tree)%00%(parent)%00%(committerdate:unix)%00\
                  %(contents)%00";
    let printed = GitCommand::on(common_dir).run(["for-each-ref", format]).arg(pattern).read()?;
    let printed = String::from_utf8_lossy(&printed);
    let fields: Vec<&str> = printed.split('\0').collect();
    let refs = fields.chunks_exact(7).map(|fields| {
        let name = fields[0].trim_start_matches('\n').to_owned();
        let is_plain = fields[1].is_empty();
        FoundRef { name, checkpoint: read(&fields[2..]).filter(|_| is_plain) }
    });
    Ok(refs.collect())
}

/// Reads the id, the tree, the parents, the time and the message of a commit.
fn read(fields: &[&str]) -> Option<Checkpoint> {
    let [commit, tree, parents, time, message] = fields else { return None };
    let (number, moment) = parse(message).filter(|(number, _)| *number <= MAX_NUMBER)?;
    let parents: Vec<Commit> = parents.split(' ').filter_map(|parent| parent.parse().ok()).collect();
    let head = match (number, parents.as_slice()) {
        (1, [head]) | (2.., [_, head]) => Some(head.clone()),
        (1, []) | (2.., [_]) => None,
        _ => return None,
    };
    let tree: Commit = tree.parse().ok()?;
    let taken_at = time.trim().parse().ok()?;
    Some(Checkpoint { number, commit: commit.parse().ok()?, tree: tree.to_string(), head, taken_at, moment })
}

/// All checkpoints of a run, the last one first.
pub(super) fn list(common_dir: &Path, run: &RunId) -> Result<Vec<Checkpoint>> {
    let Some(last) = last(common_dir, run)? else { return Ok(vec![]) };
    let log = ["log", "-z", "--first-parent", "--no-show-signature", "--encoding=UTF-8"];
    let git = GitCommand::on(common_dir).run(log).arg("--format=%H%x01%T%x01%P%x01%ct%x01%B");
    let count = last.number.min(MAX_LISTED);
    let printed = git.arg(format!("--max-count={count}")).args([last.commit.as_str(), "--"]).read()?;
    let printed = String::from_utf8_lossy(&printed);
    let mut all: Vec<Checkpoint> = vec![];
    for record in printed.split('\0') {
        let fields: Vec<&str> = record.splitn(5, '\u{1}').collect();
        match read(&fields) {
            Some(found) if all.last().is_none_or(|later| later.number == found.number + 1) => all.push(found),
            Some(_) | None => break,
        }
    }
    Ok(all)
}

/// Writes the commit of a checkpoint, to which nothing leads yet.
pub(super) fn commit(
    git: GitCommand,
    tree: &str,
    (before, head): (Option<&Checkpoint>, Option<&Commit>),
    moment: &CheckpointMoment,
) -> Result<(u32, Commit)> {
    let number = before.map_or(1, |before| before.number.saturating_add(1));
    let parents = before.map(|before| &before.commit).into_iter().chain(head);
    let message = to_message(number, moment);
    let git = IDENTITY.iter().fold(git, |git, (name, value)| git.env(name, value));
    let git = git.run(["commit-tree", "--no-gpg-sign", "-m"]).arg(message);
    let made = git.args(parents.flat_map(|parent| ["-p", parent.as_str()])).arg(tree).read_line()?;
    let commit = made.parse().map_err(|_| WorkspaceError::Git {
        command: "commit-tree".to_owned(),
        directory: std::path::PathBuf::new(),
        message: format!("printed '{made}'"),
    })?;
    Ok((number, commit))
}

/// Lets the ref lead to a commit if it still is where it was; `false` if it is not.
pub(super) fn advance(
    git: GitCommand,
    common_dir: &Path,
    run: &RunId,
    (before, commit): (Option<&Commit>, &Commit),
) -> Result<bool> {
    let name = run.checkpoints_ref();
    // A new file could be empty after a power cut, one that replaces another cannot.
    let git = if before.is_none() { git.config("core.fsync=reference") } else { git };
    let git = own_ref::update_without_log(git, "agency: checkpoint");
    let moved = git.args([name.as_str(), commit.as_str(), before.map_or("", Commit::as_str)]).finish()?;
    if moved.success {
        return Ok(true);
    }
    if branch::commit_of(common_dir, &name)?.as_ref() != before {
        return Ok(false);
    }
    Err(own_ref::not_moved(common_dir, moved.stderr))
}

/// Moves what is not a checkpoint from the name of the ref.
pub(super) fn make_room(common_dir: &Path, run: &RunId) -> Result<()> {
    own_ref::make_room(common_dir, &run.checkpoints_ref(), run)
}

/// Deletes a ref that leads to nothing that can be read: it would stop `git gc`.
pub(super) fn delete_broken(common_dir: &Path, run: &RunId) -> Result<()> {
    let git = GitCommand::on(common_dir).config("core.hooksPath=/dev/null");
    own_ref::delete_any(git, &run.checkpoints_ref())
}

/// Deletes the ref with the checkpoints; whether something was there. What is not a checkpoint is kept under another name.
pub(super) fn delete(common_dir: &Path, run: &RunId) -> Result<bool> {
    let name = run.checkpoints_ref();
    match tip(common_dir, run)? {
        Tip::Last(last) => {
            let git = GitCommand::on(common_dir).config("core.hooksPath=/dev/null");
            own_ref::delete(git, &name, last.commit.as_str()).map(|()| true)
        }
        Tip::Foreign => make_room(common_dir, run).map(|()| true),
        Tip::Broken => delete_broken(common_dir, run).map(|()| true),
        // Git does not list a symbolic ref that leads nowhere.
        Tip::Free if own_ref::is_symbolic(common_dir, &name)? => make_room(common_dir, run).map(|()| true),
        Tip::Free => Ok(false),
    }
}
