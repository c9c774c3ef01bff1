//! Adds sizes up by run, repository and kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use agency_model::RunId;
use agency_system::disk::DiskUse;

use super::{DiskKind, DiskUsage, KindUsage, Measured, RepositoryUsage, RunUsage};
use crate::home::Home;
use crate::housekeeping::places::Owners;

/// Everything, the largest first.
pub(super) fn up<'a>(
    home: &Home,
    owners: &Owners,
    measured: impl Iterator<Item = (&'a Measured, DiskUse)>,
    free_bytes: Option<u64>,
) -> DiskUsage {
    let mut all = DiskUse::default();
    let mut kinds: BTreeMap<DiskKind, u64> = BTreeMap::new();
    let mut runs: BTreeMap<RunId, RunUsage> = BTreeMap::new();
    let mut repositories: BTreeMap<Option<String>, RepositoryUsage> = BTreeMap::new();
    for (place, size) in measured {
        all = all.plus(size);
        *kinds.entry(place.kind).or_default() += size.bytes;
        if let Some(id) = &place.run {
            let run = runs.entry(id.clone()).or_insert_with(|| empty_run(id, place, owners));
            add_to_run(run, place.kind, size.bytes);
        }
        if matches!(place.kind, DiskKind::Worktrees | DiskKind::Logs | DiskKind::Trials) || place.run.is_some() {
            let repository = repositories.entry(place.repo.clone()).or_insert_with(|| empty_repository(place));
            add_to_repository(repository, place.kind, size.bytes);
        }
    }
    for repository in repositories.values_mut() {
        repository.runs = runs.values().filter(|run| run.repo == repository.repo).count();
    }
    let (mut runs, mut repositories) = (Vec::from_iter(runs.into_values()), Vec::from_iter(repositories.into_values()));
    runs.sort_by_key(|run| Reverse(run.bytes));
    repositories.sort_by_key(|repository| Reverse(repository.bytes));
    let mut kinds: Vec<KindUsage> = kinds.into_iter().map(|(kind, bytes)| KindUsage { kind, bytes }).collect();
    kinds.sort_by_key(|kind| Reverse(kind.bytes));
    let home = home.root().display().to_string();
    DiskUsage { home, bytes: all.bytes, free_bytes, unread: all.unread, kinds, repositories, runs }
}

fn empty_run(id: &RunId, place: &Measured, owners: &Owners) -> RunUsage {
    let row = owners.row(id);
    RunUsage {
        id: id.clone(),
        name: row.and_then(|row| row.name.clone()),
        state: row.map(|row| row.state),
        removed: row.is_some_and(|row| row.removed_at.is_some()),
        repo: place.repo.clone(),
        bytes: 0,
        worktree_bytes: 0,
        log_bytes: 0,
        kept_bytes: 0,
    }
}

fn empty_repository(place: &Measured) -> RepositoryUsage {
    let repo = place.repo.clone();
    RepositoryUsage { repo, runs: 0, bytes: 0, worktree_bytes: 0, log_bytes: 0, trial_bytes: 0, kept_bytes: 0 }
}

fn add_to_run(run: &mut RunUsage, kind: DiskKind, bytes: u64) {
    run.bytes += bytes;
    match kind {
        DiskKind::Worktrees => run.worktree_bytes += bytes,
        DiskKind::Kept => run.kept_bytes += bytes,
        DiskKind::Logs
        | DiskKind::Trials
        | DiskKind::Trash
        | DiskKind::Sessions
        | DiskKind::Sources
        | DiskKind::Database
        | DiskKind::Other => run.log_bytes += bytes,
    }
}

fn add_to_repository(repository: &mut RepositoryUsage, kind: DiskKind, bytes: u64) {
    repository.bytes += bytes;
    match kind {
        DiskKind::Worktrees => repository.worktree_bytes += bytes,
        DiskKind::Trials => repository.trial_bytes += bytes,
        DiskKind::Kept => repository.kept_bytes += bytes,
        DiskKind::Logs
        | DiskKind::Trash
        | DiskKind::Sessions
        | DiskKind::Sources
        | DiskKind::Database
        | DiskKind::Other => repository.log_bytes += bytes,
    }
}
