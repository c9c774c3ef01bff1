//! Warns about remotes that would publish what agency keeps in a repository.

use std::collections::BTreeSet;
use std::path::PathBuf;

use agency_model::shell_quoted;
use agency_workspace::Repository;

use super::{Check, Health};
use crate::agency::Agency;
use crate::runs::user_repository::users;

/// How many repositories are examined.
const MAX_REPOSITORIES: u32 = 500;

impl Agency {
    /// A push to a mirror publishes every ref, and with the checkpoints files that were never committed.
    pub(super) fn mirror_checks(&self) -> Vec<Check> {
        let recorded = self.store.repositories(MAX_REPOSITORIES).unwrap_or_default();
        let places: BTreeSet<PathBuf> = recorded.iter().filter_map(|path| users(&self.home, path).ok()).collect();
        let remotes = places.into_iter().flat_map(|root| {
            let remotes = Repository::from_root(root.clone()).mirror_remotes();
            remotes.into_iter().map(move |remote| (root.clone(), remote))
        });
        let check = |(root, remote): (PathBuf, String)| {
            let message = format!(
                "the remote '{remote}' of {} is a mirror: git push publishes the checkpoints and the saved work of runs",
                root.display()
            );
            let setting = shell_quoted(format!("remote.{remote}.mirror"));
            let fix = format!("git -C {} config --unset {setting}, and push branches only", shell_quoted(&root));
            Check::bad("remotes", Health::Warning, message, fix)
        };
        remotes.map(check).collect()
    }
}
