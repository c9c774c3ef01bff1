//! Which run a text stands for: the one place that every command uses.
//!
//! The one rule: an exact id or name wins over everything else. A part stands for a run only if no other run that the
//! command could mean has it, too.

use agency_model::run::State;
use agency_model::{RunId, RunKind};
use rusqlite::params;

use super::columns::COLUMNS;
use super::{RunRow, Store, StoreError};

/// How many candidates an ambiguity lists.
const CANDIDATES: usize = 10;
/// The shortest end of an id that is looked for: a shorter one is more likely a word.
const MIN_SUFFIX_CHARS: usize = 4;
/// The runs that `last` and `-1` count: those that `agency ls` lists.
const COUNTED: &str = "kind <> 'ask'";

/// What a command is about to do with the run that it selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To show it. A part that several runs have stands for the live one, if there is just one.
    Read,
    /// To change a run that is queued or running: to stop it, or to send it a message.
    ChangeLive,
    /// To change a run that has finished and was not removed: to remove or resume it.
    ChangeFinished,
    /// To bring the work of a run that has a worktree into a branch.
    Land,
    /// To bring back the saved work of a run that was removed.
    Restore,
}

impl Purpose {
    /// Whether a command can do this with the run.
    #[must_use]
    pub const fn fits(self, row: &RunRow) -> bool {
        match self {
            Self::Read => true,
            Self::ChangeLive => matches!(row.state, State::Queued | State::Running),
            Self::ChangeFinished => row.state.is_terminal() && row.removed_at.is_none(),
            Self::Land => row.worktree_path.is_some() && row.removed_at.is_none(),
            Self::Restore => row.saved_ref.is_some(),
        }
    }
}

/// What a short name stands for.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Selected {
    /// Exactly this run.
    One(Box<RunRow>),
    /// No run.
    None,
    /// Several runs; the newest ones.
    Several(Vec<RunRow>),
}

impl Store {
    /// Finds a run by its id, its name, `last` or `-1` (the newest) and `-2` (the one before), a part of its name, or the
    /// beginning or the end of its id.
    pub fn select(&self, text: &str, purpose: Purpose) -> Result<Selected, StoreError> {
        if let Ok(id) = text.parse::<RunId>() {
            return match self.run(&id) {
                Ok(row) => Ok(Selected::One(Box::new(row))),
                Err(StoreError::NotFound(_)) => Ok(Selected::None),
                Err(error) => Err(error),
            };
        }
        let exact = self.with_exact_name(text, purpose)?;
        if !exact.is_empty() {
            return Ok(one_of(exact));
        }
        if let Some(number) = counted(text) {
            return self.newest(number, purpose);
        }
        Ok(chosen(self.with_part(text)?, purpose))
    }

    /// The runs that have this name: of those that stand for each other, the newest. Removed ones are only among them if
    /// there are no others, or if they are to be restored.
    fn with_exact_name(&self, text: &str, purpose: Purpose) -> Result<Vec<RunRow>, StoreError> {
        if purpose == Purpose::Restore {
            let saved = self.matching("name = ?1 AND saved_ref IS NOT NULL", text)?;
            if !saved.is_empty() {
                return Ok(saved);
            }
        }
        // A name that was used again means the live run, if there is just one.
        let living = self.matching("name = ?1 AND state IN ('queued', 'running')", text)?;
        if living.len() == 1 {
            return Ok(living);
        }
        let present = newest_of_each(self.matching("name = ?1 AND removed_at IS NULL", text)?);
        if present.is_empty() { self.matching("name = ?1", text) } else { Ok(present) }
    }

