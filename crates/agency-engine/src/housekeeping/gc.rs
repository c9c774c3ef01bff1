//! `agency gc`: removes what finished runs hold and nothing needs any more.
//!
//! The one rule: everything is planned first with a reason, and each removal checks again, under the locks of the run,
//! that its reason still holds.

mod automatic;
mod checkpoints;
mod execute;
mod facts;
mod group;
mod limits;
mod report;
mod trials;
mod work;

use std::path::{Path, PathBuf};

use agency_model::RunKind;
use agency_system::disk::DiskMeter;

pub use self::automatic::GcNews;
use self::facts::Facts;
use self::group::{Due, Group};
pub use self::limits::DiskLimits;
pub use self::report::{GcAction, GcCategory, GcEntry, GcReport, KeptDirectory};
use self::work::{Work, work_of};
use super::places::{Owners, children};
use super::{HousekeepingError, Listener};
use crate::agency::Agency;
use crate::orchestrator::SessionsInUse;
use crate::store::{RunFilter, RunRow};

/// A worktree that nothing but its age or its work keeps.
struct Candidate {
    group: Group,
    due: Due,
    work: Option<Work>,
    bytes: Option<u64>,
}

impl Agency {
    /// What [`Self::gc`] would remove, and why it keeps everything else: of one repository, or of all.
    pub fn gc_plan(&mut self, repo: Option<&str>, listener: &Listener<'_>) -> Result<GcReport, HousekeepingError> {
        self.adopt_missing()?;
        let rows = self.list(&RunFilter { removed: true, ..RunFilter::default() })?;
        let (mut entries, mut candidates) = self.worktrees_to_decide(&rows, repo)?;
        let owners = Owners::of(rows);
        let meter = DiskMeter::default();
        self.look_at(&mut candidates, &meter, listener)?;
        let limits = self.disk_limits(&owners, listener)?;
        entries.extend(limits::decide(candidates, &limits));
        entries.extend(trials::entries(&self.home, &owners, repo, self.config.gc, listener)?);
        entries.extend(checkpoints::entries(&self.home, &owners, repo, self.config.gc));
        let limits = limits.after(&entries);
        let kept = self.kept_directories(&meter, listener)?;
        Ok(GcReport { entries, limits, kept_directories: kept, freed_bytes: 0, interrupted: false })
    }

    /// Divides the worktrees into those that something keeps and those that are looked at.
    fn worktrees_to_decide(
        &self,
        rows: &[RunRow],
        repo: Option<&str>,
    ) -> Result<(Vec<GcEntry>, Vec<Candidate>), HousekeepingError> {
        let facts = Facts::gather(self, rows)?;
        let mut sessions = SessionsInUse::new(self.home.clone());
        let (mut kept, mut candidates) = (vec![], vec![]);
        for group in Group::all(rows) {
            if repo.is_some_and(|repo| group.repo() != repo) || group.last().kind == RunKind::Ask {
                continue;
            }
            match (facts.what_keeps(&self.home, &group, &mut sessions), group.due(self.config.gc)) {
                (Some(why), _) => kept.extend(group.entries(GcAction::Keep, &why)),
                (None, Some(due)) => candidates.push(Candidate { group, due, work: None, bytes: None }),
                (None, None) => kept.extend(group.entries(GcAction::Keep, "it has not ended")),
            }
        }
        Ok((kept, candidates))
    }

    /// Looks at the work of those that are due, or of all where a limit of the disk may need more.
    fn look_at(
        &self,
        candidates: &mut [Candidate],
        meter: &DiskMeter,
        listener: &Listener<'_>,
    ) -> Result<(), HousekeepingError> {
        let has_limit = self.config.gc.max_gb > 0 || self.config.gc.min_free_gb > 0;
        let home = &self.home;
        let looked = listener.each(candidates, |candidate| {
            if !candidate.due.is_due() && !has_limit {
                return (None, None);
            }
            let work = work_of(home, &candidate.group);
            let is_free = !matches!(work, Work::Left(_));
            let path = Path::new(candidate.group.path());
            let bytes = is_free.then(|| meter.measure(path, listener.stop()).bytes);
            (Some(work), bytes)
        });
        let looked = looked.ok_or(HousekeepingError::Interrupted)?;
        for (candidate, (work, bytes)) in candidates.iter_mut().zip(looked) {
            (candidate.work, candidate.bytes) = (work, bytes);
        }
        Ok(())
    }

    /// What only its user deletes.
    fn kept_directories(
        &self,
        meter: &DiskMeter,
        listener: &Listener<'_>,
    ) -> Result<Vec<KeptDirectory>, HousekeepingError> {
        let paths: Vec<PathBuf> = children(&self.home.kept());
        let sizes = listener.each(&paths, |path| meter.measure(path, listener.stop()).bytes);
        let sizes = sizes.ok_or(HousekeepingError::Interrupted)?;
        let kept = |(path, bytes): (&PathBuf, u64)| KeptDirectory { path: path.display().to_string(), bytes };
        Ok(paths.iter().zip(sizes).map(kept).collect())
    }
}
