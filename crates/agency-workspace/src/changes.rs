//! What an agent changed since its base commit, whether it committed it or not.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::checkout::Checkout;
use super::diff_index::{DiffIndex, listed_as_ignored};
use super::index_cache::Comparison;
use super::private_git::{Objects, PrivateGit};
use super::temporary::TemporaryDirectory;
use super::{ChangedFile, ChangedLines, Changes, Commit, FileStatus, Patch, PatchContext, Result};

/// Lists every file that differs from `base`.
pub(super) fn changes(checkout: &Checkout, base: &Commit) -> Result<Changes> {
    let (look, printed) = DiffIndex::compared(checkout, Comparison::List, base)?;
    let (ignored, unread) = (look.ignored().to_vec(), look.unread().to_vec());
    Ok(Changes { files: parse(&printed), nested: look.nested().not_saved(), ignored, unread })
}

/// What git ignores: files, and directories of which it ignores everything. Our own prompt and jj's notes are
/// left out.
pub(super) fn ignored(checkout: &Checkout) -> Result<Vec<PathBuf>> {
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), checkout, Objects::Private { also_from: None })?;
    private.write_index(&private.agents_index(checkout)?)?;
    let listed = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let printed = private.git().run(listed).read()?;
    Ok(listed_as_ignored(printed.split(|byte| *byte == 0)))
}

/// The unified diff between `base` and the files as they are.
pub(super) fn patch(checkout: &Checkout, base: &Commit, context: PatchContext) -> Result<Patch> {
    let comparison = match context {
        PatchContext::Usual => Comparison::Patch,
        PatchContext::Whole => Comparison::WholePatch,
    };
    let (look, text) = DiffIndex::compared(checkout, comparison, base)?;
    Ok(Patch { text, unread: look.unread().to_vec() })
}

/// Reads first the raw records, then the numbers, which git prints in the same order.
pub(super) fn parse(printed: &[u8]) -> Vec<ChangedFile> {
    let mut fields = printed.split(|byte| *byte == 0).peekable();
    let mut files = Vec::new();
    while let Some(record) = fields.next_if(|field| field.starts_with(b":")) {
        let letter = record.rsplit(|byte| *byte == b' ').next().and_then(<[u8]>::first).copied();
        let Some(first) = fields.next() else { break };
        let status = match letter {
            Some(b'A') => FileStatus::Added,
            Some(b'D') => FileStatus::Deleted,
            Some(b'T') => FileStatus::TypeChanged,
            Some(b'R') => FileStatus::Renamed { from: to_path(first) },
            Some(_) | None => FileStatus::Modified,
        };
        let path = if letter == Some(b'R') { fields.next().unwrap_or(first) } else { first };
        files.push(ChangedFile { path: to_path(path), status, lines: None });
    }
    for file in &mut files {
        let Some(numbers) = fields.next() else { break };
        file.lines = lines(numbers);
        if matches!(file.status, FileStatus::Renamed { .. }) {
            // The old and the new path follow.
            fields.next();
            fields.next();
        }
    }
    files
}

/// Reads `added TAB removed TAB path`; a binary file has dashes.
pub(super) fn lines(numbers: &[u8]) -> Option<ChangedLines> {
    let text = String::from_utf8_lossy(numbers);
    let mut columns = text.splitn(3, '\t');
    let added = columns.next()?.parse().ok()?;
    let removed = columns.next()?.parse().ok()?;
    Some(ChangedLines { added, removed })
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_a_binary_and_a_tab_are_told_apart() {
        let printed = b":100644 100644 a b R090\0old\0new\0:000000 100644 0 b A\0bin\0:100644 100644 a b M\0t\tx\0\
            3\t1\t\0old\0new\0-\t-\tbin\x002\t0\tt\tx\0";
        let files = parse(printed);
        assert_eq!(files[0].status, FileStatus::Renamed { from: "old".into() });
        assert_eq!(files[0].lines, Some(ChangedLines { added: 3, removed: 1 }));
        assert_eq!(files[1].lines, None);
        assert_eq!(files[2].path, PathBuf::from("t\tx"));
        assert_eq!(files[2].lines, Some(ChangedLines { added: 2, removed: 0 }));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            parse(&bytes);
        }
    }
}
