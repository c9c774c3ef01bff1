//! Compares the trees of checkpoints, without the settings and programs that an agent could name for it.

use std::path::Path;

use super::super::captured::standard_input;
use super::super::git_command::GitCommand;
use super::super::{ChangedFile, Commit, PatchContext, Result, WorkspaceError, changes};

/// What one tree has that another one has not.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// How many files differ.
    pub(super) changed: usize,
    /// The objects of files.
    pub(super) files: Vec<String>,
    /// The objects of directories.
    pub(super) trees: Vec<String>,
}

/// The tree of a commit.
pub(super) fn tree_of(common_dir: &Path, commit: &Commit) -> Result<String> {
    GitCommand::on(common_dir).run(["rev-parse", "--verify"]).arg(format!("{commit}^{{tree}}")).read_line()
}

/// The objects that are in the second tree alone.
pub(super) fn objects(common_dir: &Path, from: &str, to: &str) -> Result<Compared> {
    let git = GitCommand::on(common_dir).run(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--no-abbrev"]);
    let printed = git.comparing_links().args([from, to]).read()?;
    let mut found = Compared::default();
    for record in printed.split(|byte| *byte == 0).filter(|field| field.starts_with(b":")) {
        let record = String::from_utf8_lossy(record);
        let mut words = record.trim_start_matches(':').split(' ');
        let (Some(old_mode), Some(mode), _, Some(id)) = (words.next(), words.next(), words.next(), words.next()) else {
            continue;
        };
        let is_tree = |mode: &str| mode == "040000";
        match mode {
            "000000" | "160000" => {}
            mode if is_tree(mode) => found.trees.push(id.to_owned()),
            _ => found.files.push(id.to_owned()),
        }
        let is_file = |mode: &str| mode != "000000" && !is_tree(mode);
        found.changed += usize::from(is_file(mode) || is_file(old_mode));
    }
    Ok(found)
}

/// The paths that differ, each with git's letter for how.
pub(super) fn names(common_dir: &Path, from: &str, to: &str) -> Result<Vec<(u8, Vec<u8>)>> {
    let git = GitCommand::on(common_dir).run(["diff-tree", "-r", "-z", "--name-status", "--no-renames"]);
    let printed = git.comparing_links().args([from, to]).read()?;
    let mut fields = printed.split(|byte| *byte == 0);
    let mut found = vec![];
    while let (Some([status, ..]), Some(path)) = (fields.next(), fields.next()) {
        found.push((*status, path.to_vec()));
    }
    Ok(found)
}

/// How large the difference between two trees is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffSize {
    /// How many files differ.
    pub files: u32,
    /// Lines that are new.
    pub added: u64,
    /// Lines that are gone.
    pub removed: u64,
}

/// The sizes of the differences between many pairs of trees, by one process.
pub(super) fn sizes(common_dir: &Path, pairs: &[(&str, &str)]) -> Result<Vec<DiffSize>> {
    let headers: Vec<String> = pairs.iter().map(|(from, to)| format!("{from} {to}\n")).collect();
    let given = standard_input(headers.concat().as_bytes());
    let given = given.map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    let git = GitCommand::on(common_dir).run(["diff-tree", "--stdin", "-r", "-z", "--numstat", "--no-renames"]);
    let git = git.comparing_links().args(["--no-ext-diff", "--no-textconv"]);
    let printed = git.input(given).read()?;
    let mut sizes: Vec<DiffSize> = vec![];
    for mut field in printed.split(|byte| *byte == 0) {
        // Trees without a difference have their header only.
        while let Some(rest) = headers.get(sizes.len()).and_then(|header| field.strip_prefix(header.as_bytes())) {
            sizes.push(DiffSize::default());
            field = rest;
        }
        let Some(size) = sizes.last_mut().filter(|_| !field.is_empty()) else { continue };
        size.files += 1;
        if let Some(lines) = changes::lines(field) {
            size.added += lines.added;
            size.removed += lines.removed;
        }
    }
    Ok(sizes)
}

/// The files that differ.
pub(super) fn files(common_dir: &Path, from: &str, to: &str) -> Result<Vec<ChangedFile>> {
    let git = compared(common_dir).args(["-z", "--raw", "--numstat"]);
    Ok(changes::parse(&git.args(["--end-of-options", from, to]).read()?))
}

/// The unified diff.
pub(super) fn patch(common_dir: &Path, from: &str, to: &str, context: PatchContext) -> Result<Vec<u8>> {
    let git = compared(common_dir).arg("-p");
    let git = match context {
        PatchContext::Usual => git,
        PatchContext::Whole => git.arg("-U1000000000"),
    };
    git.args(["--end-of-options", from, to]).read()
}

fn compared(common_dir: &Path) -> GitCommand {
    let git = GitCommand::on(common_dir).run(["diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color"]);
    git.comparing_links()
}
