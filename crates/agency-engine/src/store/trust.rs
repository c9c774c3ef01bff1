//! The contents of project files that the user approved.

use agency_model::RunId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use schemars::JsonSchema;
use serde::Serialize;
use tracing::info;

use super::agency_questions::expire_about_content;
use super::columns::{parsed, read_text};
use super::write::now;
use super::{Store, StoreError};

/// One content of a project file that was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TrustedProject {
    /// The top of the repository.
    pub repo: String,
    /// What identifies the content.
    pub sha256: String,
    /// The commands in it.
    pub commands: Vec<String>,
    /// When it was approved.
    pub trusted_at: Timestamp,
}

impl Store {
    /// Whether this content was approved for this repository.
    pub(crate) fn is_trusted(&self, repo: &str, sha256: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM trusted_projects WHERE repo_path = ?1 AND sha256 = ?2";
        Ok(self.connection()?.query_row(sql, [repo, sha256], |_| Ok(())).optional()?.is_some())
    }

    /// The tree of a run that a user approved.
    pub(crate) fn approved_tree(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT tree FROM approvals WHERE run_id = ?1";
        Ok(self.connection()?.query_row(sql, [run.as_str()], |row| row.get(0)).optional()?)
    }

    /// Approves a content.
    pub(crate) fn trust(&mut self, repo: &str, sha256: &str, commands: &[String]) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        insert(&transaction, repo, sha256, commands)?;
        expire_about_content(&transaction, repo, sha256)?;
        transaction.commit()?;
        Ok(())
    }

    /// All approved contents, by repository and time.
    pub(crate) fn trusted_projects(&self) -> Result<Vec<TrustedProject>, StoreError> {
        let sql = "SELECT repo_path, sha256, commands, trusted_at FROM trusted_projects ORDER BY repo_path, trusted_at";
        let mut statement = self.connection()?.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut found = vec![];
        while let Some(row) = rows.next()? {
            found.push(TrustedProject {
                repo: row.get(0)?,
                sha256: row.get(1)?,
                commands: read_text(row, 2, "commands", |text| serde_json::from_str(text).ok())?,
                trusted_at: parsed(row, 3, "trusted_at")?,
            });
        }
        Ok(found)
    }

    /// Withdraws all approvals of a repository, and returns how many there were.
    pub(crate) fn revoke_trust(&mut self, repo: &str) -> Result<usize, StoreError> {
        let transaction = self.begin()?;
        let revoked = transaction.execute("DELETE FROM trusted_projects WHERE repo_path = ?1", [repo])?;
        transaction.commit()?;
        info!(repo, revoked, "approvals of a project withdrawn");
        Ok(revoked)
    }
}

/// Approves a content within a transaction.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    repo: &str,
    sha256: &str,
    commands: &[String],
) -> Result<(), StoreError> {
    // Plain data always has a JSON form.
    let commands = serde_json::to_string(commands).unwrap_or_default();
    transaction.execute(
        "INSERT INTO trusted_projects (repo_path, sha256, commands, trusted_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT DO NOTHING",
        params![repo, sha256, commands, now().to_string()],
    )?;
    info!(repo, sha256, "project file approved");
    Ok(())
}
