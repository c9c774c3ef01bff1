//! The branch that work lands on where none is named: the one that the run started from.

use agency_workspace::{Repository, default_target};

use super::LandError;
use crate::agency::Agency;
use crate::home::{BASE_BRANCH_FILE, Home, read_text};
use crate::runs::user_repository::repository_of;
use crate::store::RunRow;

impl Agency {
    /// The branch that the work of a run lands on unless another is named.
    pub fn land_target(&self, row: &RunRow) -> Result<String, LandError> {
        target_of(&self.home, row)
    }
}

/// The same without the database.
pub(crate) fn target_of(home: &Home, row: &RunRow) -> Result<String, LandError> {
    let root = repository_of(home, row)?;
    let recorded = read_text(&home.run(&row.worktree_owner()).file(BASE_BRANCH_FILE)).ok();
    let then = match recorded.map(|text| text.trim_end().to_owned()).filter(|name| !name.is_empty()) {
        Some(name) => Some(name),
        // A run of an earlier version.
        None => Repository::from_root(root.clone()).branch_to_merge_into()?,
    };
    Ok(default_target(&root, &row.base_ref, then.as_deref())?)
}
