//! The agents of a configuration, by name.
//!
//! The one rule: a built-in agent is read when it is first needed. Most commands need none, and to read them all takes
//! as long as to list runs.

use super::{AgentConfig, built_in};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// The agents by name, built-in and custom ones.
#[derive(Clone, Default)]
pub struct AgentTable {
    /// Those that the file names.
    written: BTreeMap<String, AgentConfig>,
    /// These and all others.
    all: OnceLock<BTreeMap<String, AgentConfig>>,
    /// Those that cannot be used in this process, with the adapter of each, which is not known here.
    unknown: BTreeMap<String, String>,
}

impl AgentTable {
    /// Those that a file names; the built-in ones are added.
    pub(super) fn of_file(written: BTreeMap<String, AgentConfig>) -> Self {
        Self { written, all: OnceLock::new(), unknown: BTreeMap::new() }
    }

    /// An agent by its name in normal spelling. One that the file names needs none of the others.
    pub(super) fn find(&self, name: &str) -> Option<(&str, &AgentConfig)> {
        let agents = if self.all.get().is_none() && self.written.contains_key(name) { &self.written } else { &**self };
        agents.get_key_value(name).map(|(name, agent)| (name.as_str(), agent))
    }

    /// The same table, with agents that cannot be used in this process, and the adapter of each.
    pub(super) fn with_unknown(self, unknown: BTreeMap<String, String>) -> Self {
        Self { unknown, ..self }
    }

    /// The adapter that is not known in this process: that of the agent with this name in normal spelling, else the first,
    /// as the name may be an alias, which only the adapter knows.
    pub(super) fn unknown_adapter(&self, name: &str) -> Option<&str> {
        self.unknown.get(name).or_else(|| self.unknown.values().next()).map(String::as_str)
    }
}

impl Deref for AgentTable {
    type Target = BTreeMap<String, AgentConfig>;

    fn deref(&self) -> &Self::Target {
        self.all.get_or_init(|| {
            let mut all = built_in::agents();
            all.extend(self.written.clone());
            all
        })
    }
}

impl DerefMut for AgentTable {
    fn deref_mut(&mut self) -> &mut Self::Target {
        let unknown = std::mem::take(&mut self.unknown);
        let all = std::mem::take(&mut *self).into_all();
        (self.all, self.unknown) = (OnceLock::from(all), unknown);
        // It was just set.
        self.all.get_mut().unwrap_or(&mut self.written)
    }
}

impl AgentTable {
    fn into_all(self) -> BTreeMap<String, AgentConfig> {
        let _ = &*self;
        self.all.into_inner().unwrap_or(self.written)
    }
}

impl From<BTreeMap<String, AgentConfig>> for AgentTable {
    /// Exactly these agents.
    fn from(agents: BTreeMap<String, AgentConfig>) -> Self {
        Self { written: BTreeMap::new(), all: OnceLock::from(agents), unknown: BTreeMap::new() }
    }
}

impl IntoIterator for AgentTable {
    type Item = (String, AgentConfig);
    type IntoIter = std::collections::btree_map::IntoIter<String, AgentConfig>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_all().into_iter()
    }
}

impl PartialEq for AgentTable {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for AgentTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentConfig, AgentTable, BTreeMap, built_in};

    #[test]
    fn one_of_the_file_is_found_without_the_others_and_replaces_a_built_in_one() {
        let own = |command: &str| AgentConfig::new(command.to_owned());
        let written = BTreeMap::from([("mine".to_owned(), own("m")), ("codex".to_owned(), own("c"))]);
        let mut table = AgentTable::of_file(written);
        assert_eq!(table.find("mine").unwrap().1.command, "m");
        assert!(table.all.get().is_none());
        assert_eq!(table.find("codex").unwrap().1.command, "c");
        assert!(table.find("nothing").is_none());
        assert_eq!(table.len(), built_in::agents().len() + 1);
        table.insert("late".to_owned(), own("l"));
        assert_eq!((table.find("late").unwrap().1.command.as_str(), table["codex"].command.as_str()), ("l", "c"));
        assert_eq!(table.clone().into_iter().count(), table.len());
    }
}
