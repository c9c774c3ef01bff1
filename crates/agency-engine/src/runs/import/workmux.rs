//! The worktrees of workmux: those of a repository of which its git configuration has notes.

use std::path::Path;

use agency_workspace::{Repository, registered_worktrees};

use super::{Found, ImportError};

/// Reads the worktrees of the repository at a place.
pub(super) fn read(path: &Path) -> Result<Vec<Found>, ImportError> {
    let unreadable = |error: &dyn std::fmt::Display| ImportError::unreadable(path, error);
    let repository = Repository::open(path).map_err(|error| unreadable(&error))?;
    let common = repository.common_dir().map_err(|error| unreadable(&error))?;
    // The checkout that the user works in, also if the place is one of its worktrees.
    let main = common.parent().filter(|_| common.ends_with(".git")).unwrap_or(repository.root());
    let main = Repository::open(main).map_err(|error| unreadable(&error))?;
    let mut found = vec![];
    for registered in registered_worktrees(main.root()).map_err(|error| unreadable(&error))? {
        let handle = registered.path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let noted = |key: &str| main.own_setting(&format!("workmux.worktree.{handle}.{key}"));
        if noted("mode").or_else(|| noted("attachment")).is_none() {
            continue;
        }
        let branch = registered.branch.clone();
        let base = branch.as_ref().and_then(|branch| main.own_setting(&format!("branch.{branch}.workmux-base")));
        found.push(Found {
            title: handle,
            repo: main.root().to_owned(),
            worktree: registered.path,
            branch,
            base: base.or_else(|| Some("HEAD".to_owned())),
            agent: None,
            created_at: None,
        });
    }
    Ok(found)
}
