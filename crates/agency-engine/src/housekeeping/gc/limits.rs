//! The limits of the disk: they make a removal earlier, never a reason of its own.

use agency_system::disk::{DiskMeter, free_bytes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Candidate, GcAction, GcEntry, Work};
use crate::agency::Agency;
use crate::housekeeping::places::{Owners, trials, worktrees};
use crate::housekeeping::{HousekeepingError, Listener, size_text};

/// A gigabyte as the configuration counts.
const GB: u64 = 1_000_000_000;

/// The limits of the disk, and how they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DiskLimits {
    /// What worktrees and trial trees may take; `null` without a limit.
    pub max_bytes: Option<u64>,
    /// What they take, measured only with that limit.
    pub used_bytes: Option<u64>,
    /// What has to be free; `null` without a limit.
    pub min_free_bytes: Option<u64>,
    /// What is free, read only with that limit.
    pub free_bytes: Option<u64>,
    /// How much is too much, after everything was removed that is to be removed.
    pub exceeded_bytes: u64,
}

impl Agency {
    pub(super) fn disk_limits(
        &self,
        owners: &Owners,
        listener: &Listener<'_>,
    ) -> Result<DiskLimits, HousekeepingError> {
        let limit = |gigabytes: u32| (gigabytes > 0).then(|| u64::from(gigabytes) * GB);
        let (max_bytes, min_free_bytes) = (limit(self.config.gc.max_gb), limit(self.config.gc.min_free_gb));
        let free_bytes = min_free_bytes.and_then(|_| free_bytes(self.home.root()).ok());
        let mut limits = DiskLimits { max_bytes, min_free_bytes, free_bytes, ..DiskLimits::default() };
        if max_bytes.is_some() {
            let mut paths: Vec<_> = worktrees(&self.home, owners).into_iter().map(|place| place.path).collect();
            paths.extend(trials(&self.home, owners).into_iter().map(|place| place.path));
            let meter = DiskMeter::default();
            let sizes = listener.each(&paths, |path| meter.measure(path, listener.stop()).bytes);
            limits.used_bytes = Some(sizes.ok_or(HousekeepingError::Interrupted)?.iter().sum());
        }
        limits.exceeded_bytes = limits.excess();
        Ok(limits)
    }
}

impl DiskLimits {
    fn excess(&self) -> u64 {
        let over = |(used, max): (u64, u64)| used.saturating_sub(max);
        let used = self.used_bytes.zip(self.max_bytes).map_or(0, over);
        used.max(self.min_free_bytes.zip(self.free_bytes).map_or(0, over))
    }

    /// What is too much once the entries that are to be removed are gone.
    pub(super) fn after(mut self, entries: &[GcEntry]) -> Self {
        let removed = entries.iter().filter(|entry| entry.action == GcAction::Remove);
        let freed: u64 = removed.filter_map(|entry| entry.bytes).sum();
        self.exceeded_bytes = self.exceeded_bytes.saturating_sub(freed);
        self
    }

    /// Which limit is exceeded, in words.
    fn words(&self) -> String {
        match (self.used_bytes.zip(self.max_bytes), self.min_free_bytes.zip(self.free_bytes)) {
            (Some((used, max)), _) if used > max => {
                format!("{} are used, and gc.max_gb allows {}", size_text(used), size_text(max))
            }
            (_, Some((min, free))) => {
                format!("{} are free, and gc.min_free_gb demands {}", size_text(free), size_text(min))
            }
            (_, None) => "the disk is full".to_owned(),
        }
    }
}

/// Decides about worktrees that nothing but age and work keeps: those that are due go, then the oldest others until the
/// limits are kept.
pub(super) fn decide(mut candidates: Vec<Candidate>, limits: &DiskLimits) -> Vec<GcEntry> {
    candidates.sort_by_key(|candidate| (!candidate.due.is_due(), candidate.due.since));
    let mut excess = limits.exceeded_bytes;
    let mut entries = vec![];
    for Candidate { group, due, work, bytes } in candidates {
        let words = |work: &Work| match work {
            Work::BeingRemoved { why } => why.clone(),
            Work::Nothing | Work::Landed { .. } | Work::Left(_) => format!("{}; {}", work.words(), due.words()),
        };
        let why = match work {
            Some(Work::Left(why)) if due.is_due() => Err(why),
            Some(work @ Work::BeingRemoved { .. }) => Ok(words(&work)),
            Some(work @ (Work::Nothing | Work::Landed { .. })) if due.is_due() => Ok(words(&work)),
            Some(work @ (Work::Nothing | Work::Landed { .. })) if excess > 0 => {
                Ok(format!("{}; removed early, because {}", words(&work), limits.words()))
            }
            Some(_) | None => Err(due.too_young()),
        };
        let action = if why.is_ok() { GcAction::Remove } else { GcAction::Keep };
        let (Ok(why) | Err(why)) = why;
        let mut decided = group.entries(action, &why);
        if action == GcAction::Remove {
            excess = excess.saturating_sub(bytes.unwrap_or(0));
            decided.iter_mut().for_each(|entry| entry.since = Some(due.since));
            if let Some(last) = decided.last_mut() {
                last.bytes = bytes;
            }
        }
        entries.extend(decided);
    }
    entries
}
