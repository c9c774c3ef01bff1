//! Puts the files of a checkout back after git began to update them and could not finish, as on a full disk or with a
//! filter that fails.
//!
//! The one rule: only what git left is changed: a file that is missing, or that holds the beginning of what the merge has
//! there. Anything else is a change of the user.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::super::captured::standard_input;
use super::super::git_command::GitCommand;
use super::super::{Commit, WorkspaceError};
use super::MergeError;
use super::dirty::{GITLINK, Touched, touched};
use super::paths_in;
use super::private_index::TreeEntry;

/// The mode of a symbolic link.
const SYMLINK: &str = "120000";
/// The mode of a program.
const EXECUTABLE: &str = "100755";

/// An update of a checkout that was not finished. Its index still is that of `before`.
pub(super) struct Unfinished<'a> {
    pub(super) checkout: &'a Path,
    pub(super) before: &'a Commit,
    pub(super) after: &'a Commit,
}

/// What is at a path.
enum Found {
    Missing,
    Directory,
    Link(Vec<u8>),
    File {
        content: Vec<u8>,
        is_executable: bool,
    },
    /// Something that git does not make.
    Other,
}

impl Unfinished<'_> {
    /// Puts back what git changed; gives the files of which that was not possible.
    pub(super) fn put_back(&self) -> Result<Vec<PathBuf>, MergeError> {
        let touched = touched(self.checkout, self.before, self.after.as_str())?;
        let is_link = |entry: &Option<TreeEntry>| entry.as_ref().is_some_and(|entry| entry.mode == GITLINK);
        let files: BTreeMap<&PathBuf, &Touched> =
            touched.iter().filter(|(_, touched)| !is_link(&touched.old) && !is_link(&touched.new)).collect();
        let mut left = vec![];
        // On a full disk this makes the room that the others need. Files of a directory come before it.
        for (path, touched) in files.iter().rev() {
            if touched.old.is_none() && self.is_gits(path, touched)? && !self.delete(path) {
                left.push((*path).clone());
            }
        }
        let not_checked_out = self.not_checked_out()?;
        let mut missing = vec![];
        for (path, touched) in &files {
            let is_wanted = touched.old.is_some() && !not_checked_out.contains(path);
            if is_wanted && self.is_gits(path, touched)? {
                missing.push((*path).clone());
            }
        }
        self.check_out(&missing)?;
        for path in missing {
            if let Some(Touched { old: Some(old), .. }) = files.get(&path)
                && !self.is_as(&path, old)?
            {
                left.push(path);
            }
        }
        Ok(left)
    }

    /// Whether git changed what is at a path.
    fn is_gits(&self, path: &Path, touched: &Touched) -> Result<bool, MergeError> {
        let found = self.find(path)?;
        if let Some(old) = &touched.old
            && self.fits(path, old, &found)?
        {
            return Ok(false);
        }
        Ok(match (&found, &touched.new) {
            (Found::Missing, _) => touched.old.is_some(),
            (Found::Link(target), Some(new)) if new.mode == SYMLINK => *target == self.blob(new)?,
            (Found::File { content, .. }, _) if content.is_empty() => true,
            (Found::File { content, .. }, Some(new)) if new.mode != SYMLINK => {
                self.checked_out_form(path, new)?.is_some_and(|wanted| wanted.starts_with(content))
            }
            (Found::Link(_) | Found::File { .. } | Found::Directory | Found::Other, _) => false,
        })
    }

    fn is_as(&self, path: &Path, entry: &TreeEntry) -> Result<bool, MergeError> {
        self.fits(path, entry, &self.find(path)?)
    }

    /// Whether what was found is what a commit has there.
    fn fits(&self, path: &Path, entry: &TreeEntry, found: &Found) -> Result<bool, MergeError> {
        Ok(match found {
            Found::Link(target) => entry.mode == SYMLINK && *target == self.blob(entry)?,
            Found::File { content, is_executable } => {
                entry.mode != SYMLINK
                    && *is_executable == (entry.mode == EXECUTABLE)
                    && self.checked_out_form(path, entry)?.as_ref() == Some(content)
            }
            Found::Missing | Found::Directory | Found::Other => false,
        })
    }

    fn find(&self, path: &Path) -> Result<Found, MergeError> {
        let full = self.checkout.join(path);
        let is_directory =
            |above: &&Path| self.checkout.join(above).symlink_metadata().is_ok_and(|found| found.is_dir());
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let Some(found) = full.symlink_metadata().ok().filter(|_| above.into_iter().all(|above| is_directory(&above)))
        else {
            return Ok(Found::Missing);
        };
        let unreadable = |source| WorkspaceError::io("read", &full)(source);
        if found.is_symlink() {
            return Ok(Found::Link(fs::read_link(&full).map_err(unreadable)?.as_os_str().as_bytes().to_vec()));
        }
        if found.is_file() {
            let is_executable = found.permissions().mode() & 0o100 != 0;
            return Ok(Found::File { content: fs::read(&full).map_err(unreadable)?, is_executable });
        }
        Ok(if found.is_dir() { Found::Directory } else { Found::Other })
    }

    /// Deletes a file, and the directories above it that are empty then.
    fn delete(&self, path: &Path) -> bool {
        let is_deleted = fs::remove_file(self.checkout.join(path)).is_ok();
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            if fs::remove_dir(self.checkout.join(above)).is_err() {
                break;
            }
        }
        is_deleted
    }

    /// The files that a sparse checkout leaves out.
    fn not_checked_out(&self) -> Result<Vec<PathBuf>, MergeError> {
        let listed = GitCommand::at(self.checkout).run(["ls-files", "-z", "-t"]).read()?;
        let skipped: Vec<u8> = listed
            .split(|byte| *byte == 0)
            .filter_map(|line| line.strip_prefix(b"S "))
            .flat_map(|path| path.iter().copied().chain([0]))
            .collect();
        Ok(paths_in(&skipped))
    }

    fn check_out(&self, paths: &[PathBuf]) -> Result<(), MergeError> {
        if paths.is_empty() {
            return Ok(());
        }
        let list: Vec<u8> =
            paths.iter().flat_map(|path| path.as_os_str().as_bytes().iter().copied().chain([0])).collect();
        let list = standard_input(&list).map_err(WorkspaceError::io("write a list in", &std::env::temp_dir()))?;
        let git = || GitCommand::at(self.checkout).config("core.hooksPath=/dev/null").uninterrupted();
        // What it cannot write is found by looking at the files.
        git().run(["checkout-index", "--force", "--quiet", "-z", "--stdin"]).input(list).finish()?;
        // The index then knows the files; on a full disk git reads them again each time.
        git().run(["update-index", "-q", "--refresh"]).finish()?;
        Ok(())
    }

    fn blob(&self, entry: &TreeEntry) -> Result<Vec<u8>, MergeError> {
        Ok(GitCommand::at(self.checkout).run(["cat-file", "blob"]).arg(&entry.object).read()?)
    }

    /// The content of a file as git writes it; `None` where a filter fails.
    fn checked_out_form(&self, path: &Path, entry: &TreeEntry) -> Result<Option<Vec<u8>>, MergeError> {
        let mut option = std::ffi::OsString::from("--path=");
        option.push(path);
        let git = GitCommand::at(self.checkout).run(["cat-file", "--filters"]).arg(option).arg(&entry.object);
        let finished = git.finish()?;
        Ok(finished.success.then_some(finished.stdout))
    }
}
