//! Trial trees, which save time only: those of repositories that are gone, and those that are not used.

use std::path::Path;

use agency_system::disk::DiskMeter;
use agency_system::lock::is_held;
use agency_workspace::TrialTree;
use jiff::Timestamp;

use super::group::{age, limit};
use super::{GcAction, GcCategory, GcEntry};
use crate::config::GcConfig;
use crate::home::Home;
use crate::housekeeping::places::{Owners, TrialPlace, trials};
use crate::housekeeping::{HousekeepingError, Listener};
use agency_model::duration_text;

/// An entry for each trial tree that has files.
pub(super) fn entries(
    home: &Home,
    owners: &Owners,
    repo: Option<&str>,
    config: GcConfig,
    listener: &Listener<'_>,
) -> Result<Vec<GcEntry>, HousekeepingError> {
    let mut decided = vec![];
    for place in trials(home, owners) {
        if repo.is_none_or(|repo| place.repo.as_deref() == Some(repo)) {
            decided.extend(decide(place, config));
        }
    }
    let meter = DiskMeter::default();
    let sizes = listener.each(&decided, |entry| {
        let path = entry.path.as_deref().filter(|_| entry.action == GcAction::Remove)?;
        Some(meter.measure(Path::new(path), listener.stop()).bytes)
    });
    for (entry, bytes) in decided.iter_mut().zip(sizes.ok_or(HousekeepingError::Interrupted)?) {
        entry.bytes = bytes;
    }
    Ok(decided)
}

fn decide(place: TrialPlace, config: GcConfig) -> Option<GcEntry> {
    let used = Timestamp::try_from(TrialTree::last_used(&place.path)?).ok()?;
    let (action, why) = why(&place, used, config);
    let (repo, path) = (place.repo, Some(place.path.to_str()?.to_owned()));
    Some(GcEntry { repo, path, ..GcEntry::new(GcCategory::Trial, action, why) })
}

fn why(place: &TrialPlace, used: Timestamp, config: GcConfig) -> (GcAction, String) {
    let now = Timestamp::now();
    if is_held(&place.path.join("lock")).unwrap_or(true) {
        return (GcAction::Keep, "it is in use".to_owned());
    }
    if let Some(repo) = place.repo.as_ref().filter(|repo| !Path::new(repo).exists()) {
        return (GcAction::Remove, format!("its repository {repo} is gone"));
    }
    let ago = age(now, used);
    if now.duration_since(used) >= limit(config.unused_after) {
        return (GcAction::Remove, format!("last used {ago} ago"));
    }
    (GcAction::Keep, format!("last used {ago} ago, and stays for {}", duration_text(config.unused_after)))
}
