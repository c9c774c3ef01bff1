//! Which runs a forecast is about.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use agency_model::run::State;
use agency_model::{RunKind, WorkspaceKind};
use agency_workspace::{Repository, default_target};

use crate::agency::Agency;
use crate::home::{BASE_BRANCH_FILE, read_text};
use crate::runs::user_repository::repository_of;
use crate::store::{RunFilter, RunRow, StoreError};

/// The branches that runs started from. Git is asked once for each ref.
#[derive(Default)]
pub(super) struct Targets {
    known: HashMap<(String, Option<String>), Result<String, String>>,
}

impl Agency {
    /// The runs of a repository with a worktree whose work has not landed, oldest first; of several in one worktree, the
    /// newest.
    pub(super) fn unlanded(&self, repository: &Path) -> Result<Vec<RunRow>, StoreError> {
        let mut worktrees = HashSet::new();
        let mut rows = self.store.list(&RunFilter::default())?;
        rows.retain(|row| {
            let has_work = matches!(row.workspace, WorkspaceKind::Worktree | WorkspaceKind::Shared)
                && row.worktree_path.is_some()
                && row.kind != RunKind::Ask
                && row.state != State::Queued;
            let is_here = || repository_of(&self.home, row).is_ok_and(|root| root == repository);
            has_work && is_here() && worktrees.insert(row.worktree_path.clone())
        });
        // What a live run does after it landed is new work.
        rows.retain(|row| row.landed_at.is_none() || !row.state.is_terminal());
        rows.reverse();
        Ok(rows)
    }
}

impl Targets {
    /// The branch that the work of a run would be merged into.
    pub(super) fn of(&mut self, agency: &Agency, repository: &Path, row: &RunRow) -> Result<String, String> {
        let recorded = read_text(&agency.home().run(&row.worktree_owner()).file(BASE_BRANCH_FILE)).ok();
        let recorded = recorded.map(|text| text.trim_end().to_owned()).filter(|name| !name.is_empty());
        let key = (row.base_ref.clone(), recorded);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let find = || {
            let then = match key.1.clone() {
                Some(name) => Some(name),
                None => Repository::from_root(repository.to_owned()).branch_to_merge_into().ok().flatten(),
            };
            default_target(repository, &row.base_ref, then.as_deref()).map_err(|error| error.to_string())
        };
        let found = find();
        self.known.insert(key, found.clone());
        found
    }
}
