//! Comments: written, listed with the place that they have now, settled when their lines change, withdrawn.

use std::collections::BTreeMap;

use agency_model::review::{CommentState, MAX_COMMENT_BYTES, MAX_COMMENTS, NewComment};
use agency_model::{RunId, WorkspaceKind};
use agency_workspace::{FileNow, FilesNow};

use super::location::{draft, locate};
use super::{CommentLocation, ReviewError};
use crate::agency::Agency;
use crate::runs::remove::RemoveError;
use crate::store::{Approval, CommentDraft, CommentRow, RunRow};

/// The comments on the work of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WorkReview {
    /// The run by which it is kept: the one that made the worktree.
    pub owner: RunId,
    /// The tree of the files as they are; `None` where they are gone.
    pub tree: Option<String>,
    /// All comments, in the order in which they were written.
    pub comments: Vec<Comment>,
    /// The last approval, which may be for other files.
    pub approval: Option<Approval>,
}

impl WorkReview {
    /// Whether exactly the files as they are were approved.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.tree.is_some() && self.approval.as_ref().map(|approval| &approval.tree) == self.tree.as_ref()
    }
}

/// A comment, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Comment {
    /// The comment.
    pub row: CommentRow,
    /// Where it is now; `None` for one that is settled, and where the files are gone.
    pub now: Option<CommentLocation>,
}

impl Agency {
    /// Stores comments on the work of a run as it is, all or none, and returns their numbers.
    pub fn comment(&mut self, row: &RunRow, by: &str, comments: &[NewComment]) -> Result<Vec<i64>, ReviewError> {
        check_sizes(comments)?;
        let owner = self.work_owner(row)?;
        let paths: Vec<String> = comments.iter().map(|new| new.place.path.clone()).collect();
        let FilesNow { tree, files } = self.files_of(row, &paths)?;
        let drafts: Result<Vec<CommentDraft>, ReviewError> =
            comments.iter().zip(&files).map(|(new, file)| draft(&new.place, &new.body, file)).collect();
        let author = if self.starter()?.agent { "an agent" } else { by };
        Ok(self.store.add_comments(&owner, &tree, author, &drafts?)?)
    }

    /// The comments on the work of a run, with the places that they have now. Comments whose lines changed after they
    /// were sent are addressed from now on, unless the agent is still at work.
    pub fn review(&mut self, row: &RunRow) -> Result<WorkReview, ReviewError> {
        let owner = self.work_owner(row)?;
        self.settle_deliveries(&owner)?;
        let mut rows = self.store.comments_of(&owner)?;
        let approval = self.store.approval(&owner)?;
        let without_files = |rows: Vec<CommentRow>, approval| WorkReview {
            owner: owner.clone(),
            tree: None,
            comments: rows.into_iter().map(|row| Comment { row, now: None }).collect(),
            approval,
        };
        if row.removed_at.is_some() || row.workspace == WorkspaceKind::Scratch {
            return Ok(without_files(rows, approval));
        }
        let paths = followed_paths(&rows);
        let Ok(FilesNow { tree, files }) = self.files_of(row, &paths) else {
            return Ok(without_files(rows, approval));
        };
        let located = self.locate_all(&rows, &paths, &files)?;
        if !self.is_at_work(row)? {
            let settled = settled(&rows, &located);
            if !self.store.settle_comments(&settled)?.is_empty() {
                rows = self.store.comments_of(&owner)?;
            }
        }
        let comments = rows.into_iter().map(|row| Comment { now: located.get(&row.id).cloned(), row }).collect();
        Ok(WorkReview { owner, tree: Some(tree), comments, approval })
    }

    /// Withdraws comments. Agents may not.
    pub fn withdraw_comments(&mut self, row: &RunRow, ids: &[i64]) -> Result<(), ReviewError> {
        self.permitted_caller()?;
        let owner = self.work_owner(row)?;
        let known = self.store.comments_of(&owner)?;
        if let Some(id) = ids.iter().find(|id| known.iter().all(|row| row.id != **id)) {
            return Err(ReviewError::NoComment { run: row.id.clone(), id: *id });
        }
        let changes: Vec<(i64, CommentState)> = ids.iter().map(|id| (*id, CommentState::Withdrawn)).collect();
        self.store.settle_comments(&changes)?;
        Ok(())
    }

