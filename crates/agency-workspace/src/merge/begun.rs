//! A note of an update of checkouts that was begun, by which the next merge takes back what a killed one left.
//!
//! The one rule: the note is on the disk before the first file is changed. It names commits only: the checkouts are looked
//! up again, and only what git left there is changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::{Commit, GitWorktree, WorkspaceError, link};
use super::advance::switch;
use super::context::MergeContext;
use super::dirty::{Dirty, Touched, touched};
use super::private_index::{PrivateIndex, TreeEntry};
use super::put_back::Unfinished;
use super::{MergeError, tip_of};
use agency_system::files::{read_private_file, sync_directory, write_atomically};
use agency_system::lock::Lock;

/// The note, in the git directory that all worktrees share.
const NAME: &str = "agency-merge-update";
/// No branch has a longer name.
const MAX_NOTE_BYTES: u64 = 8 * 1024;

/// An update of the checkouts of a branch.
pub(super) struct Begun<'a> {
    pub(super) common_dir: &'a Path,
    pub(super) target: &'a str,
    pub(super) before: &'a Commit,
    pub(super) after: &'a Commit,
}

impl Begun<'_> {
    /// Notes the update before it begins.
    pub(super) fn note(&self) -> Result<(), MergeError> {
        let path = self.common_dir.join(NAME);
        write_atomically(&path, format!("{} {} {}\n", self.before, self.after, self.target).as_bytes())?;
        let sync = || File::open(&path)?.sync_all().and_then(|()| sync_directory(self.common_dir));
        Ok(sync().map_err(WorkspaceError::io("write", &path))?)
    }

    /// Takes the update back in one checkout.
    fn take_back_in(&self, checkout: &Path, lock: &Lock) -> Result<(), MergeError> {
        match Dirty::find(checkout, self.before, self.after.as_str()) {
            // With unresolved conflicts the user is at work there.
            Ok(None) | Err(MergeError::Unresolved { .. }) => return Ok(()),
            Ok(Some(_)) => {}
            Err(error) => return Err(error),
        }
        if let Some(lock) = index_lock(checkout) {
            return Err(MergeError::CheckoutLocked { path: checkout.to_owned(), lock, message: String::new() });
        }
        let touched = touched(checkout, self.before, self.after.as_str())?;
        let index = PrivateIndex::copy_of(checkout)?.entries()?;
        let index_has = |side: fn(&Touched) -> Option<&TreeEntry>| {
            touched.iter().all(|(path, touched)| index.get(path).map(|found| &found.entry) == side(touched))
        };
        if index_has(|touched| touched.old.as_ref()) {
            let files = Unfinished { checkout, before: self.before, after: self.after }.put_back()?;
            if !files.is_empty() {
                let (path, message) = (checkout.to_owned(), String::new());
                return Err(MergeError::HalfUpdated { path, files, message });
            }
        } else if index_has(|touched| touched.new.as_ref()) {
            // Git refuses it where the user has changed a file since; that is in the way then like any other change.
            switch(checkout, (self.after, self.before), lock)?;
        }
        Ok(())
    }
}

/// Takes back an update that was begun and not finished. Git has ended by then: it holds the lock of merges as well.
pub(super) fn take_back(common_dir: &Path, worktree: &GitWorktree, lock: &Lock) -> Result<(), MergeError> {
    let Ok(note) = read_private_file(&common_dir.join(NAME), MAX_NOTE_BYTES) else { return Ok(()) };
    let note = String::from_utf8_lossy(&note).into_owned();
    if let Some((before, after, target)) = parse(&note)
        && tip_of(common_dir, target)?.as_ref() == Some(&before)
        // Git deletes a commit to which nothing points after some weeks.
        && exists(common_dir, &after)?
    {
        let begun = Begun { common_dir, target, before: &before, after: &after };
        for checkout in MergeContext::read(common_dir, worktree, target)?.checkouts {
            begun.take_back_in(&checkout, lock)?;
        }
    }
    forget(common_dir)
}

/// Removes the note: the checkouts are as they were, or as they should be.
pub(super) fn forget(common_dir: &Path) -> Result<(), MergeError> {
    let path = common_dir.join(NAME);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(WorkspaceError::io("remove", &path)(error).into())
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The lock with which a git changes the index of a checkout.
pub(super) fn index_lock(checkout: &Path) -> Option<PathBuf> {
    let lock = link::git_dir(checkout)?.join("index.lock");
    lock.symlink_metadata().is_ok().then_some(lock)
}

fn exists(common_dir: &Path, commit: &Commit) -> Result<bool, MergeError> {
    let asked = GitCommand::on(common_dir).run(["cat-file", "-e"]).arg(format!("{commit}^{{commit}}"));
    Ok(asked.finish()?.success)
}

fn parse(note: &str) -> Option<(Commit, Commit, &str)> {
    let mut words = note.strip_suffix('\n')?.splitn(3, ' ');
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?))
}
