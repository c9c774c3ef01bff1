//! Merges two commits into a tree, without a working tree.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::{Commit, WorkspaceError};
use super::context::MergeContext;
use super::{Conflict, MergeError};

/// What two commits make together.
pub(in super::super) enum Combined {
    /// The tree of the merge.
    Clean(String),
    /// The files that do not merge.
    Conflicts(Vec<Conflict>),
}

/// Merges `theirs` into `ours`, counted from their merge base or from `base`.
pub(in super::super) fn merge_tree(
    place: &MergeContext,
    base: Option<&Commit>,
    ours: &Commit,
    theirs: &Commit,
) -> Result<Combined, MergeError> {
    merge_by(place.git(), &place.top, base, ours, theirs)
}

/// The same with a git of the caller's, whose directory is for error messages.
pub(in super::super) fn merge_by(
    git: GitCommand,
    directory: &Path,
    base: Option<&Commit>,
    ours: &Commit,
    theirs: &Commit,
) -> Result<Combined, MergeError> {
    let command = git.env("GIT_ATTR_SOURCE", ours.as_str()).run(["merge-tree", "--write-tree", "-z", "--messages"]);
    let command = command.args(base.map(|base| format!("--merge-base={base}")));
    let finished = command.args([ours.as_str(), theirs.as_str()]).finish()?;
    let tree = finished.stdout.split(|byte| *byte == 0).next().unwrap_or_default();
    let tree = String::from_utf8_lossy(tree).into_owned();
    if tree.parse::<Commit>().is_err() {
        let (command, directory) = ("merge-tree".to_owned(), directory.to_owned());
        return Err(WorkspaceError::Git { command, directory, message: finished.stderr }.into());
    }
    Ok(if finished.success { Combined::Clean(tree) } else { Combined::Conflicts(conflicts(&finished.stdout)) })
}

fn conflicts(printed: &[u8]) -> Vec<Conflict> {
    conflicts_in(&mut printed.split(|byte| *byte == 0).skip(1))
}

/// Reads what git says after the tree: the entries with conflicts, an empty field, and messages, each with its paths; an
/// empty field ends them.
pub(in super::super) fn conflicts_in<'a>(fields: &mut impl Iterator<Item = &'a [u8]>) -> Vec<Conflict> {
    let mut found: BTreeMap<PathBuf, Option<(String, String)>> = BTreeMap::new();
    for entry in fields.by_ref().take_while(|field| !field.is_empty()) {
        if let Some(tab) = entry.iter().position(|byte| *byte == b'\t') {
            found.entry(to_path(&entry[tab + 1..])).or_default();
        }
    }
    while let Some(count) = fields.next().and_then(|count| String::from_utf8_lossy(count).parse::<usize>().ok()) {
        let paths: Vec<PathBuf> = fields.by_ref().take(count).map(to_path).collect();
        let (Some(kind), Some(message)) = (fields.next(), fields.next()) else { break };
        let kind = String::from_utf8_lossy(kind);
        let Some(kind) = kind.strip_prefix("CONFLICT (").and_then(|kind| kind.strip_suffix(')')) else { continue };
        let said = (kind.to_owned(), String::from_utf8_lossy(message).trim_end().to_owned());
        let known = paths.iter().any(|path| found.contains_key(path));
        for (position, path) in paths.into_iter().enumerate() {
            // A message also names the old path of a file, of which nothing is left to resolve.
            if found.contains_key(&path) || (!known && position == 0) {
                found.entry(path).or_default().get_or_insert_with(|| said.clone());
            }
        }
    }
    let unnamed = || ("contents".to_owned(), String::new());
    let conflict = |(path, said): (PathBuf, Option<(String, String)>)| {
        let (kind, message) = said.unwrap_or_else(unnamed);
        Conflict { path, kind, message }
    };
    found.into_iter().map(conflict).collect()
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_the_first_conflict_that_git_names_for_it() {
        let printed = b"tree\x00100644 aa 1\tbin\x00100644 bb 2\tbin\x00100644 cc 3\tnew\0\0\
            1\0bin\0CONFLICT (binary)\0warning: Cannot merge binary files: bin\n\0\
            1\0bin\0Auto-merging\0Auto-merging bin\n\0\
            1\0bin\0CONFLICT (contents)\0CONFLICT (content): Merge conflict in bin\n\0\
            2\0new\0old\0CONFLICT (rename/delete)\0old renamed to new\n\0";
        let found = conflicts(printed);
        let kinds: Vec<_> = found.iter().map(|found| (found.path.to_str().unwrap(), found.kind.as_str())).collect();
        assert_eq!(kinds, [("bin", "binary"), ("new", "rename/delete")]);
    }

    #[test]
    fn a_conflict_without_an_entry_is_told_by_its_message() {
        let found = conflicts(b"tree\0\x001\0sub\0CONFLICT (submodule)\0Failed to merge submodule sub\n\0");
        assert_eq!(found[0].path, PathBuf::from("sub"));
        assert_eq!(found[0].message, "Failed to merge submodule sub");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            conflicts(&bytes);
        }
    }
}
