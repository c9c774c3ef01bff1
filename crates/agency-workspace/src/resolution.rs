//! Looks at how conflicts with a target were resolved on a branch.
//!
//! The one rule: only what git's own trees show counts. A merge commit shows that the target is in the branch, not that its
//! changes are.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::git_command::GitCommand;
use super::merge::{contains, paths_in};
use super::{Commit, MergeError, Repository};

/// Conflicts that had to be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The branch before.
    pub tip: Commit,
    /// The commit that it did not merge into.
    pub target: Commit,
    /// The files that did not merge.
    pub files: Vec<PathBuf>,
}

/// What is wrong with a resolution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flaws {
    /// Files that conflicted and still have conflict markers.
    pub markers: Vec<PathBuf>,
    /// Other files, in which changes of the target were undone.
    pub dropped: Vec<PathBuf>,
}

impl Flaws {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.markers.is_empty() && self.dropped.is_empty()
    }
}

impl Repository {
    /// Looks at what a branch is after its conflicts were to be resolved.
    pub fn flaws_of(&self, resolution: &Resolution, now: &Commit) -> Result<Flaws, MergeError> {
        let common_dir = self.common_dir()?;
        let markers = marked(&common_dir, &resolution.files, now)?;
        // Where the target is not in the branch, git itself merges it again.
        let dropped = match contains(&common_dir, now, &resolution.target)? {
            true => dropped(&common_dir, resolution, now)?,
            false => vec![],
        };
        Ok(Flaws { markers, dropped })
    }
}

/// Those of some files that have lines which git's conflicts begin and end with.
fn marked(common_dir: &Path, files: &[PathBuf], now: &Commit) -> Result<Vec<PathBuf>, MergeError> {
    if files.is_empty() {
        return Ok(vec![]);
    }
    let git = GitCommand::on(common_dir).env("GIT_LITERAL_PATHSPECS", "1");
    let git = git.run(["grep", "-I", "-l", "-z", "--extended-regexp", "^(<<<<<<<|>>>>>>>) ", now.as_str(), "--"]);
    let found = git.args(files).finish()?;
    let prefix = format!("{now}:");
    let plain = |path: PathBuf| {
        let bytes = path.as_os_str().as_bytes();
        let name = bytes.strip_prefix(prefix.as_bytes()).unwrap_or(bytes);
        PathBuf::from(OsString::from_vec(name.to_vec()))
    };
    Ok(paths_in(&found.stdout).into_iter().map(plain).collect())
}

/// The files without a conflict that are as before the changes of the target.
fn dropped(common_dir: &Path, resolution: &Resolution, now: &Commit) -> Result<Vec<PathBuf>, MergeError> {
    let Resolution { tip, target, files } = resolution;
    let git = || GitCommand::on(common_dir);
    let base = git().run(["merge-base"]).args([tip.as_str(), target.as_str()]).finish()?;
    let merged =
        git().env("GIT_ATTR_SOURCE", target.as_str()).run(["merge-tree", "--write-tree", "-z", "--no-messages"]);
    let merged = merged.args([target.as_str(), tip.as_str()]).finish()?;
    let first = |printed: &[u8]| {
        let line = printed.split(|byte| matches!(byte, b'\n' | b'\0')).next().unwrap_or_default();
        String::from_utf8_lossy(line).into_owned()
    };
    let (base, merged) = (first(&base.stdout), first(&merged.stdout));
    if base.is_empty() || merged.is_empty() {
        return Ok(vec![]);
    }
    let changed = git().run(["diff-tree", "-r", "-z", "--no-renames", "--name-only"]).comparing_links();
    let changed = paths_in(&changed.args([base.as_str(), target.as_str()]).read()?);
    let [before, should, is] = [base.as_str(), merged.as_str(), now.as_str()].map(|tree| entries(common_dir, tree));
    let (before, should, is) = (before?, should?, is?);
    let again = merged_again(common_dir, &base, target, now)?;
    let conflicting: BTreeSet<&PathBuf> = files.iter().collect();
    let is_undone = |path: &PathBuf| {
        is.get(path) == before.get(path) || again.files.get(path) != is.get(path) && !again.rewritten.contains(path)
    };
    let undone = |path: &PathBuf| !conflicting.contains(path) && is.get(path) != should.get(path) && is_undone(path);
    Ok(changed.into_iter().filter(undone).collect())
}

/// A branch after the changes of the target were made once more, which changes nothing where they are still there.
struct MergedAgain {
    files: Entries,
    /// Those whose lines the branch rewrote.
    rewritten: BTreeSet<PathBuf>,
}

fn merged_again(common_dir: &Path, base: &str, target: &Commit, now: &Commit) -> Result<MergedAgain, MergeError> {
    let git = GitCommand::on(common_dir).env("GIT_ATTR_SOURCE", target.as_str());
    let git = git.run(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", "--merge-base"]);
    let finished = git.args([base, target.as_str(), now.as_str()]).finish()?;
    let mut parts = finished.stdout.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let tree = String::from_utf8_lossy(parts.next().unwrap_or_default()).trim().to_owned();
    let rewritten = parts.map(|part| PathBuf::from(OsString::from_vec(part.to_vec()))).collect();
    // What cannot be merged at all is not called undone.
    let files = entries(common_dir, if tree.is_empty() { now.as_str() } else { &tree })?;
    Ok(MergedAgain { files, rewritten })
}

/// Every file of a tree, with mode and object.
type Entries = BTreeMap<PathBuf, Vec<u8>>;

/// Reads a tree.
fn entries(common_dir: &Path, tree: &str) -> Result<Entries, MergeError> {
    let printed = GitCommand::on(common_dir).run(["ls-tree", "-r", "-z", "--full-tree"]).arg(tree).read()?;
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (about, path) = line.split_at_checked(tab)?;
        Some((PathBuf::from(OsString::from_vec(path.get(1..)?.to_vec())), about.to_vec()))
    };
    Ok(printed.split(|byte| *byte == 0).filter_map(entry).collect())
}