    /// The `number`th newest run; to restore one, those that were removed count, too.
    fn newest(&self, number: u32, purpose: Purpose) -> Result<Selected, StoreError> {
        let removed = if purpose == Purpose::Restore { "1" } else { "removed_at IS NULL" };
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {COUNTED} AND {removed} ORDER BY id DESC LIMIT 1 OFFSET {}",
            number - 1
        );
        Ok(one_of(self.rows(&sql, [])?))
    }

    /// The runs whose name contains the text, or whose id begins or ends with it, newest first. Removed ones are only
    /// among them if there are no others.
    fn with_part(&self, text: &str) -> Result<Vec<RunRow>, StoreError> {
        let part = text.to_ascii_lowercase();
        if part.trim().is_empty() {
            return Ok(vec![]);
        }
        let mut ids =
            self.ids_of("SELECT id FROM runs WHERE name IS NOT NULL AND instr(lower(name), ?1) > 0", &part)?;
        let rest = text.strip_prefix("r_").unwrap_or(text).to_ascii_uppercase();
        if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            // Every character of an id is below 'a', so this is the range of all ids with the prefix.
            let sql = "SELECT id FROM runs WHERE id >= 'r_' || ?1 AND id < 'r_' || ?1 || 'a'";
            ids.extend(self.ids_of(sql, &rest)?);
            if rest.len() >= MIN_SUFFIX_CHARS && !text.starts_with("r_") {
                ids.extend(self.ids_of("SELECT id FROM runs WHERE substr(id, -length(?1)) = ?1", &rest)?);
            }
        }
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        let rows = ids.iter().map(|id| self.run(id)).collect::<Result<Vec<_>, _>>()?;
        let (present, removed): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.removed_at.is_none());
        Ok(if present.is_empty() { removed } else { present })
    }

    fn ids_of(&self, sql: &str, value: &str) -> Result<Vec<RunId>, StoreError> {
        let mut statement = self.connection()?.prepare(sql)?;
        let ids = statement.query_map([value], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    fn matching(&self, condition: &str, value: &str) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE {condition} ORDER BY id DESC LIMIT {CANDIDATES}");
        self.rows(&sql, params![value])
    }
}

/// The number of `last`, `-1`, `-2` and so on.
fn counted(text: &str) -> Option<u32> {
    if text == "last" {
        return Some(1);
    }
    text.strip_prefix('-').and_then(|number| number.parse().ok()).filter(|number| *number > 0)
}

/// The run that a part stands for: the only one that the command can act on, or for a command that reads, the only live
/// one.
fn chosen(rows: Vec<RunRow>, purpose: Purpose) -> Selected {
    let rows = newest_of_each(rows);
    let fitting: Vec<RunRow> = rows.iter().filter(|row| purpose.fits(row)).cloned().collect();
    let live: Vec<RunRow> = fitting.iter().filter(|row| !row.state.is_terminal()).cloned().collect();
    match (purpose, fitting.len(), live.len()) {
        (Purpose::Read, 2.., 1) => one_of(live),
        // The command says why it cannot be done.
        (_, 0, _) => one_of(rows),
        (_, _, _) => one_of(fitting),
    }
}

/// The name of an agent, or of a resumed conversation, stands for its newest run. The rows come newest first.
fn newest_of_each(rows: Vec<RunRow>) -> Vec<RunRow> {
    let mut kept: Vec<RunRow> = vec![];
    let mut continued: Vec<RunId> = vec![];
    for row in rows {
        let is_older_agent = |newer: &RunRow| newer.kind == RunKind::Agent && newer.name == row.name;
        let is_older = continued.contains(&row.id) || (row.kind == RunKind::Agent && kept.iter().any(is_older_agent));
        continued.extend(row.parent_id.clone());
        if !is_older {
            kept.push(row);
        }
    }
    kept
}

fn one_of(mut rows: Vec<RunRow>) -> Selected {
    rows.truncate(CANDIDATES);
    match rows.len() {
        0 => Selected::None,
        1 => rows.pop().map_or(Selected::None, |row| Selected::One(Box::new(row))),
        _ => Selected::Several(rows),
    }
}

#[cfg(test)]
mod tests;
