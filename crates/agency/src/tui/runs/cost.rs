//! What runs cost together.

use agency_engine::store::RunRow;
use jiff::Timestamp;

use super::RunList;

impl RunList {
    /// What the runs of the last 24 hours cost, as far as their agents reported it.
    pub(in crate::tui) fn cost_of_a_day(&self, now: Timestamp) -> f64 {
        let is_recent = |row: &&RunRow| now.duration_since(row.created_at).as_hours() < 24;
        let recent = self.entries.values().map(|entry| &entry.row).filter(is_recent);
        recent.filter_map(|row| row.usage.cost_usd).sum()
    }
}
