//! Moves the target to the commit that was made, and the files of a checkout with it.
//!
//! The one rule: where the target is checked out, git itself updates files, index and branch in its own order, which
//! leaves nothing that looks like undone work if the machine stops half way.

use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::wording::quoted;
use super::super::{Commit, branch, link};
use super::place::Place;
use super::{CheckoutFate, MergeError, tip_of};

/// One move of the target.
pub(super) struct Step<'a> {
    pub(super) place: &'a Place,
    /// The branch that is merged.
    pub(super) branch: &'a str,
    pub(super) before: &'a Commit,
    pub(super) after: &'a Commit,
}

/// What came of it.
pub(super) enum Advanced {
    /// The target is where it should be.
    Moved(Vec<CheckoutFate>),
    /// Somebody else moved it first; nothing was changed.
    Overtaken,
}

/// What git did with one checkout.
enum Forwarded {
    Done,
    InTheWay(String),
}

impl Step<'_> {
    /// Moves the target, with its first checkout if nothing is in the way there.
    pub(super) fn advance(&self) -> Result<Advanced, MergeError> {
        let mut fates = Vec::new();
        let mut others = self.place.checkouts.iter();
        let in_the_way = match others.next() {
            Some(first) => match self.fast_forward(first)? {
                Forwarded::Done => {
                    fates.push(CheckoutFate::Updated { path: first.clone() });
                    None
                }
                Forwarded::InTheWay(reason) => Some((first, reason)),
            },
            None => None,
        };
        if fates.is_empty() && !self.update_ref()? {
            return Ok(Advanced::Overtaken);
        }
        if let Some((path, reason)) = in_the_way {
            fates.push(self.left_alone(path, reason));
        }
        let second = |path: &PathBuf| self.left_alone(path, "the branch is checked out more than once".to_owned());
        fates.extend(others.map(second));
        Ok(Advanced::Moved(fates))
    }

    /// Lets git move branch and files together, as `git merge --ff-only` does for a person.
    fn fast_forward(&self, checkout: &Path) -> Result<Forwarded, MergeError> {
        let staged = self.staged(checkout)?;
        let finished = GitCommand::at(checkout)
            .in_users_language()
            .env("GIT_REFLOG_ACTION", format!("merge {}", self.branch))
            .run(["merge", "--ff-only", "--quiet", "--no-stat", "--no-verify-signatures", "--no-autostash"])
            // What the user tells git to ignore is still the user's.
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
        // Git updates the files before the branch; if a hook then keeps the branch from moving, they go back.
        if self.tip()?.as_ref() == Some(self.before) && self.staged(checkout)? != staged {
            let git = GitCommand::at(checkout).run(["read-tree", "-m", "-u"]);
            git.args([self.after.as_str(), self.before.as_str()]).read()?;
        }
        Ok(Forwarded::InTheWay(message))
    }

    /// How the index of a checkout differs from what the target was.
    fn staged(&self, checkout: &Path) -> Result<Vec<u8>, MergeError> {
        let git = GitCommand::at(checkout).run(["diff-index", "--cached", "--raw", "-z"]);
        Ok(git.arg(self.before.as_str()).read()?)
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

    fn left_alone(&self, path: &Path, reason: String) -> CheckoutFate {
        let git = format!("git -C {}", quoted(path));
        let commands = vec![
            format!("{git} switch --detach"),
            format!("{git} reset --soft {}", self.before),
            format!("{git} stash push --include-untracked"),
            format!("{git} switch {}", quoted(Path::new(&self.place.target))),
            format!("{git} stash pop"),
        ];
        CheckoutFate::LeftAlone { path: path.to_owned(), reason, commands }
    }
}
