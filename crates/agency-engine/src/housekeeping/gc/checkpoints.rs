//! Checkpoints of runs that were removed. `agency rm` deletes them; some stay where it could not, or in old homes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agency_model::{RunId, duration_text};
use agency_workspace::{Repository, checkpoints_hold_commits, last_checkpoints};
use jiff::Timestamp;

use super::group::{age, limit};
use super::{GcAction, GcCategory, GcEntry};
use crate::config::GcConfig;
use crate::home::Home;
use crate::housekeeping::places::Owners;
use crate::runs::user_repository::repository_of;
use crate::store::RunRow;

/// An entry for each ref with checkpoints of a run that is not there any more.
pub(super) fn entries(home: &Home, owners: &Owners, repo: Option<&str>, config: GcConfig) -> Vec<GcEntry> {
    let mut repositories: BTreeMap<PathBuf, &RunRow> = BTreeMap::new();
    for row in owners.rows().filter(|row| repo.is_none_or(|repo| row.repo_path == repo)) {
        if let Ok(root) = repository_of(home, row) {
            repositories.entry(root).or_insert(row);
        }
    }
    let mut by_owner: BTreeMap<RunId, Vec<&RunRow>> = BTreeMap::new();
    for row in owners.rows() {
        by_owner.entry(row.worktree_owner()).or_default().push(row);
    }
    let mut entries = vec![];
    for (root, _) in repositories {
        let repository = Repository::from_root(root);
        // One that is gone has none.
        for (run, _) in last_checkpoints(&repository).unwrap_or_default() {
            let rows = by_owner.get(&run).map(Vec::as_slice).unwrap_or_default();
            entries.extend(decide(&repository, run, rows, config));
        }
    }
    entries
}

fn decide(repository: &Repository, run: RunId, rows: &[&RunRow], config: GcConfig) -> Option<GcEntry> {
    let (action, why) = why(repository, &run, rows, config)?;
    Some(GcEntry {
        repo: Some(repository.root().to_str()?.to_owned()),
        reference: Some(run.checkpoints_ref()),
        name: rows.last().and_then(|row| row.name.clone()),
        run: Some(run),
        ..GcEntry::new(GcCategory::Checkpoints, action, why)
    })
}

/// `None` where the worktree is there.
fn why(repository: &Repository, run: &RunId, rows: &[&RunRow], config: GcConfig) -> Option<(GcAction, String)> {
    if rows.is_empty() {
        return Some((GcAction::Keep, "its run is not in the database".to_owned()));
    }
    let removed: Option<Vec<Timestamp>> = rows.iter().map(|row| row.removed_at).collect();
    let (now, removed) = (Timestamp::now(), removed?.into_iter().max()?);
    let ago = age(now, removed);
    if now.duration_since(removed) < limit(config.unused_after) {
        let stays = duration_text(config.unused_after);
        return Some((GcAction::Keep, format!("its run was removed {ago} ago, and it stays for {stays}")));
    }
    Some(match checkpoints_hold_commits(repository, run) {
        Ok(false) => (GcAction::Remove, format!("its run was removed {ago} ago")),
        Ok(true) => (GcAction::Keep, "it leads to commits that are on no branch".to_owned()),
        Err(error) => (GcAction::Keep, error.to_string()),
    })
}
