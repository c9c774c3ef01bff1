//! The work of a run as a commit in which protected files are those of the base: what a check looks at that the agent must
//! not be able to change.
//!
//! The one rule: the worktree, its index and its branch stay as they are; the commit is in no branch.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::captured::standard_input;
use super::commit_all::PROMPT;
use super::snapshot::commit_tree;
use super::staging::Staging;
use super::worktree_lookup::FoundWorktree;
use super::{Commit, GitWorktree, Result, WorkspaceError};

/// Work with the protected files of its base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedWork {
    /// The tree of the work itself.
    pub tree: String,
    /// The commit that is to be checked.
    pub commit: Commit,
    /// The protected files that the work changes; the commit has those of the base.
    pub changed: Vec<PathBuf>,
}

pub(super) fn protected_work(worktree: &GitWorktree, globs: &[String]) -> Result<ProtectedWork> {
    let checkout = FoundWorktree::find(worktree)?.checkout(worktree)?;
    let staging = Staging::over(&checkout)?;
    staging.add_everything_in_any_form()?;
    let base = worktree.base.as_str();
    staging.git().run(["reset", "--quiet", base, "--", PROMPT]).read()?;
    let conflicts = || WorkspaceError::Git {
        command: "write-tree".to_owned(),
        directory: worktree.path.clone(),
        message: "conflicts are left after everything was added".to_owned(),
    };
    let tree = staging.tree()?.ok_or_else(conflicts)?;
    let changed = take_back(&staging, base, globs)?;
    let checked = staging.tree()?.ok_or_else(conflicts)?;
    let message = format!("Work of {} that was checked", worktree.run);
    let commit = commit_tree(&staging, &checked, &[&worktree.base], &message)?;
    Ok(ProtectedWork { tree, commit, changed })
}

/// Gives the private index the files of the base where a pattern matches, and names those that were different.
fn take_back(staging: &Staging<'_>, base: &str, globs: &[String]) -> Result<Vec<PathBuf>> {
    if globs.is_empty() {
        return Ok(vec![]);
    }
    let patterns = globs.iter().map(|glob| format!(":(top,glob){glob}"));
    let listed = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"];
    let printed = staging.git().run(listed).comparing_links().arg(base).arg("--").args(patterns).read()?;
    let mut fields = printed.split(|byte| *byte == 0);
    let (mut lines, mut changed) = (vec![], vec![]);
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        // `:<mode in base> <mode> <object in base> <object> <letter>`
        let about = String::from_utf8_lossy(about).into_owned();
        let mut words = about.trim_start_matches(':').split(' ');
        let (Some(mode), Some(object)) = (words.next(), words.nth(1)) else { break };
        // Mode 0 takes a file out.
        let mode = if mode == "000000" { "0" } else { mode };
        lines.extend_from_slice(format!("{mode} {object}\t").as_bytes());
        lines.extend_from_slice(path);
        lines.push(0);
        changed.push(PathBuf::from(OsString::from_vec(path.to_vec())));
    }
    let given = standard_input(&lines).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    staging.git().run(["update-index", "-z", "--index-info"]).input(given).read()?;
    Ok(changed)
}
