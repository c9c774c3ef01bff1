//! Saves the commits that only git's entry for a worktree leads to: refs of the worktree's own, logs, and notes of git's
//! operations.
//!
//! The one rule: an agent can write the entry, so names and ids from it are checked, and no file in it runs anything.

mod lost;

use std::collections::HashSet;
use std::path::Path;

use agency_model::RunId;

use self::lost::Lost;
use super::captured::standard_input;
use super::git_command::GitCommand;
use super::head::{Head, id_in, is_ref_name};
use super::noted_commits;
use super::own_ref::{self, RefState};
use super::tree_walk::walk;
use super::{Result, WorkspaceError, branch_log, entry, link, snapshot};

/// The refs that each worktree has for itself.
const OWN_REFS: [&str; 3] = ["refs/worktree", "refs/bisect", "refs/rewritten"];
/// How many parents one commit that joins others has, at most: more do not fit on a command line.
const MAX_PARENTS: usize = 1000;

/// A ref to create.
struct NewRef {
    name: String,
    id: String,
}

/// The commits of a run that only its worktree, or the log of its branch, leads to.
pub(super) struct OwnCommits<'a> {
    pub(super) common_dir: &'a Path,
    pub(super) work_tree: &'a Path,
    pub(super) run: &'a RunId,
    /// The run's branch, if it is deleted with the worktree: then its log goes, too.
    pub(super) deleted_branch: Option<&'a str>,
}

impl OwnCommits<'_> {
    /// Saves what goes with the entry of a worktree, with those of worktrees inside its directory, and with the branch.
    /// Names all refs that hold such commits of the run, those of an earlier attempt too.
    pub(super) fn save(&self, admin_dir: Option<&Path>) -> Result<Vec<String>> {
        let saved = self.run.saved_work_ref();
        if let Some(admin_dir) = admin_dir {
            self.save_entry(admin_dir, &format!("{saved}-"))?;
        }
        for (number, inner) in entry::entries_below(self.common_dir, self.work_tree).iter().enumerate() {
            let name = inner.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let named = format!("{saved}-worktrees/{name}/");
            let is_usable = is_ref_name(&format!("{named}log"));
            let prefix = if is_usable { named } else { format!("{saved}-worktrees/{number}/") };
            self.save_entry(inner, &prefix)?;
            // An index that an agent damaged does not stop a removal: the files are kept.
            if let Ok(Some(staged)) = snapshot::staged_commit(self.common_dir, inner, self.run) {
                make(self.common_dir, vec![NewRef { name: format!("{prefix}staged"), id: staged.to_string() }])?;
            }
        }
        if let Some(branch) = self.deleted_branch {
            let in_log = branch_log::commits(self.common_dir, branch);
            // The branch still exists: what it leads to goes as the user wished.
            let candidates = in_log.iter().map(String::as_str).collect();
            let lost = lost::find(self.common_dir, candidates, &HashSet::new())?;
            self.make_refs(&[], lost, &format!("{saved}-"))?;
        }
        find(self.common_dir, self.run)
    }

    /// The commits that cannot be saved, since a part of their history is missing. Git is asked only where the entry
    /// names a commit that the log of the run's branch does not have.
    pub(super) fn incomplete(&self, admin_dir: &Path, branch: &str) -> Result<Vec<String>> {
        let named = Named::by(self.common_dir, admin_dir);
        let in_log = branch_log::commits(self.common_dir, branch);
        if named.candidates().iter().all(|id| in_log.contains(*id)) {
            return Ok(vec![]);
        }
        let mut kept = self.kept_by_log(named.head.as_ref());
        // The ref of the saved work leads to it.
        if let Some(Head::Detached(commit)) = &named.head {
            kept.insert(commit.to_string());
        }
        Ok(lost::find(self.common_dir, named.candidates(), &kept)?.broken)
    }

    /// Whether a removal would make refs for what the entry of the worktree leads to.
    pub(super) fn exist(&self, admin_dir: &Path) -> Result<bool> {
        let named = Named::by(self.common_dir, admin_dir);
        let lost = lost::find(self.common_dir, named.candidates(), &self.kept_by_log(named.head.as_ref()))?;
        Ok(!named.refs.is_empty() || !lost.all.is_empty() || !lost.broken.is_empty())
    }

    fn save_entry(&self, admin_dir: &Path, prefix: &str) -> Result<()> {
        let named = Named::by(self.common_dir, admin_dir);
        let kept = self.kept_by_log(named.head.as_ref());
        let lost = lost::find(self.common_dir, named.candidates(), &kept)?;
        self.make_refs(&named.refs, lost, prefix)
    }

    /// The commits in the log of the branch that is checked out, if that stays.
    fn kept_by_log(&self, head: Option<&Head>) -> HashSet<String> {
        let branch = head.and_then(Head::branch_name).filter(|name| Some(*name) != self.deleted_branch);
        branch.map(|name| branch_log::commits(self.common_dir, name)).unwrap_or_default()
    }

    /// Makes a ref for each of the worktree's own refs that holds something lost, and one for all other lost commits.
    fn make_refs(&self, own: &[(String, String)], lost: Lost, prefix: &str) -> Result<()> {
        let is_other = other_objects(self.common_dir, own)?;
        let mut new = vec![];
        for (name, id) in own {
            if lost.all.contains(id) || is_other.contains(id) {
                new.push(NewRef { name: format!("{prefix}{name}"), id: id.clone() });
            }
        }
        let held: HashSet<&str> = own.iter().map(|(_, id)| id.as_str()).collect();
        let tips: Vec<&str> = lost.tips.iter().map(String::as_str).filter(|tip| !held.contains(tip)).collect();
        if let Some(id) = joined(self.common_dir, &tips)? {
            new.push(NewRef { name: format!("{prefix}log"), id });
        }
        make(self.common_dir, new)?;
        if lost.broken.is_empty() { Ok(()) } else { Err(WorkspaceError::IncompleteHistory { commits: lost.broken }) }
    }
}

