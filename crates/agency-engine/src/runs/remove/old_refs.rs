//! Moves saved work from the refs that older versions wrote, which hide the branches of their runs from git.
//!
//! The one rule: refs first, then `meta.json`, then the row, so that an interrupted move is found and repeated.

use std::collections::BTreeMap;

use agency_model::{RunId, Vcs};
use agency_system::fault;
use agency_workspace::{MovedRef, move_old_refs};

use crate::agency::Agency;
use crate::runs::user_repository::users;
use crate::store::{RunRow, StoreError};

/// Whether something is done or only planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveRefs {
    /// Only says what would be done.
    Plan,
    /// Does it.
    Now,
}

impl Agency {
    /// Moves saved work to where this version keeps it; what was done, or would be, in words.
    pub fn move_saved_refs(&mut self, mode: MoveRefs) -> Result<Vec<String>, StoreError> {
        let mut by_repository: BTreeMap<String, Vec<RunRow>> = BTreeMap::new();
        for row in self.store.runs_with_old_saved_ref()? {
            by_repository.entry(row.repo_path.clone()).or_default().push(row);
        }
        let mut done = vec![];
        for (repository, rows) in by_repository {
            let rows: Vec<RunRow> = rows.into_iter().filter(|row| row.vcs == Vcs::Git).collect();
            if mode == MoveRefs::Plan {
                done.extend(rows.iter().map(|row| format!("would move {}", from_to(&row.id))));
                continue;
            }
            let ids: Vec<RunId> = rows.iter().map(|row| row.id.clone()).collect();
            match users(&self.home, repository.as_ref()).and_then(|root| move_old_refs(&root, &ids)) {
                Ok(moved) => {
                    for (row, moved) in rows.into_iter().zip(moved) {
                        done.extend(self.note_moved_ref(row, &moved)?);
                    }
                }
                // A repository that was moved or deleted: its refs are as they were.
                Err(error) => done.push(format!("saved work in {repository} was not moved: {error}")),
            }
        }
        Ok(done)
    }

    fn note_moved_ref(&mut self, mut row: RunRow, moved: &MovedRef) -> Result<Option<String>, StoreError> {
        fault::point("refs.moved");
        match moved {
            MovedRef::Missing => Ok(None),
            MovedRef::Moved => {
                row.saved_ref = Some(row.id.saved_work_ref());
                // A snapshot for readers of the files.
                let _ = self.home.run(&row.id).write_json("meta.json", &row);
                fault::point("refs.noted");
                self.store.set_saved_ref(&row.id, &row.id.saved_work_ref())?;
                Ok(Some(format!("moved {}", from_to(&row.id))))
            }
            MovedRef::Both => Ok(Some(format!(
                "{} and {} hold different work; both were kept",
                row.id.old_saved_work_ref(),
                row.id.saved_work_ref()
            ))),
        }
    }
}

fn from_to(id: &RunId) -> String {
    format!("saved work from {} to {}", id.old_saved_work_ref(), id.saved_work_ref())
}
