//! A private index over a checkout of the user's.
//!
//! The one rule: the user's own index is only read here.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::temporary::TemporaryDirectory;
use super::super::{WorkspaceError, link};
use super::MergeError;

/// An index of our own over a working tree.
pub(super) struct PrivateIndex<'a> {
    checkout: &'a Path,
    directory: TemporaryDirectory,
}

/// What an index or a tree holds at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) mode: String,
    pub(super) object: String,
}

/// An entry of an index, with the flags that the user set for the file.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    pub(super) entry: TreeEntry,
    /// Whether the entry is one side of a conflict.
    pub(super) unmerged: bool,
    pub(super) assume_unchanged: bool,
    pub(super) skip_worktree: bool,
}

impl<'a> PrivateIndex<'a> {
    /// Copies the index of a checkout.
    pub(super) fn copy_of(checkout: &'a Path) -> Result<Self, MergeError> {
        let index = Self::empty(checkout)?;
        let source = link::git_dir(checkout).unwrap_or_else(|| checkout.join(".git")).join("index");
        match copy_with_time(&source, &index.path()) {
            Ok(()) => Ok(index),
            // A checkout without an index tracks nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(index),
            Err(error) => Err(WorkspaceError::io("copy", &source)(error).into()),
        }
    }

    /// An index that holds a tree.
    pub(super) fn of_tree(checkout: &'a Path, tree: &str) -> Result<Self, MergeError> {
        let index = Self::empty(checkout)?;
        index.git().run(["read-tree"]).arg(tree).read()?;
        Ok(index)
    }

    fn empty(checkout: &'a Path) -> Result<Self, MergeError> {
        let directory = TemporaryDirectory::new()?;
        Ok(Self { checkout, directory })
    }

    /// Starts to describe a git command on this index.
    pub(super) fn git(&self) -> GitCommand {
        GitCommand::at(self.checkout)
            .env("GIT_INDEX_FILE", self.path())
            .config("core.hooksPath=/dev/null")
            .config("core.fsmonitor=false")
            .config("core.splitIndex=false")
            .config("core.safecrlf=false")
            .config("core.fsync=committed,loose-object,reference")
    }

    /// Writes this index as a tree.
    pub(super) fn tree(&self) -> Result<String, MergeError> {
        Ok(self.git().run(["write-tree"]).read_line()?)
    }

    /// Everything that this index holds.
    pub(super) fn entries(&self) -> Result<BTreeMap<PathBuf, Tracked>, MergeError> {
        Ok(parse(&self.git().run(["ls-files", "-v", "--stage", "-z"]).read()?))
    }

    /// Takes files as they are in the working tree, those that are gone too.
    pub(super) fn add_files<'b>(&self, paths: impl Iterator<Item = &'b PathBuf>) -> Result<(), MergeError> {
        let names = listed(paths)?;
        self.git().run(["update-index", "--add", "--remove", "-z", "--stdin"]).input(names).read()?;
        Ok(())
    }

    /// Lets git look at files of which the user said that it need not.
    pub(super) fn unhide<'b>(&self, paths: impl Iterator<Item = &'b PathBuf>) -> Result<(), MergeError> {
        let paths: Vec<&PathBuf> = paths.collect();
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let names = listed(paths.iter().copied())?;
            self.git().run(["update-index", flag, "-z", "--stdin"]).input(names).read()?;
        }
        Ok(())
    }

    /// Puts entries in; a path without one is taken out.
    pub(super) fn set<'b>(
        &self,
        entries: impl Iterator<Item = (&'b PathBuf, Option<&'b TreeEntry>)>,
    ) -> Result<(), MergeError> {
        set_entries(|| self.git(), entries)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("index")
    }
}

/// Puts entries into the index that git commands work on; a path without one is taken out.
pub(super) fn set_entries<'b>(
    git: impl Fn() -> GitCommand,
    entries: impl Iterator<Item = (&'b PathBuf, Option<&'b TreeEntry>)>,
) -> Result<(), MergeError> {
    let (mut gone, mut kept) = (Vec::new(), Vec::new());
    for (path, entry) in entries {
        match entry {
            Some(entry) => {
                kept.extend_from_slice(format!("{} {}\t", entry.mode, entry.object).as_bytes());
                kept.extend_from_slice(path.as_os_str().as_bytes());
                kept.push(0);
            }
            None => gone.push(path),
        }
    }
    let gone = listed(gone.into_iter())?;
    git().run(["update-index", "--force-remove", "-z", "--stdin"]).input(gone).read()?;
    git().run(["update-index", "--add", "--replace", "-z", "--index-info"]).input(file_with(&kept)?).read()?;
    Ok(())
}

fn listed<'b>(paths: impl Iterator<Item = &'b PathBuf>) -> Result<File, MergeError> {
    let mut names = Vec::new();
    for path in paths {
        names.extend_from_slice(path.as_os_str().as_bytes());
        names.push(0);
    }
    file_with(&names)
}

/// A file that git reads as its standard input.
fn file_with(bytes: &[u8]) -> Result<File, MergeError> {
    let write = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    };
    write().map_err(|source| WorkspaceError::io("write a file in", &std::env::temp_dir())(source).into())
}

/// Copies a file with its modification time, from which git decides which entries it has to read again.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(modified)
}

/// Reads `<tag> <mode> <object> <stage>\t<path>`, each with a NUL after it.
fn parse(printed: &[u8]) -> BTreeMap<PathBuf, Tracked> {
    let mut found = BTreeMap::new();
    for line in printed.split(|byte| *byte == 0) {
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
        let (head, path) = line.split_at(tab);
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ');
        let (Some(tag), Some(mode), Some(object), Some(stage)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let tracked = Tracked {
            entry: TreeEntry { mode: mode.to_owned(), object: object.to_owned() },
            unmerged: stage != "0",
            assume_unchanged: tag.chars().all(char::is_lowercase),
            skip_worktree: tag.eq_ignore_ascii_case("s"),
        };
        found.insert(PathBuf::from(OsStr::from_bytes(path.get(1..).unwrap_or_default())), tracked);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_say_what_the_user_told_git_about_a_file() {
        let found =
            parse(b"H 100644 aa 0\ta\0h 100755 bb 0\tb c\0S 120000 cc 0\ts\0s 100644 dd 0\tt\0M 100644 ee 2\tu\0");
        let flags = |name: &str| {
            let tracked = &found[Path::new(name)];
            (tracked.assume_unchanged, tracked.skip_worktree, tracked.unmerged)
        };
        assert_eq!(
            ["a", "b c", "s", "t", "u"].map(flags),
            [
                (false, false, false),
                (true, false, false),
                (false, true, false),
                (true, true, false),
                (false, false, true)
            ]
        );
        assert_eq!(found[Path::new("b c")].entry, TreeEntry { mode: "100755".to_owned(), object: "bb".to_owned() });
    }
}
