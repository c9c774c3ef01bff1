//! The rows as they stand in the database. Commands reconcile before they answer; this only reads.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// What the invariants need of a row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) phase: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) worktree: Option<String>,
    pub(super) session: Option<String>,
    pub(super) exit_code: Option<i64>,
    pub(super) reason: Option<String>,
    pub(super) error: Option<String>,
    pub(super) ended_at: Option<String>,
    pub(super) removed_at: Option<String>,
}

impl Row {
    pub(super) fn is_over(&self) -> bool {
        ["completed", "failed", "killed"].contains(&self.state.as_str())
    }
}

/// All rows of the home.
pub(super) fn rows(home: &Path) -> Vec<Row> {
    let connection = Connection::open_with_flags(home.join("agency.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let columns = "id, state, phase, new_branch, worktree_path, tmux_session_name, exit_code, reason, error, \
                   ended_at, removed_at";
    let mut statement = connection.prepare(&format!("SELECT {columns} FROM runs ORDER BY id")).unwrap();
    let rows = statement.query_map([], |row| {
        Ok(Row {
            id: row.get(0)?,
            state: row.get(1)?,
            phase: row.get(2)?,
            branch: row.get(3)?,
            worktree: row.get(4)?,
            session: row.get(5)?,
            exit_code: row.get(6)?,
            reason: row.get(7)?,
            error: row.get(8)?,
            ended_at: row.get(9)?,
            removed_at: row.get(10)?,
        })
    });
    rows.unwrap().map(Result::unwrap).collect()
}
