//! The spells of a project.

use std::collections::BTreeMap;

/// Every spell by its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spellbook {
    spells: BTreeMap<String, Spell>,
}

/// One spell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spell {
    /// Its file, as it is named in messages.
    pub file: String,
    /// Its template.
    pub text: String,
}

impl Spellbook {
    /// Adds a spell, unless there is one of that name already.
    pub fn add(&mut self, name: &str, spell: Spell) {
        self.spells.entry(name.to_owned()).or_insert(spell);
    }

    /// Finds a spell.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Spell> {
        self.spells.get(name)
    }

    /// The names of all spells.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.spells.keys().map(String::as_str)
    }
}
