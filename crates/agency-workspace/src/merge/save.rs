//! Moves the uncommitted changes that are in the way of a merge from a checkout to a ref.
//!
//! The one rule: a file is changed only if it is exactly what the ref holds, which git itself checks as it changes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agency_model::shell_quoted;

use super::super::git_command::GitCommand;
use super::super::own_ref::{self, RefState};
use super::super::{Commit, WorkspaceError};
use super::dirty::Dirty;
use super::private_index::{PrivateIndex, TreeEntry, set_entries};
use super::{MergeError, SavedChanges};
use agency_system::fault;
use agency_system::lock::Lock;

const PREFIX: &str = "refs/agency/saved/";

/// Changes that are about to be moved out of the way.
pub(super) struct Saving<'a> {
    pub(super) checkout: &'a Path,
    /// The git directory that all worktrees share.
    pub(super) common_dir: &'a Path,
    /// The commit of the checkout.
    pub(super) before: &'a Commit,
    /// The last part of the ref.
    pub(super) name: &'a str,
    /// The lock of merges.
    pub(super) lock: &'a Lock,
}

/// Changes that were moved out of the way.
pub(super) struct Cleared {
    checkout: PathBuf,
    commit: Commit,
    reference: String,
}

impl Saving<'_> {
    /// Saves the changes and takes them out of the checkout; `None` if the user changed something meanwhile.
    pub(super) fn clear(&self, dirty: &Dirty) -> Result<Option<Cleared>, MergeError> {
        self.refuse_unsavable(dirty)?;
        let index = PrivateIndex::copy_of(self.checkout)?;
        index.unhide(dirty.hidden.iter())?;
        index.add_files(dirty.paths.keys())?;
        let taken: BTreeMap<PathBuf, TreeEntry> =
            index.entries()?.into_iter().map(|(path, found)| (path, found.entry)).collect();
        let (commit, reference) = self.save(dirty, &taken)?;
        fault::point("merge.saved");
        let with_changes = index.tree()?;
        let without = PrivateIndex::of_tree(self.checkout, &with_changes)?;
        without.set(dirty.paths.iter().map(|(path, entry)| (path, entry.as_ref())))?;
        let without = without.tree()?;
        let switch = |from: &str, to: &str| {
            let git = index.git().uninterrupted().holding(self.lock)?;
            git.run(["read-tree", "-m", "-u"]).args([from, to]).finish()
        };
        if !switch(&with_changes, &without)?.success {
            return Ok(None);
        }
        fault::point("merge.cleared");
        if !self.reset_index(dirty)? {
            // If the user changed the files too, they are not touched again, and the ref has what they were.
            switch(&without, &with_changes)?;
            return Ok(None);
        }
        Ok(Some(Cleared { checkout: self.checkout.to_owned(), commit, reference }))
    }

    /// A commit cannot hold repositories and special files.
    fn refuse_unsavable(&self, dirty: &Dirty) -> Result<(), MergeError> {
        for path in dirty.paths.keys() {
            let in_repository = path.components().any(|part| part.as_os_str() == ".git");
            let file = fs::symlink_metadata(self.checkout.join(path));
            let special = file.is_ok_and(|file| !(file.is_file() || file.is_symlink() || file.is_dir()));
            if in_repository || special {
                let (checkout, file) = (self.checkout.to_owned(), path.clone());
                return Err(MergeError::NotSavable { checkout, file });
            }
        }
        Ok(())
    }

    /// Writes the changes as a stash, from which git itself brings them back.
    fn save(&self, dirty: &Dirty, taken: &BTreeMap<PathBuf, TreeEntry>) -> Result<(Commit, String), MergeError> {
        let tree = |entries: &BTreeMap<PathBuf, TreeEntry>| {
            let index = PrivateIndex::of_tree(self.checkout, self.before.as_str())?;
            index.set(dirty.paths.keys().map(|path| (path, entries.get(path))))?;
            index.tree()
        };
        let (files, staged) = (tree(taken)?, tree(&dirty.staged)?);
        for number in 1.. {
            let reference = match number {
                1 => format!("{PREFIX}{}", self.name),
                number => format!("{PREFIX}{}.{number}", self.name),
            };
            match own_ref::state(self.common_dir, &reference)? {
                RefState::Holds(_) => match own_ref::commit_at(self.common_dir, &reference)? {
                    Some(commit) if self.holds(&commit, &files, &staged)? => return Ok((commit, reference)),
                    Some(_) | None => {}
                },
                RefState::Taken => {}
                RefState::Free => {
                    let commit = self.commit(&files, &staged)?;
                    let git = own_ref::update(self.git(), "agency: saved before a merge");
                    // The empty value says that the ref must not exist.
                    git.args([reference.as_str(), commit.as_str(), ""]).read()?;
                    return Ok((commit, reference));
                }
            }
        }
        let message = "every name is taken".to_owned();
        Err(MergeError::NotMoved { branch: format!("{PREFIX}{}", self.name), message })
    }

    /// Whether a saved commit holds exactly this.
    fn holds(&self, commit: &Commit, files: &str, staged: &str) -> Result<bool, MergeError> {
        let wanted = [
            (format!("{commit}^{{tree}}"), files),
            (format!("{commit}^1"), self.before.as_str()),
            (format!("{commit}^2^{{tree}}"), staged),
        ];
        let asked = self.git().run(["rev-parse"]).args(wanted.iter().map(|(what, _)| what)).finish()?;
        let answers = String::from_utf8_lossy(&asked.stdout).into_owned();
        Ok(asked.success && answers.lines().eq(wanted.iter().map(|(_, value)| *value)))
    }

    fn commit(&self, files: &str, staged: &str) -> Result<Commit, MergeError> {
        let make = |tree: &str, parents: &[&str], message: &str| -> Result<Commit, MergeError> {
            let parents = parents.iter().flat_map(|parent| ["-p", *parent]);
            let git = self.git().run(["commit-tree", "--no-gpg-sign"]).args(parents).arg("-m").arg(message);
            let made = git.arg(tree).read_line()?;
            made.parse().map_err(|_| {
                let (command, directory) = ("commit-tree".to_owned(), self.checkout.to_owned());
                WorkspaceError::Git { command, directory, message: format!("printed '{made}'") }.into()
            })
        };
        let index = make(staged, &[self.before.as_str()], "What was staged")?;
        // The path is read back by `list`.
        let message = format!("Changes saved before a merge\n\n{}", self.checkout.display());
        make(files, &[self.before.as_str(), index.as_str()], &message)
    }

    /// Lets the user's index have the commit's entries, unless something was staged since it was saved.
    fn reset_index(&self, dirty: &Dirty) -> Result<bool, MergeError> {
        let now = PrivateIndex::copy_of(self.checkout)?.entries()?;
        let same = |path: &PathBuf| now.get(path).map(|found| &found.entry) == dirty.staged.get(path);
        if !dirty.paths.keys().all(same) {
            return Ok(false);
        }
        let entries = dirty.paths.iter().map(|(path, entry)| (path, entry.as_ref()));
        set_entries(|| GitCommand::at(self.checkout), entries)?;
        // Files that git has to read again are not a failure.
        GitCommand::at(self.checkout).run(["update-index", "-q", "--refresh"]).finish()?;
        Ok(true)
    }

    fn git(&self) -> GitCommand {
        GitCommand::on(self.common_dir).config("core.fsync=committed,loose-object,reference")
    }
}

