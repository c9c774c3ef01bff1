//! Files that a restore would delete, although git ignores them by the rules of the checkpoint.
//!
//! The one rule: what git ignores is never changed. Files that are ignored in one checkpoint and not in another, as after
//! a restore of the time before a `.gitignore`, stay in both.

use std::collections::HashSet;

use super::super::super::Result;
use super::super::super::WorkspaceError;
use super::super::super::captured::standard_input;
use super::super::super::temporary::TemporaryDirectory;
use super::super::files_index::{FilesIndex, list_of, names};

/// A file of now that the wanted tree does not have, as git describes it.
struct Deleted {
    mode: String,
    object: String,
    path: Vec<u8>,
}

/// The wanted tree, with the files of now that it does not have and that its rules ignore.
pub(super) fn with_ignored_files(files: &FilesIndex, wanted: &str) -> Result<String> {
    let (deleted, rules_differ) = difference(files, wanted)?;
    if deleted.is_empty() || !rules_differ {
        return Ok(wanted.to_owned());
    }
    let draft = files.draft();
    let git = || files.git().env("GIT_INDEX_FILE", &draft);
    git().run(["read-tree"]).arg(wanted).read()?;
    let there: HashSet<Vec<u8>> = names(&git().run(["ls-files", "-z"]).read()?).into_iter().collect();
    let place = TemporaryDirectory::new()?;
    let rules: Vec<Vec<u8>> = there.iter().filter(|path| is_of_rules(path)).cloned().collect();
    let checkout = files.git_over(place.path()).env("GIT_INDEX_FILE", &draft).run(["checkout-index", "--force"]);
    checkout.args(["--ignore-skip-worktree-bits", "-z", "--stdin"]).input(list_of(&rules)?).read()?;
    let ignored = ignored(files, &place, &deleted)?;
    let is_kept = |file: &&Deleted| {
        ignored.contains(&file.path) && !files.is_tracked(&file.path) && !is_below_a_file(&file.path, &there)
    };
    let kept: Vec<u8> = deleted.iter().filter(is_kept).flat_map(Deleted::entry).collect();
    if kept.is_empty() {
        return Ok(wanted.to_owned());
    }
    let list = standard_input(&kept).map_err(WorkspaceError::io("write a list in", &std::env::temp_dir()))?;
    git().run(["update-index", "-z", "--index-info"]).input(list).read()?;
    git().run(["write-tree"]).read_line()
}

/// The files that the wanted tree does not have, and whether a file with rules differs.
fn difference(files: &FilesIndex, wanted: &str) -> Result<(Vec<Deleted>, bool)> {
    let git = files.git().run(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"]);
    let printed = git.comparing_links().args([files.tree(), wanted]).read()?;
    let mut fields = printed.split(|byte| *byte == 0);
    let (mut deleted, mut rules_differ) = (vec![], false);
    while let (Some(record), Some(path)) = (fields.next(), fields.next()) {
        rules_differ |= is_of_rules(path);
        let record = String::from_utf8_lossy(record);
        let words: Vec<&str> = record.trim_start_matches(':').split(' ').collect();
        if let [mode, "000000", object, _, _] = words[..] {
            deleted.push(Deleted { mode: mode.to_owned(), object: object.to_owned(), path: path.to_vec() });
        }
    }
    Ok((deleted, rules_differ))
}

/// Those of the files that git ignores by the rules in a directory.
fn ignored(files: &FilesIndex, rules: &TemporaryDirectory, deleted: &[Deleted]) -> Result<HashSet<Vec<u8>>> {
    let paths: Vec<Vec<u8>> = deleted.iter().map(|file| file.path.clone()).collect();
    let git = files.git_over(rules.path()).run(["check-ignore", "--no-index", "-z", "--stdin"]);
    let finished = git.input(list_of(&paths)?).finish()?;
    // It exits with 1 if nothing is ignored.
    if !finished.success && !finished.stderr.is_empty() {
        return Err(WorkspaceError::Git {
            command: "check-ignore".to_owned(),
            directory: rules.path().to_owned(),
            message: finished.stderr,
        });
    }
    Ok(names(&finished.stdout).into_iter().collect())
}

impl Deleted {
    /// The file as an entry for an index.
    fn entry(&self) -> Vec<u8> {
        [self.mode.as_bytes(), b" ", self.object.as_bytes(), b"\t", &self.path, b"\0"].concat()
    }
}

fn is_of_rules(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next() == Some(b".gitignore")
}

fn is_below_a_file(path: &[u8], files: &HashSet<Vec<u8>>) -> bool {
    path.iter().enumerate().any(|(end, byte)| *byte == b'/' && files.contains(&path[..end]))
}
