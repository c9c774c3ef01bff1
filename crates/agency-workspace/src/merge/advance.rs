//! Moves the target to the commit that was made, and the files of a checkout with it.
//!
//! The one rule: where the target is checked out, files and index move before the branch, by git itself, which refuses
//! to overwrite what is not committed. So nothing looks like undone work if the machine stops half way.

use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::{Commit, branch, link};
use super::context::MergeContext;
use super::dirty::Dirty;
use super::hooks::directory_at;
use super::put_back::Unfinished;
use super::save::{Cleared, Saving};
use super::{DirtyCheckout, DirtyFiles, MergeError, tip_of};
use agency_system::fault;

/// One move of the target.
pub(super) struct Step<'a> {
    pub(super) place: &'a MergeContext,
    /// The branch that is merged.
    pub(super) branch: &'a str,
    pub(super) before: &'a Commit,
    pub(super) after: &'a Commit,
    pub(super) dirty: &'a DirtyFiles,
}

/// The outcome.
pub(super) enum Advanced {
    /// The target is where it should be, and so are its checkouts.
    Moved,
    /// It was moved meanwhile; nothing was changed.
    Overtaken,
    /// Changes of the user are in the way; nothing was changed.
    Blocked(Vec<DirtyCheckout>),
}

/// What git did with one checkout.
enum Forwarded {
    Done,
    Refused(String),
}

