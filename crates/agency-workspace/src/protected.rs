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
    let mut changed = take_back(&staging, base, globs)?;
    changed.extend(take_back_attributes(&staging, base, globs)?);
    changed.sort();
    changed.dedup();
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
    let found = differences(staging, base, globs)?;
    set(staging, found.iter().map(|found| (&found.in_base, &found.path)))?;
    Ok(found.into_iter().map(|found| PathBuf::from(OsString::from_vec(found.path))).collect())
}

/// The same for the files of attributes by which git would write protected files in another form than at the base.
fn take_back_attributes(staging: &Staging<'_>, base: &str, globs: &[String]) -> Result<Vec<PathBuf>> {
    if globs.is_empty() {
        return Ok(vec![]);
    }
    let found = differences(staging, base, &["**/.gitattributes".to_owned()])?;
    if found.is_empty() {
        return Ok(vec![]);
    }
    let of_work = attributes(staging, globs)?;
    set(staging, found.iter().map(|found| (&found.in_base, &found.path)))?;
    if attributes(staging, globs)? == of_work {
        set(staging, found.iter().map(|found| (&found.in_work, &found.path)))?;
        return Ok(vec![]);
    }
    Ok(found.into_iter().map(|found| PathBuf::from(OsString::from_vec(found.path))).collect())
}

/// The attributes of the protected files, as git prints them.
fn attributes(staging: &Staging<'_>, globs: &[String]) -> Result<Vec<u8>> {
    let files = staging.git().run(["ls-files", "--cached", "-z", "--"]).args(patterns(globs)).read()?;
    let given = standard_input(&files).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    staging.git().run(["check-attr", "--cached", "--all", "-z", "--stdin"]).input(given).read()
}

/// A file that the private index has in another form than the base, with mode and object in both.
struct Difference {
    path: Vec<u8>,
    in_base: String,
    in_work: String,
}

fn differences(staging: &Staging<'_>, base: &str, globs: &[String]) -> Result<Vec<Difference>> {
    let listed = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"];
    let printed = staging.git().run(listed).comparing_links().arg(base).arg("--").args(patterns(globs)).read()?;
    let mut fields = printed.split(|byte| *byte == 0);
    let mut found = vec![];
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        // `:<mode in base> <mode> <object in base> <object> <letter>`
        let about = String::from_utf8_lossy(about).into_owned();
        let words: Vec<&str> = about.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old, new, ..] = words.as_slice() else { break };
        // Mode 0 takes a file out.
        let entry = |mode: &str, object: &str| format!("{} {object}", if mode == "000000" { "0" } else { mode });
        found.push(Difference { path: path.to_vec(), in_base: entry(old_mode, old), in_work: entry(new_mode, new) });
    }
    Ok(found)
}

fn set<'a>(staging: &Staging<'_>, entries: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> Result<()> {
    let mut lines = vec![];
    for (entry, path) in entries {
        lines.extend_from_slice(entry.as_bytes());
        lines.push(b'\t');
        lines.extend_from_slice(path);
        lines.push(0);
    }
    let given = standard_input(&lines).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    staging.git().run(["update-index", "-z", "--index-info"]).input(given).read()?;
    Ok(())
}

/// What users wrote as patterns of git.
fn patterns(globs: &[String]) -> impl Iterator<Item = String> {
    globs.iter().map(|glob| format!(":(top,glob){glob}"))
}