/// What git's entry for a worktree names.
struct Named {
    /// The worktree's own refs, with what they point at.
    refs: Vec<(String, String)>,
    head: Option<Head>,
    /// Commits in logs, notes and a detached HEAD.
    noted: HashSet<String>,
}

impl Named {
    fn by(common_dir: &Path, admin_dir: &Path) -> Self {
        let head = Head::read(admin_dir, common_dir);
        let mut noted = noted_commits::find(admin_dir);
        if let Some(Head::Detached(commit)) = &head {
            noted.insert(commit.to_string());
        }
        Self { refs: own_refs(common_dir, admin_dir), head, noted }
    }

    fn candidates(&self) -> HashSet<&str> {
        self.refs.iter().map(|(_, id)| id).chain(&self.noted).map(String::as_str).collect()
    }
}

/// Whether nothing but checkpoints leads to some of these commits.
pub(super) fn any_lost(common_dir: &Path, commits: HashSet<&str>) -> Result<bool> {
    let lost = lost::find(common_dir, commits, &HashSet::new())?;
    Ok(!lost.all.is_empty() || !lost.broken.is_empty())
}

/// The refs that hold commits of a run beside its saved work.
pub(super) fn find(common_dir: &Path, run: &RunId) -> Result<Vec<String>> {
    let pattern = |kind: &str| format!("{}-{kind}", run.saved_work_ref());
    let patterns = ["refs", "log", "log.*", "odd", "worktrees"].map(pattern);
    let listed = GitCommand::on(common_dir).run(["for-each-ref", "--format=%(refname)"]).args(patterns).read()?;
    Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
}

