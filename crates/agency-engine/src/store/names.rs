//! Names of runs: which are used, and those of runs that have none yet.
//!
//! The one rule: a generated name is compared with all others in the transaction that stores it.

use std::collections::HashSet;

use agency_model::{RunId, numbered_name};
use rusqlite::{Connection, OptionalExtension, params};

use super::columns::COLUMNS;
use super::{RunRow, Store, StoreError};

/// How often a name is numbered before a run stays without one.
const MAX_NUMBER: u32 = 100_000;

/// What must be used by no other run when a run is inserted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MustBeFree {
    /// Its name: it was generated.
    pub name: bool,
    /// Its branch in its repository: a template made it.
    pub branch: bool,
}

impl Store {
    /// The first form of a name, itself or with a number, that no run has.
    pub fn free_name(&self, name: &str) -> Result<String, StoreError> {
        first_free(self.connection()?, name)
    }

    /// Whether a run of the repository has this branch.
    pub fn has_branch(&self, repo_path: &str, branch: &str) -> Result<bool, StoreError> {
        branch_is_used(self.connection()?, repo_path, branch)
    }

    /// The runs without a name, oldest first: those of earlier versions. Usually there are none, which is cheap to learn.
    pub(crate) fn unnamed(&self) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM runs INDEXED BY runs_unnamed WHERE name IS NULL ORDER BY id");
        self.rows(&sql, [])
    }

    /// Gives runs that have no name the first free form of the proposed ones.
    pub(crate) fn set_generated_names(&mut self, proposed: &[(RunId, String)]) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        for (id, name) in proposed {
            let name = first_free(&transaction, name)?;
            transaction
                .execute("UPDATE runs SET name = ?2 WHERE id = ?1 AND name IS NULL", params![id.as_str(), name])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Whether a run that is about to be inserted has what another one has.
pub(super) fn is_taken(
    connection: &Connection,
    row: &RunRow,
    MustBeFree { name, branch }: MustBeFree,
) -> Result<bool, StoreError> {
    if let (true, Some(name)) = (name, &row.name)
        && name_is_used(connection, name)?
    {
        return Ok(true);
    }
    match (branch, &row.new_branch) {
        (true, Some(branch)) => branch_is_used(connection, &row.repo_path, branch),
        (_, _) => Ok(false),
    }
}

/// Looks at all forms at once where the name itself is used: one statement for each would take longer with every run.
fn first_free(connection: &Connection, name: &str) -> Result<String, StoreError> {
    if !name_is_used(connection, name)? {
        return Ok(name.to_owned());
    }
    // The characters that all numbered forms begin with, and no other: `-` and the digits lie between these bounds.
    let mut statement =
        connection.prepare_cached("SELECT name FROM runs WHERE name > ?1 || '-' AND name < ?1 || '.'")?;
    let used = statement.query_map([name], |row| row.get(0))?.collect::<Result<HashSet<String>, _>>()?;
    let mut forms = (2..MAX_NUMBER).map(|number| numbered_name(name, number));
    Ok(forms.find(|form| !used.contains(form)).unwrap_or_else(|| name.to_owned()))
}

fn name_is_used(connection: &Connection, name: &str) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM runs WHERE name = ?1 LIMIT 1")?;
    Ok(statement.query_row([name], |_| Ok(())).optional()?.is_some())
}

fn branch_is_used(connection: &Connection, repo_path: &str, branch: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM runs WHERE repo_path = ?1 AND new_branch = ?2 LIMIT 1";
    Ok(connection.query_row(sql, [repo_path, branch], |_| Ok(())).optional()?.is_some())
}
