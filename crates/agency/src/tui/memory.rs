//! What the TUI stores for a home: how the list looks, and which failures were seen.
//!
//! The one rule: the screen works without it. A file that cannot be read counts as missing, and one that cannot be written
//! stops nothing.

use std::collections::BTreeSet;

use agency_engine::home::{Home, read_whole};
use agency_model::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::detail::Tab;
use super::runs::{GroupKey, Grouping, Sorting};

/// What is remembered. Unknown fields of newer versions are passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// Since when failures are reported: the first time that the screen was opened.
    pub(super) since: Option<Timestamp>,
    /// The failed runs that were seen.
    pub(super) seen: BTreeSet<RunId>,
    pub(super) sorting: Sorting,
    pub(super) grouping: Grouping,
    pub(super) all_unfolded: bool,
    /// The groups that are unfolded, or, if all are, those that are not.
    pub(super) unfolded: BTreeSet<GroupKey>,
    pub(super) selected: Option<RunId>,
    pub(super) tab: Tab,
}

impl Memory {
    /// What is remembered in this home.
    pub(super) fn load(home: &Home) -> Self {
        let text = read_whole(&home.tui_memory()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Remembers it, with the failures that another screen has recorded meanwhile.
    pub(super) fn save(mut self, home: &Home) {
        self.seen.extend(Self::load(home).seen);
        if let Ok(text) = serde_json::to_vec(&self)
            && let Err(error) = home.write_tui_memory(&text)
        {
            tracing::debug!(%error, "the state of the TUI was not saved");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture::run_id;

    #[test]
    fn what_two_screens_saw_is_seen_and_a_damaged_file_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::new(directory.path().to_owned());
        assert_eq!(Memory::load(&home), Memory::default());
        let group = GroupKey::Repository { name: "shop".to_owned(), path: "/home/user/shop".to_owned() };
        let unfolded = BTreeSet::from([group.clone(), GroupKey::Rest]);
        let seen = |number| {
            let seen = BTreeSet::from([run_id(number)]);
            Memory { seen, tab: Tab::Diff, unfolded: unfolded.clone(), ..Memory::default() }
        };
        seen(1).save(&home);
        seen(2).save(&home);
        let loaded = Memory::load(&home);
        assert_eq!((loaded.seen.len(), loaded.tab), (2, Tab::Diff));
        assert!(loaded.unfolded.contains(&group), "{loaded:?}");
        std::fs::write(home.tui_memory(), "{\"seen\": 3").unwrap();
        assert_eq!(Memory::load(&home), Memory::default());
        std::fs::write(home.tui_memory(), r#"{"newer": true, "sorting": "cost"}"#).unwrap();
        assert_eq!(Memory::load(&home).sorting, Sorting::Cost);
    }
}
