//! Brings back the files of a checkout that git had changed when it failed, as on a full disk or where a filter fails.
//!
//! The one rule: what is not a file of the merge, or the beginning of one, is not git's doing, and is left alone.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::git_command::GitCommand;
use super::super::saved_work::standard_input;
use super::super::{Commit, WorkspaceError};
use super::MergeError;
use super::dirty::Dirty;

/// Takes the files back to what they were. Before git began, none of them had changes of the user.
pub(super) fn take_back(checkout: &Path, before: &Commit, after: &Commit) -> Result<(), MergeError> {
    let Some(dirty) = Dirty::find(checkout, before, after.as_str())? else { return Ok(()) };
    let mut replaced: Vec<u8> = Vec::new();
    for (path, old) in &dirty.paths {
        let is_staged = dirty.staged.get(path) != old.as_ref();
        if is_staged || dirty.hidden.contains(path) || !is_of_merge(checkout, path, after)? {
            continue;
        }
        let place = checkout.join(path);
        if old.is_some() {
            replaced.extend_from_slice(path.as_os_str().as_bytes());
            replaced.push(0);
        } else {
            fs::remove_file(&place).map_err(WorkspaceError::io("remove", &place))?;
        }
    }
    if replaced.is_empty() {
        return Ok(());
    }
    let given = standard_input(&replaced).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    let git = GitCommand::at(checkout).uninterrupted().run(["checkout-index", "-f", "-u", "-q", "-z", "--stdin"]);
    // What it cannot bring back is named as a change in the checkout.
    git.input(given).finish()?;
    Ok(())
}

/// Whether git left this: nothing, the file of the merge, or its beginning.
fn is_of_merge(checkout: &Path, path: &Path, after: &Commit) -> Result<bool, MergeError> {
    let place = checkout.join(path);
    let unreadable = |source| WorkspaceError::io("read", &place)(source);
    let found = match fs::symlink_metadata(&place) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(true);
        }
        Err(error) => return Err(unreadable(error).into()),
    };
    let read = |length: usize| -> io::Result<Vec<u8>> {
        let mut content = vec![];
        if found.is_symlink() {
            return Ok(fs::read_link(&place)?.into_os_string().into_encoded_bytes());
        }
        File::open(&place)?.take(length as u64 + 1).read_to_end(&mut content)?;
        Ok(content)
    };
    if !found.is_file() && !found.is_symlink() {
        return Ok(false);
    }
    let mut object = std::ffi::OsString::from(format!("{after}:"));
    object.push(path);
    for form in ["--filters", "blob"] {
        let shown = GitCommand::at(checkout).run(["cat-file"]).arg(form).arg(&object).finish()?;
        if shown.success && shown.stdout.starts_with(&read(shown.stdout.len()).map_err(unreadable)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