impl Step<'_> {
    /// Moves the target with all its checkouts.
    pub(super) fn advance(&self) -> Result<Advanced, MergeError> {
        let dirty = dirty_checkouts(self.place, self.before, self.after.as_str())?;
        let mut cleared = Vec::new();
        if let (false, DirtyFiles::Save { name }) = (dirty.is_empty(), self.dirty) {
            self.clear(&dirty, name, &mut cleared)?;
        } else if !dirty.is_empty() {
            return Ok(Advanced::Blocked(described(&dirty)));
        }
        let advanced = self.update();
        if !matches!(advanced, Ok(Advanced::Moved)) {
            for cleared in &cleared {
                cleared.restore()?;
            }
        }
        advanced
    }

    /// Takes the changes out of all checkouts. One that the user keeps changing is noticed by the update that follows.
    fn clear(&self, dirty: &[(PathBuf, Dirty)], name: &str, cleared: &mut Vec<Cleared>) -> Result<(), MergeError> {
        for (checkout, dirty) in dirty {
            let common_dir = &self.place.common_dir;
            let saving = Saving { checkout, common_dir, before: self.before, name };
            match saving.clear(dirty) {
                Ok(found) => cleared.extend(found),
                Err(error) => {
                    cleared.iter().try_for_each(Cleared::restore)?;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn update(&self) -> Result<Advanced, MergeError> {
        let Some((first, others)) = self.place.checkouts.split_first() else {
            return Ok(if self.update_ref()? { Advanced::Moved } else { Advanced::Overtaken });
        };
        let mut updated = Vec::new();
        let mut forwarded = Forwarded::Done;
        for other in others {
            forwarded = switch(other, self.before, self.after)?;
            if let Forwarded::Refused(message) = &forwarded {
                self.put_back(other, message)?;
                break;
            }
            updated.push(other);
        }
        fault::point("merge.updated");
        if matches!(forwarded, Forwarded::Done) {
            forwarded = self.fast_forward(first)?;
        }
        let message = match forwarded {
            Forwarded::Done => return Ok(Advanced::Moved),
            Forwarded::Refused(message) => message,
        };
        for other in updated {
            switch(other, self.after, self.before)?;
        }
        if self.tip()?.as_ref() != Some(self.before) {
            return Ok(Advanced::Overtaken);
        }
        let dirty = dirty_checkouts(self.place, self.before, self.after.as_str())?;
        if dirty.is_empty() {
            return Err(MergeError::NotMoved { branch: self.place.target.clone(), message });
        }
        Ok(Advanced::Blocked(described(&dirty)))
    }

    /// Lets git move branch and files together, as `git merge --ff-only` does for a user.
    fn fast_forward(&self, checkout: &Path) -> Result<Forwarded, MergeError> {
        let staged = self.staged(checkout)?;
        let git = GitCommand::at(checkout).in_users_language().uninterrupted();
        // Git updates the files first, and would run the hooks that come with the merge.
        let git = if self.changes_hooks(checkout)? { git.config("core.hooksPath=/dev/null") } else { git };
        let finished = git
            .env("GIT_REFLOG_ACTION", format!("merge {}", self.branch))
            .run(["merge", "--ff-only", "--quiet", "--no-stat", "--no-verify-signatures", "--no-autostash"])
            // Ignored files belong to the user as well.
            .args(["--no-overwrite-ignore", self.after.as_str()])
            .finish_despite_hooks()?;
        if self.tip()?.as_ref() == Some(self.after) {
            return Ok(Forwarded::Done);
        }
        let message = finished.stderr;
        let lock = link::git_dir(checkout).map(|git_dir| git_dir.join("index.lock"));
        if let Some(lock) = lock.filter(|lock| lock.symlink_metadata().is_ok()) {
            return Err(MergeError::CheckoutLocked { path: checkout.to_owned(), lock, message });
        }
        if self.tip()?.as_ref() == Some(self.before) {
            // Git updates the files before the branch; if a hook then keeps the branch from moving, they go back.
            if self.staged(checkout)? == staged {
                self.put_back(checkout, &message)?;
            } else {
                let git = GitCommand::at(checkout).uninterrupted().run(["read-tree", "-m", "-u"]);
                git.args([self.after.as_str(), self.before.as_str()]).read()?;
            }
        }
        Ok(Forwarded::Refused(message))
    }

    /// Takes back what git wrote before it gave up. Nothing was in the way a moment ago, so half of an update would look
    /// like changes of the user, who could commit it.
    fn put_back(&self, checkout: &Path, message: &str) -> Result<(), MergeError> {
        let files = Unfinished { checkout, before: self.before, after: self.after }.put_back()?;
        if files.is_empty() {
            return Ok(());
        }
        Err(MergeError::HalfUpdated { path: checkout.to_owned(), files, message: message.to_owned() })
    }

    /// Whether the merge changes files in the directory of the hooks, or in the one above, to which husky's hooks lead.
    pub(super) fn changes_hooks(&self, checkout: &Path) -> Result<bool, MergeError> {
        let hooks = directory_at(checkout)?;
        let Ok(below) = hooks.strip_prefix(checkout) else { return Ok(false) };
        let above = below.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(below);
        let git = GitCommand::on(&self.place.common_dir).run(["diff-tree", "-r", "--quiet"]);
        let same = git.comparing_links().args([self.before.as_str(), self.after.as_str(), "--"]).arg(above).finish()?;
        Ok(!same.success)
    }

    /// How the index of a checkout differs from what the target was.
    fn staged(&self, checkout: &Path) -> Result<Vec<u8>, MergeError> {
        let git = GitCommand::at(checkout).run(["diff-index", "--cached", "--raw", "-z"]);
        Ok(git.comparing_links().arg(self.before.as_str()).read()?)
    }

    /// Moves only the branch, if it still is where it was; `false` if it is not.
    fn update_ref(&self) -> Result<bool, MergeError> {
        let moved = self
            .place
            .git()
            .run(["update-ref", "--create-reflog", "-m"])
            .arg(format!("merge {}: by agency", self.branch))
            .arg(branch::full_name(&self.place.target))
            .args([self.after.as_str(), self.before.as_str()])
            .finish_despite_hooks()?;
        if moved.success {
            return Ok(true);
        }
        if self.tip()?.as_ref() != Some(self.before) {
            return Ok(false);
        }
        Err(MergeError::NotMoved { branch: self.place.target.clone(), message: moved.stderr })
    }

    fn tip(&self) -> Result<Option<Commit>, MergeError> {
        tip_of(&self.place.common_dir, &self.place.target)
    }
}

/// The checkouts of the target in which changes are in the way of a commit or a tree.
pub(super) fn dirty_checkouts(
    place: &MergeContext,
    before: &Commit,
    after: &str,
) -> Result<Vec<(PathBuf, Dirty)>, MergeError> {
    let mut found = Vec::new();
    for checkout in &place.checkouts {
        if let Some(dirty) = Dirty::find(checkout, before, after)? {
            found.push((checkout.clone(), dirty));
        }
    }
    Ok(found)
}

/// The same as text for users.
pub(super) fn described(dirty: &[(PathBuf, Dirty)]) -> Vec<DirtyCheckout> {
    dirty.iter().map(|(checkout, dirty)| dirty.described(checkout)).collect()
}

/// Lets git move files and index of a checkout from one commit to another; its branch is moved elsewhere.
fn switch(checkout: &Path, from: &Commit, to: &Commit) -> Result<Forwarded, MergeError> {
    let git = GitCommand::at(checkout).config("core.hooksPath=/dev/null").uninterrupted();
    let git = git.run(["read-tree", "-m", "-u"]);
    let finished = git.args([from.as_str(), to.as_str()]).finish()?;
    Ok(if finished.success { Forwarded::Done } else { Forwarded::Refused(finished.stderr) })
}
