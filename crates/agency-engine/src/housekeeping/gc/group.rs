//! The runs of one worktree, which are kept or removed together.

use std::collections::BTreeMap;
use std::time::Duration;

use agency_model::duration_text;
use agency_workspace::Commit;
use jiff::{SignedDuration, Timestamp};

use super::{GcAction, GcCategory, GcEntry};
use crate::config::GcConfig;
use crate::store::RunRow;

/// The runs that hold a worktree, oldest first. There is at least one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    first: RunRow,
    others: Vec<RunRow>,
    /// Those that held it and were removed.
    before: Vec<RunRow>,
}

/// When a worktree may be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Due {
    /// From when its age is counted.
    pub(super) since: Timestamp,
    /// What happened then: `ended`, or that the work landed.
    event: String,
    /// How old it has to be.
    limit: Duration,
    now: Timestamp,
}

impl Group {
    /// The groups of all rows.
    pub(super) fn all(rows: &[RunRow]) -> Vec<Self> {
        let mut by_path: BTreeMap<&str, Vec<&RunRow>> = BTreeMap::new();
        for row in rows {
            if let Some(path) = &row.worktree_path {
                by_path.entry(path).or_default().push(row);
            }
        }
        by_path.into_values().filter_map(Self::of_rows).collect()
    }

    /// The group of a worktree.
    pub(super) fn at(path: Option<&str>, rows: &[RunRow]) -> Option<Self> {
        let path = path?;
        Self::of_rows(rows.iter().filter(|row| row.worktree_path.as_deref() == Some(path)).collect())
    }

    /// `None` if no run holds the worktree any more.
    fn of_rows(mut rows: Vec<&RunRow>) -> Option<Self> {
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        let (present, before): (Vec<&RunRow>, Vec<&RunRow>) =
            rows.into_iter().partition(|row| row.removed_at.is_none());
        let mut present = present.into_iter().cloned();
        Some(Self { first: present.next()?, others: present.collect(), before: before.into_iter().cloned().collect() })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &RunRow> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The newest.
    pub(super) fn last(&self) -> &RunRow {
        self.others.last().unwrap_or(&self.first)
    }

    pub(super) fn repo(&self) -> &str {
        &self.first.repo_path
    }

    pub(super) fn path(&self) -> &str {
        self.first.directory()
    }

    /// The run whose landing is recorded last, which may be removed.
    pub(super) fn landed(&self) -> Option<&RunRow> {
        self.rows().chain(&self.before).filter(|row| row.landed_at.is_some()).max_by_key(|row| row.landed_at)
    }

    /// Whether all of its runs began at a commit.
    pub(super) fn began_at(&self, commit: &Commit) -> bool {
        self.rows().chain(&self.before).all(|row| row.base_commit == commit.as_str())
    }

    /// When it may be removed; `None` while one of them has not ended.
    pub(super) fn due(&self, config: GcConfig) -> Option<Due> {
        let ends: Option<Vec<Timestamp>> =
            self.rows().map(|row| row.state.is_terminal().then(|| row.ended_at.unwrap_or(row.updated_at))).collect();
        let ended = ends?.into_iter().max()?;
        let now = Timestamp::now();
        let landed = self.landed().and_then(|row| Some((row.landed_at?, row.landed_into.clone()?)));
        Some(match landed {
            // A conversation that ended a moment ago is one that its user may still want to continue.
            Some((at, into)) if at >= ended => {
                Due { since: at, event: format!("landed on {into}"), limit: config.landed_after, now }
            }
            Some(_) => Due { since: ended, event: "ended".to_owned(), limit: config.landed_after, now },
            None => Due { since: ended, event: "ended".to_owned(), limit: config.age, now },
        })
    }

    /// An entry for each run. The one that is removed last has the size of the worktree.
    pub(super) fn entries(&self, action: GcAction, why: &str) -> Vec<GcEntry> {
        let entry = |row: &RunRow| GcEntry {
            run: Some(row.id.clone()),
            name: row.name.clone(),
            repo: Some(row.repo_path.clone()),
            path: row.worktree_path.clone(),
            ..GcEntry::new(GcCategory::Worktree, action, why)
        };
        self.rows().map(entry).collect()
    }
}

impl Due {
    pub(super) fn is_due(&self) -> bool {
        self.now.duration_since(self.since) >= limit(self.limit)
    }

    /// How old it is.
    pub(super) fn words(&self) -> String {
        format!("{} {} ago", self.event, age(self.now, self.since))
    }

    /// Why it is too young.
    pub(super) fn too_young(&self) -> String {
        format!("{}, and stays for {}", self.words(), duration_text(self.limit))
    }
}

/// A duration that was read from the configuration; those are far below the limit.
pub(super) fn limit(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

/// How long ago something was, in one unit.
pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = u64::try_from(now.duration_since(then).as_secs()).unwrap_or(0);
    let unit = [86_400, 3600, 60].into_iter().find(|unit| seconds >= *unit).unwrap_or(1);
    duration_text(Duration::from_secs(seconds / unit * unit))
}