/// The worktree's own refs with what they point at. Others, as one that points at a ref, hold nothing by themselves.
fn own_refs(common_dir: &Path, admin_dir: &Path) -> Vec<(String, String)> {
    if admin_dir.join("reftable").is_dir() {
        let git = GitCommand::on(admin_dir).env("GIT_COMMON_DIR", common_dir);
        let listed = git.run(["for-each-ref", "--format=%(objectname) %(refname)"]).args(OWN_REFS).read();
        let text = String::from_utf8_lossy(&listed.unwrap_or_default()).into_owned();
        let pair = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        return text.lines().filter_map(pair).filter(|(name, _)| is_ref_name(name)).collect();
    }
    let mut found = vec![];
    walk(
        &admin_dir.join("refs"),
        |_| false,
        |path, kind| {
            let name = path.strip_prefix(admin_dir).ok().and_then(Path::to_str).filter(|name| is_ref_name(name));
            let content = name.filter(|_| kind.is_file()).and_then(|_| link::read_small(path).ok());
            let id = content.and_then(|content| id_in(&content));
            found.extend(name.zip(id).map(|(name, id)| (name.to_owned(), id)));
        },
    );
    found
}

/// Objects of refs that are not commits.
fn other_objects(common_dir: &Path, own: &[(String, String)]) -> Result<HashSet<String>> {
    if own.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: String = own.iter().map(|(_, id)| format!("{id}\n")).collect();
    let given = standard_input(ids.as_bytes()).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    let printed = GitCommand::on(common_dir)
        .run(["cat-file", "--batch-check=%(objectname) %(objecttype)"])
        .input(given)
        .read()?;
    let text = String::from_utf8_lossy(&printed).into_owned();
    let is_other = |kind: &str| matches!(kind, "tag" | "tree" | "blob");
    let others = text.lines().filter_map(|line| line.split_once(' ')).filter(|(_, kind)| is_other(kind));
    Ok(others.map(|(id, _)| id.to_owned()).collect())
}

/// One commit that leads to all of these; `None` for none.
fn joined(common_dir: &Path, tips: &[&str]) -> Result<Option<String>> {
    match tips {
        [] => Ok(None),
        [one] => Ok(Some((*one).to_owned())),
        many if many.len() > MAX_PARENTS => {
            let parts: Result<Vec<_>> = many.chunks(MAX_PARENTS).map(|part| joined(common_dir, part)).collect();
            let parts: Vec<String> = parts?.into_iter().flatten().collect();
            joined(common_dir, &parts.iter().map(String::as_str).collect::<Vec<_>>())
        }
        several => {
            // Standard input is empty, and so is the tree.
            let tree = git(common_dir).run(["mktree"]).read_line()?;
            let message = "Commits of a removed worktree\n\nNo branch, tag or remote has them.";
            let parents = several.iter().flat_map(|tip| ["-p", tip]);
            let commit = git(common_dir)
                .env("GIT_AUTHOR_NAME", "agency")
                .env("GIT_AUTHOR_EMAIL", "agency@localhost")
                .env("GIT_COMMITTER_NAME", "agency")
                .env("GIT_COMMITTER_EMAIL", "agency@localhost")
                .run(["commit-tree", "--no-gpg-sign", "-m", message]);
            commit.args(parents).arg(tree).read_line().map(Some)
        }
    }
}

/// Makes refs, in one step. What an earlier attempt saved under a name stays there.
fn make(common_dir: &Path, new: Vec<NewRef>) -> Result<()> {
    let mut changes = vec![];
    for NewRef { name, id } in new {
        let numbered = (1_u32..).map(|number| format!("{name}.{number}"));
        for name in std::iter::once(name.clone()).chain(numbered) {
            match own_ref::state(common_dir, &name)? {
                RefState::Holds(found) if found == id => break,
                RefState::Holds(_) | RefState::Taken => {}
                RefState::Free => {
                    changes.push(format!("create {name} {id}"));
                    break;
                }
            }
        }
    }
    own_ref::change_all(git(common_dir), "agency: saved before removal", &changes)
}

fn git(common_dir: &Path) -> GitCommand {
    let git = GitCommand::on(common_dir).config("core.hooksPath=/dev/null");
    git.config("core.fsync=committed,loose-object,reference")
}
