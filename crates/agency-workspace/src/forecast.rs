//! Finds out which states of files would conflict, before any of them is merged.
//!
//! The one rule: nothing visible changes. What is written are objects in a private directory, which end with the value;
//! each verdict is about trees that do not change any more.

mod bases;
mod chain;
mod merges;
mod paths;
mod weights;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::diff_index::DiffIndex;
use super::git_command::GitCommand;
use super::merge::{check_target, tip_of};
use super::private_git::{ATTRIBUTES_FROM, as_alternate};
use super::registered::{self, RegisteredWorktree};
use super::temporary::TemporaryDirectory;
use super::worktree_lookup::FoundWorktree;
use super::{Commit, Conflict, GitWorktree, MergeError, Repository, Result, WorkspaceError};
use bases::Bases;
use paths::ChangedPaths;

pub use chain::ChainBreak;

/// Files to be merged, and the commit that they were made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorkState {
    /// The commit whose history says where the work began.
    pub commit: Commit,
    /// The tree of the files.
    pub tree: Commit,
}

/// What would become of a merge of two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They merge without a conflict.
    Clean,
    /// The first has everything that the second has.
    Nothing,
    /// These files do not merge.
    Conflicts(Vec<Conflict>),
    /// It is not known.
    Unknown {
        /// Why not.
        reason: String,
    },
}

/// Two states by their positions; the first is the one that is merged into.
pub type Pair = (usize, usize);

/// What was recorded about the files of a run at the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedState {
    /// The full name of the ref.
    pub reference: String,
    /// The files, and the commit that was checked out then.
    pub state: WorkState,
}

/// A repository in which merges are tried. What was read for it is released with it.
pub struct MergeForecast {
    /// The directory that all worktrees of the repository share.
    common_dir: PathBuf,
    /// Where a user would merge; never the worktree of a run.
    top: PathBuf,
    /// The other worktrees, with what they had checked out at the beginning.
    worktrees: Vec<RegisteredWorktree>,
    /// The indexes of worktrees that were looked at, which must not be cleared meanwhile.
    snapshots: Vec<DiffIndex>,
    directory: TemporaryDirectory,
}

impl MergeForecast {
    /// Prepares for a repository.
    pub fn of(repository: &Path) -> std::result::Result<Self, MergeError> {
        let common_dir = Repository::from_root(repository.to_owned()).common_dir()?;
        let worktrees = registered::list(&common_dir)?;
        let top = worktrees.main_tree(&common_dir).unwrap_or_else(|| common_dir.clone());
        let directory = TemporaryDirectory::new()?;
        for name in ["objects", "commits"] {
            let path = directory.path().join(name);
            fs::create_dir(&path).map_err(WorkspaceError::io("create", &path))?;
        }
        Ok(Self { common_dir, top, worktrees: worktrees.linked, snapshots: vec![], directory })
    }

    /// What a branch holds now.
    pub fn branch(&self, name: &str) -> std::result::Result<WorkState, MergeError> {
        // No branch has an empty name.
        let name = check_target(&self.common_dir, "", name)?;
        let tip = tip_of(&self.common_dir, &name)?.ok_or(MergeError::TargetMissing { name })?;
        Ok(WorkState { tree: self.tree_of(&tip)?, commit: tip })
    }

    /// The commit that a worktree had checked out at the beginning; nothing if it is not there, or not git's any more.
    #[must_use]
    pub fn checked_out(&self, worktree: &GitWorktree) -> Option<&Commit> {
        let real = fs::canonicalize(&worktree.path).ok()?;
        let found = self.worktrees.iter().find(|entry| entry.path == real || entry.path == worktree.path)?;
        found.head.as_ref()
    }

    /// What a worktree holds now, committed or not. The repository does not grow.
    pub fn snapshot(&mut self, worktree: &GitWorktree) -> Result<WorkState> {
        let lookup = FoundWorktree::find(worktree)?;
        let checkout = lookup.checkout(worktree)?.keeping(worktree.looks.as_deref());
        let commit = checkout.head.commit(&checkout.common_dir)?.unwrap_or_else(|| worktree.base.clone());
        let index = DiffIndex::at(&checkout)?;
        let tree = object_id(&index.tree()?)?;
        self.snapshots.push(index);
        Ok(WorkState { commit, tree })
    }

    /// What is recorded in the refs below a prefix: each is a commit of the files whose last parent was checked out.
    pub fn recorded(&self, prefix: &str) -> Result<Vec<RecordedState>> {
        let format = "--format=%(refname) %(tree) %(parent)";
        let printed = GitCommand::on(&self.common_dir).run(["for-each-ref"]).args([format, prefix]).read()?;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let state = |line: &str| {
            let mut words = line.split(' ');
            let (reference, tree) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
            let commit = words.next_back()?.parse().ok()?;
            Some(RecordedState { reference, state: WorkState { commit, tree } })
        };
        Ok(text.lines().filter_map(state).collect())
    }

    /// Which of the states are in the repository, with one process. Git's files of a worktree can name any commit.
    pub fn exist(&self, states: &[WorkState]) -> Result<Vec<bool>> {
        let names = |state: &WorkState| [format!("{}^{{commit}}", state.commit), format!("{}^{{tree}}", state.tree)];
        let found = self.resolve(&states.iter().flat_map(names).collect::<Vec<_>>())?;
        Ok(found.chunks(2).map(|both| both.iter().all(Option::is_some)).collect())
    }

