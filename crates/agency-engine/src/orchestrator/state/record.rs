//! `session.json`: what a session is. It is written once, and never changes.
//!
//! For other versions: a reader refuses a `schema_version` that it does not know; fields are only added.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agency_model::SessionId;
use agency_model::template::{Spell, Spellbook};
use agency_model::workflow::{Plan, Task};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::SessionError;

/// The version of `session.json` that this program writes.
pub const SESSION_VERSION: u32 = 1;

/// What a session is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SessionRecord {
    /// The version of this format.
    pub schema_version: u32,
    /// Which session.
    pub id: SessionId,
    /// When it was made.
    pub created_at: Timestamp,
    /// The root of the repository.
    pub repo: String,
    /// The ref that the work begins with.
    pub base_ref: String,
    /// The branch that was checked out then, which work is merged into unless the workflow names another.
    pub checked_out: Option<String>,
    /// The goal.
    pub goal: Option<String>,
    /// What is to be done.
    pub task: Task,
    /// How it is done, as the file was when the session began.
    pub plan: Arc<Plan>,
    /// The spells, as their files were then.
    pub spells: BTreeMap<String, KeptSpell>,
    /// The system prompt.
    pub system_prompt: KeptSpell,
}

/// A spell as its file was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSpell {
    /// The file.
    pub file: String,
    /// Its template.
    pub text: String,
}

/// The description of a new session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Which session.
    pub id: SessionId,
    /// The root of the repository.
    pub repo: String,
    /// The ref that the work begins with.
    pub base_ref: String,
    /// The branch that is checked out.
    pub checked_out: Option<String>,
    /// The goal.
    pub goal: Option<String>,
    /// What is to be done.
    pub task: Task,
    /// How it is done.
    pub plan: Arc<Plan>,
    /// The spells that it may use.
    pub spells: Arc<Spellbook>,
    /// The system prompt.
    pub system_prompt: Spell,
}

impl KeptSpell {
    fn of(spell: &Spell) -> Self {
        Self { file: spell.file.clone(), text: spell.text.clone() }
    }

    fn spell(&self) -> Spell {
        Spell { file: self.file.clone(), text: self.text.clone() }
    }
}

impl SessionRecord {
    /// What a new session is from now on.
    pub(super) fn of(new: NewSession, created_at: Timestamp) -> Self {
        let NewSession { id, repo, base_ref, checked_out, goal, task, plan, spells, system_prompt } = new;
        let kept = |name: &str| Some((name.to_owned(), KeptSpell::of(spells.get(name)?)));
        Self {
            schema_version: SESSION_VERSION,
            id,
            created_at,
            repo,
            base_ref,
            checked_out,
            goal: goal.or_else(|| plan.goal.clone()),
            task,
            spells: spells.names().filter_map(kept).collect(),
            system_prompt: KeptSpell::of(&system_prompt),
            plan,
        }
    }

    /// The spells of the session.
    #[must_use]
    pub fn spellbook(&self) -> Arc<Spellbook> {
        let mut spells = Spellbook::default();
        for (name, spell) in &self.spells {
            spells.add(name, spell.spell());
        }
        Arc::new(spells)
    }

    /// The system prompt.
    #[must_use]
    pub fn system_prompt(&self) -> Spell {
        self.system_prompt.spell()
    }

    /// Reads the record of a session.
    pub(super) fn read(path: &Path, id: &SessionId) -> Result<Self, SessionError> {
        let bad = |why: String| SessionError::BadRecord { path: path.to_owned(), why };
        let text = match crate::home::read_whole(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SessionError::NotFound(id.to_string()));
            }
            Err(source) => return Err(crate::home::HomeError::new("read", path, source).into()),
        };
        #[derive(Deserialize)]
        struct SessionHead {
            schema_version: u32,
        }
        let head: SessionHead = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        if head.schema_version != SESSION_VERSION {
            let found = head.schema_version;
            return Err(bad(format!("it has version {found}, and this agency knows version {SESSION_VERSION}")));
        }
        serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))
    }
}