    /// How many comments wait to be sent and how many to be addressed, for each run that has any: the run that has the work
    /// now, and the two numbers.
    pub fn runs_with_comments(&mut self) -> Result<Vec<(RunRow, u32, u32)>, ReviewError> {
        let mut found = vec![];
        for counts in self.store.open_comments()? {
            let row = self.store.run(&counts.run_id)?;
            if row.removed_at.is_none() {
                found.push((self.current_run(&row)?, counts.open, counts.sent));
            }
        }
        Ok(found)
    }

    /// How many comments on the work of a run were not sent, and how many were sent and are not addressed.
    pub fn open_comments(&self, row: &RunRow) -> Result<(u32, u32), ReviewError> {
        let owner = self.work_owner(row)?;
        let counts = self.store.open_comments()?.into_iter().find(|counts| counts.run_id == owner);
        Ok(counts.map_or((0, 0), |counts| (counts.open, counts.sent)))
    }

    pub(super) fn files_of(&self, row: &RunRow, paths: &[String]) -> Result<FilesNow, ReviewError> {
        if row.workspace == WorkspaceKind::Scratch || row.removed_at.is_some() {
            return Err(ReviewError::NoFiles { run: row.id.clone() });
        }
        if let Some(path) = paths.iter().find(|path| !is_plain(path)) {
            let message = "name a file below the top of the worktree".to_owned();
            return Err(ReviewError::Misplaced { path: path.clone(), message });
        }
        Ok(self.workspace_of(row)?.files_now(paths).map_err(RemoveError::from)?)
    }

    fn locate_all(
        &self,
        rows: &[CommentRow],
        paths: &[String],
        files: &[FileNow],
    ) -> Result<BTreeMap<i64, CommentLocation>, ReviewError> {
        let mut located = BTreeMap::new();
        for row in rows.iter().filter(|row| is_followed(row)) {
            let file = paths.iter().position(|path| *path == row.path).and_then(|at| files.get(at));
            if let Some(file) = file {
                let content = self.anchored_content(row)?;
                located.insert(row.id, locate(row, file, content.as_deref()));
            }
        }
        Ok(located)
    }

    pub(super) fn anchored_content(&self, row: &CommentRow) -> Result<Option<Vec<u8>>, ReviewError> {
        Ok(row.anchor.blob.as_deref().map(|blob| self.store.reviewed_content(blob)).transpose()?.flatten())
    }
}

/// The paths of comments that are followed, each once.
pub(super) fn followed_paths(rows: &[CommentRow]) -> Vec<String> {
    let mut paths: Vec<String> = rows.iter().filter(|row| is_followed(row)).map(|row| row.path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn is_followed(row: &CommentRow) -> bool {
    match row.state {
        CommentState::Open | CommentState::Sent => true,
        CommentState::Addressed | CommentState::Gone | CommentState::Withdrawn => false,
    }
}

/// The state of comments that their agent has.
fn settled(rows: &[CommentRow], located: &BTreeMap<i64, CommentLocation>) -> Vec<(i64, CommentState)> {
    let delivered = rows.iter().filter(|row| row.state == CommentState::Sent && row.delivered_at.is_some());
    let found = delivered.filter_map(|row| match located.get(&row.id)? {
        CommentLocation { gone: true, .. } => Some((row.id, CommentState::Gone)),
        CommentLocation { changed: true, .. } => Some((row.id, CommentState::Addressed)),
        CommentLocation { .. } => None,
    });
    found.collect()
}

fn check_sizes(comments: &[NewComment]) -> Result<(), ReviewError> {
    let refuse = |path: &str, message: String| Err(ReviewError::Misplaced { path: path.to_owned(), message });
    if let Some(large) = comments.iter().find(|new| new.body.len() > MAX_COMMENT_BYTES) {
        return refuse(&large.place.path, format!("the comment is longer than {MAX_COMMENT_BYTES} bytes"));
    }
    match comments.get(MAX_COMMENTS) {
        Some(first) => refuse(&first.place.path, format!("there are more than {MAX_COMMENTS} comments")),
        None => Ok(()),
    }
}

/// Whether a path stays below the top and is one that git could have.
fn is_plain(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_name) && !path.contains('\0')
}