    /// Says of each pair what a merge would give. `attributes` is the tree whose attributes apply, as that of the target
    /// does when a branch is merged into it.
    pub fn verdicts(&self, states: &[WorkState], pairs: &[Pair], attributes: &Commit) -> Result<Vec<Verdict>> {
        let commits = self.commits(states)?;
        let bases = Bases::read(self, states)?;
        let changed = ChangedPaths::read(self, states, pairs, &bases)?;
        let mut verdicts = vec![Verdict::Clean; pairs.len()];
        let mut lines = Vec::new();
        for (position, pair) in pairs.iter().enumerate() {
            match bases.of(*pair) {
                [] => {
                    let reason = "they have no commit in common".to_owned();
                    verdicts[position] = Verdict::Unknown { reason };
                }
                [base] if changed.is_empty(pair.1, base) => verdicts[position] = Verdict::Nothing,
                [base] if changed.may_conflict(*pair, base) => {
                    lines.push((position, format!("{base} -- {} {}", commits[pair.0], commits[pair.1])));
                }
                [_] => {}
                // Git merges the bases first.
                [_, _, ..] => lines.push((position, format!("{} {}", commits[pair.0], commits[pair.1]))),
            }
        }
        merges::try_all(self, &lines, attributes, &mut verdicts)?;
        Ok(verdicts)
    }

    /// Starts to describe a git command where a user would merge, whose new objects are private.
    fn git(&self) -> GitCommand {
        let mut others = as_alternate(&self.common_dir.join("objects"));
        for snapshot in &self.snapshots {
            others.push(":");
            others.push(as_alternate(&snapshot.objects()));
        }
        GitCommand::at(&self.top)
            .env("GIT_OBJECT_DIRECTORY", self.directory.path().join("objects"))
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others)
    }

    /// The same with the attributes of a tree.
    fn git_with(&self, attributes: &Commit) -> GitCommand {
        self.git().env(ATTRIBUTES_FROM, attributes.as_str())
    }

    /// A commit for each state: its files on top of its history.
    fn commits(&self, states: &[WorkState]) -> Result<Vec<Commit>> {
        let drafts: Vec<(&Commit, Vec<&Commit>)> =
            states.iter().map(|state| (&state.tree, vec![&state.commit])).collect();
        self.write_commits(&drafts)
    }

    /// Writes commits that only this forecast sees, with one process for all of them.
    fn write_commits(&self, drafts: &[(&Commit, Vec<&Commit>)]) -> Result<Vec<Commit>> {
        let mut list = Vec::new();
        for (number, (tree, parents)) in drafts.iter().enumerate() {
            let path = self.directory.path().join("commits").join(number.to_string());
            let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
            let who = "agency <agency@localhost> 0 +0000";
            let content = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\nforecast\n");
            fs::write(&path, content).map_err(WorkspaceError::io("write", &path))?;
            list.extend_from_slice(path.as_os_str().as_encoded_bytes());
            list.push(b'\n');
        }
        let git = self.git().run(["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"]);
        let printed = String::from_utf8_lossy(&git.input(self.input(&list)?).read()?).into_owned();
        let commits: Vec<Commit> = printed.lines().filter_map(|line| line.parse().ok()).collect();
        if commits.len() == drafts.len() { Ok(commits) } else { Err(self.odd_answer("hash-object")) }
    }

    fn tree_of(&self, commit: &Commit) -> Result<Commit> {
        let found = self.resolve(&[format!("{commit}^{{tree}}")])?.into_iter().next().flatten();
        found.ok_or_else(|| self.odd_answer("cat-file"))
    }

    /// The ids of objects, `None` for each that is missing; with one process.
    fn resolve(&self, names: &[String]) -> Result<Vec<Option<Commit>>> {
        let list: String = names.iter().map(|name| format!("{name}\n")).collect();
        let git = self.git().run(["cat-file", "--batch-check=%(objectname)"]);
        let printed = String::from_utf8_lossy(&git.input(self.input(list.as_bytes())?).read()?).into_owned();
        let found: Vec<Option<Commit>> = printed.lines().map(|line| line.parse().ok()).collect();
        if found.len() == names.len() { Ok(found) } else { Err(self.odd_answer("cat-file")) }
    }

    /// A file that git reads as its standard input.
    fn input(&self, content: &[u8]) -> Result<fs::File> {
        let path = self.directory.path().join("input");
        fs::write(&path, content).and_then(|()| fs::File::open(&path)).map_err(WorkspaceError::io("write", &path))
    }

    fn odd_answer(&self, command: &str) -> WorkspaceError {
        let message = "printed something else than expected".to_owned();
        WorkspaceError::Git { command: command.to_owned(), directory: self.top.clone(), message }
    }
}

/// The id of any object.
fn object_id(text: &str) -> Result<Commit> {
    text.parse().map_err(|_| WorkspaceError::Git {
        command: "rev-parse".to_owned(),
        directory: PathBuf::new(),
        message: format!("printed '{text}'"),
    })
}

/// Bytes as a path.
fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}
