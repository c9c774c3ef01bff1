//! Writes and deletes the refs below `refs/agency` and the branches of runs.
//!
//! The one rule: an agent can put anything at such a name, so a symbolic ref is never followed: it is replaced or deleted
//! itself, and what it leads to stays.

use std::path::Path;

use agency_model::RunId;

use super::captured::standard_input;
use super::git_command::GitCommand;
use super::{Commit, Result, WorkspaceError, branch};

/// What is at the name of a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RefState {
    /// Nothing.
    Free,
    /// A ref that points at this object.
    Holds(String),
    /// A symbolic ref, or refs below the name.
    Taken,
}

/// Describes a command that sets a ref to an object; its arguments are the name, the object and what the ref was.
pub(super) fn update(git: GitCommand, message: &str) -> GitCommand {
    git.run(["update-ref", "--no-deref", "--create-reflog", "-m"]).arg(message)
}

/// Lets HEAD of a git directory name a commit, and no branch.
pub(super) fn detach_head(git: GitCommand, commit: &Commit) -> Result<()> {
    git.run(["update-ref", "--no-deref", "HEAD"]).arg(commit.as_str()).read().map(drop)
}

/// The same for a ref whose own commits are its log.
pub(super) fn update_without_log(git: GitCommand, message: &str) -> GitCommand {
    git.run(["update-ref", "--no-deref", "-m"]).arg(message)
}

/// The error for a ref that was not moved.
pub(super) fn not_moved(git_dir: &Path, message: String) -> WorkspaceError {
    WorkspaceError::Git { command: "update-ref --no-deref".to_owned(), directory: git_dir.to_owned(), message }
}

/// Deletes a ref, whatever it leads to.
pub(super) fn delete_any(git: GitCommand, name: &str) -> Result<()> {
    git.run(["update-ref", "--no-deref", "-d"]).arg(name).read().map(drop)
}

/// Deletes a ref, but only while it still points at an object.
pub(super) fn delete(git: GitCommand, name: &str, object: &str) -> Result<()> {
    git.run(["update-ref", "--no-deref", "-d"]).args([name, object]).read().map(drop)
}

/// Makes changes in one step. Each is a line for `git update-ref --stdin`.
pub(super) fn change_all(git: GitCommand, message: &str, changes: &[String]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    // An option holds for the next line only.
    let lines: String = changes.iter().map(|change| format!("option no-deref\n{change}\n")).collect();
    let given = standard_input(lines.as_bytes()).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    let git = git.run(["update-ref", "--no-deref", "--create-reflog", "--stdin", "-m"]).arg(message);
    git.input(given).read().map(drop)
}

/// What is at a name.
pub(super) fn state(git_dir: &Path, name: &str) -> Result<RefState> {
    if is_symbolic(git_dir, name)? {
        return Ok(RefState::Taken);
    }
    let found = at_and_below(git_dir, name)?;
    Ok(match found.as_slice() {
        [] => RefState::Free,
        [one] if one.name == name => RefState::Holds(one.object.clone()),
        [_, ..] => RefState::Taken,
    })
}

/// The commit that a ref itself points at; `None` for a symbolic ref, and for one that points at something else.
pub(super) fn commit_at(git_dir: &Path, name: &str) -> Result<Option<Commit>> {
    let Some(commit) = branch::commit_of(git_dir, name)? else { return Ok(None) };
    let is_itself = state(git_dir, name)? == RefState::Holds(commit.to_string());
    Ok(is_itself.then_some(commit))
}

/// Whether a ref names another ref, which need not exist.
pub(super) fn is_symbolic(git_dir: &Path, name: &str) -> Result<bool> {
    target(git_dir, name).map(|target| target.is_some())
}

/// The ref that a symbolic ref leads to, which need not exist.
pub(super) fn target(git_dir: &Path, name: &str) -> Result<Option<String>> {
    let asked = GitCommand::on(git_dir).run(["symbolic-ref", "--quiet"]).arg(name).finish()?;
    Ok(asked.success.then(|| String::from_utf8_lossy(&asked.stdout).trim_end().to_owned()))
}

/// The prefix of refs that were in the way of a run's own ones.
pub(super) fn aside(run: &RunId) -> String {
    format!("{}-odd", run.saved_work_ref())
}

/// Frees a name for a ref of a run. Symbolic refs go, since they hold nothing; others get a name of their own.
pub(super) fn make_room(git_dir: &Path, name: &str, run: &RunId) -> Result<()> {
    let mut found = at_and_below(git_dir, name)?;
    if is_symbolic(git_dir, name)? {
        GitCommand::on(git_dir).config(NO_HOOKS).run(["update-ref", "--no-deref", "-d"]).arg(name).read()?;
        found.retain(|found| found.name != name);
    }
    let aside = aside(run);
    let taken = at_and_below(git_dir, &aside)?;
    let free = (1_usize..).map(|number| format!("{aside}/{number}"));
    let mut free = free.filter(|name| taken.iter().all(|taken| taken.name != *name));
    let mut changes = vec![];
    for FoundRef { name, object, is_symbolic } in &found {
        if *is_symbolic {
            changes.push(format!("delete {name}"));
            continue;
        }
        // A ref to an object that does not exist holds nothing, and git makes no second one.
        if GitCommand::on(git_dir).run(["cat-file", "-e"]).arg(object).finish()?.success {
            changes.extend(free.next().map(|free| format!("create {free} {object}")));
        }
        changes.push(format!("delete {name} {object}"));
    }
    change_all(GitCommand::on(git_dir).config(NO_HOOKS), "agency: in the way", &changes)
}

const NO_HOOKS: &str = "core.hooksPath=/dev/null";

/// A ref, with the object that it leads to.
struct FoundRef {
    name: String,
    object: String,
    is_symbolic: bool,
}

/// The refs with a name, and with names below it. Git does not list symbolic refs that lead nowhere.
fn at_and_below(git_dir: &Path, name: &str) -> Result<Vec<FoundRef>> {
    let git = GitCommand::on(git_dir).run(["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
    let printed = String::from_utf8_lossy(&git.arg(name).read()?).into_owned();
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let (name, object) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(FoundRef { name, object, is_symbolic: words.next().is_some_and(|target| !target.is_empty()) })
    };
    Ok(printed.lines().filter_map(entry).collect())
}