impl Cleared {
    /// Puts the changes back where they were, because the merge was not made.
    pub(super) fn restore(&self) -> Result<(), MergeError> {
        let git = GitCommand::at(&self.checkout).config("core.hooksPath=/dev/null");
        let applied = git.run(["stash", "apply", "--index", "--quiet"]).arg(self.commit.as_str()).finish()?;
        if applied.success {
            return Ok(());
        }
        let command = command(&self.checkout, &self.reference);
        Err(MergeError::NotRestored { path: self.checkout.clone(), command, message: applied.stderr })
    }
}

/// Everything that was saved under a name.
pub(super) fn list(common_dir: &Path, name: &str) -> Result<Vec<SavedChanges>, MergeError> {
    let git = GitCommand::on(common_dir).run(["for-each-ref", "--format=%(refname)%00%(contents:body)%00%00"]);
    let printed = git.args([format!("{PREFIX}{name}"), format!("{PREFIX}{name}.*")]).read()?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let saved = printed.split("\0\0").filter_map(|record| record.trim_start().split_once('\0'));
    let saved = saved.map(|(reference, checkout)| SavedChanges {
        reference: reference.to_owned(),
        command: command(Path::new(checkout.trim_end_matches('\n')), reference),
    });
    Ok(saved.collect())
}

/// The command that brings saved changes back. It keeps the ref, and leaves conflicts as git's merge does.
fn command(checkout: &Path, reference: &str) -> String {
    format!("git -C {} stash apply {reference}", shell_quoted(checkout))
}
