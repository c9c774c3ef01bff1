//! How the fields of a run are columns of the table `runs`.
//!
//! The one rule: a column is named once, in the list below; reading, inserting and updating follow from it.

use std::str::FromStr;

use agency_model::run::{Reason, RestartPolicy, State};
use agency_model::{Activity, Host, Mode, RunId, RunKind, SessionId, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlResult, Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use super::{RunRow, StoreError, timestamp};

/// A value with its column.
pub(super) type Named = (&'static str, Value);

macro_rules! run_columns {
    ($first:ident = $first_column:literal, $($field:ident = $column:literal),+; usage: $($used:ident),+) => {
        /// All columns, in the order in which [`RunRow::read`] takes them.
        pub(super) const COLUMNS: &str =
            concat!($first_column $(, ", ", $column)+ $(, ", ", stringify!($used))+);

        impl RunRow {
            pub(super) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
                let mut columns = Columns { row, next: 0 };
                Ok(Self {
                    $first: columns.take($first_column)?,
                    $($field: columns.take($column)?,)+
                    usage: Usage { $($used: columns.take(stringify!($used))?),+ },
                })
            }

            /// Whether [`Self::read`] could read the columns from `start` on; copies nothing.
            pub(super) fn check(row: &Row<'_>, start: usize) -> Result<(), StoreError> {
                let mut columns = Columns { row, next: start };
                columns.check($first_column, |row| &row.$first)?;
                $(columns.check($column, |row| &row.$field)?;)+
                $(columns.check(stringify!($used), |row| &row.usage.$used)?;)+
                Ok(())
            }

            /// What stands in the columns.
            pub(super) fn values(&self) -> Vec<Named> {
                vec![
                    ($first_column, self.$first.value()),
                    $(($column, self.$field.value()),)+
                    $((stringify!($used), self.usage.$used.value())),+
                ]
            }
        }
    };
}

run_columns! {
    id = "id",
    name = "name",
    state = "state",
    phase = "phase",
    attempt = "attempt",
    repo_path = "repo_path",
    repo_fingerprint = "repo_fingerprint",
    base_ref = "base_ref",
    base_commit = "base_commit",
    new_branch = "new_branch",
    worktree_path = "worktree_path",
    workspace = "workspace",
    runner_kind = "runner_kind",
    runner_args = "runner_args_json",
    mode = "mode",
    host = "host",
    restart_policy = "restart_policy",
    created_at = "created_at",
    updated_at = "updated_at",
    started_at = "started_at",
    ended_at = "ended_at",
    exit_code = "exit_code",
    signal = "signal",
    reason = "reason",
    error = "error",
    stdout_log_path = "stdout_log_path",
    stderr_log_path = "stderr_log_path",
    tmux_session_name = "tmux_session_name",
    tmux_socket = "tmux_socket",
    saved_ref = "saved_ref",
    removed_at = "removed_at",
    agent_session = "agent_session",
    parent_id = "parent_id",
    agent_version = "agent_version",
    activity = "activity",
    activity_at = "activity_at",
    kind = "kind",
    vcs = "vcs",
    workflow_session = "workflow_session",
    landed_at = "landed_at",
    landed_commit = "landed_commit",
    landed_into = "landed_into",
    race_id = "race_id";
    usage: input_tokens, output_tokens, cached_tokens, cost_usd
}

/// Inserts a row. The database itself refuses one that does not begin as queued.
pub(super) fn insert(connection: &Connection, values: &[Named]) -> Result<(), StoreError> {
    let columns: Vec<&str> = values.iter().map(|(column, _)| *column).collect();
    let places = vec!["?"; values.len()].join(", ");
    let mut statement =
        connection.prepare_cached(&format!("INSERT INTO runs ({}) VALUES ({places})", columns.join(", ")))?;
    statement.execute(params_from_iter(values.iter().map(|(_, value)| value)))?;
    Ok(())
}

/// Sets some columns of a run.
pub(super) fn update(connection: &Connection, id: &RunId, values: &[Named]) -> Result<(), StoreError> {
    let columns: Vec<String> = values.iter().map(|(column, _)| format!("{column} = ?")).collect();
    let mut statement = connection.prepare_cached(&format!("UPDATE runs SET {} WHERE id = ?", columns.join(", ")))?;
    let id = id.value();
    statement.execute(params_from_iter(values.iter().map(|(_, value)| value).chain([&id])))?;
    Ok(())
}

/// A type that a column holds.
trait Column: Sized {
    fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError>;
    fn value(&self) -> Value;

    /// Whether it could be taken.
    fn check(row: &Row<'_>, index: usize, column: &'static str) -> Result<(), StoreError> {
        Self::take(row, index, column).map(drop)
    }
}

struct Columns<'a, 'row> {
    row: &'a Row<'row>,
    next: usize,
}

impl Columns<'_, '_> {
    fn take<T: Column>(&mut self, column: &'static str) -> Result<T, StoreError> {
        let index = self.next;
        self.next += 1;
        T::take(self.row, index, column)
    }

    /// Checks the next column, whose type is that of a field.
    fn check<T: Column>(&mut self, column: &'static str, _field: fn(&RunRow) -> &T) -> Result<(), StoreError> {
        let index = self.next;
        self.next += 1;
        T::check(self.row, index, column)
    }
}

/// A text that is looked at and not copied.
struct IsText;

impl FromSql for IsText {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(|_| Self)
    }
}

/// Types that SQLite has, each with the one that is enough to check it.
macro_rules! plain {
    ($($kind:ty as $checked:ty),+) => { $(
        impl Column for $kind {
            fn take(row: &Row<'_>, index: usize, _column: &'static str) -> Result<Self, StoreError> {
                plain_value(row, index)
            }

            fn value(&self) -> Value {
                Value::from(self.clone())
            }

            fn check(row: &Row<'_>, index: usize, _column: &'static str) -> Result<(), StoreError> {
                plain_value::<$checked>(row, index).map(drop)
            }
        }
    )+ };
}

/// Types that are text.
macro_rules! text {
    ($($kind:ty),+) => { $(
        impl Column for $kind {
            fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError> {
                parsed(row, index, column)
            }

            fn value(&self) -> Value {
                Value::Text(self.to_string())
            }
        }

        impl Column for Option<$kind> {
            fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError> {
                optional_parsed(row, index, column)
            }

            fn value(&self) -> Value {
                self.as_ref().map_or(Value::Null, Column::value)
            }
        }
    )+ };
}

plain!(String as IsText, Option<String> as Option<IsText>);
plain!(u32 as u32, Option<i32> as Option<i32>, Option<f64> as Option<f64>);
text!(RunId, SessionId, State, Reason, Activity, RestartPolicy, WorkspaceKind, Mode, Host, RunKind, Vcs);

impl Column for Timestamp {
    fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError> {
        read_text(row, index, column, timestamp::parse)
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

impl Column for Option<Timestamp> {
    fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError> {
        read_optional_text(row, index, column, timestamp::parse)
    }

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Column::value)
    }
}

impl Column for Option<u64> {
    /// SQLite has no unsigned numbers.
    fn take(row: &Row<'_>, index: usize, _column: &'static str) -> Result<Self, StoreError> {
        Ok(plain_value::<Option<i64>>(row, index)?.map(i64::unsigned_abs))
    }

    fn value(&self) -> Value {
        Value::from(self.map(|count| i64::try_from(count).unwrap_or(i64::MAX)))
    }
}

impl Column for Vec<String> {
    fn take(row: &Row<'_>, index: usize, column: &'static str) -> Result<Self, StoreError> {
        read_text(row, index, column, |text| serde_json::from_str(text).ok())
    }

    fn value(&self) -> Value {
        Value::Text(serde_json::to_string(self).unwrap_or_else(|_| "[]".to_owned()))
    }
}

fn plain_value<T: FromSql>(row: &Row<'_>, index: usize) -> Result<T, StoreError> {
    Ok(row.get(index)?)
}

/// The value that a text names.
pub(super) fn parsed<T: FromStr>(row: &Row<'_>, index: usize, column: &'static str) -> Result<T, StoreError> {
    read_text(row, index, column, |text| text.parse().ok())
}

/// The same, where there may be none.
pub(super) fn optional_parsed<T: FromStr>(
    row: &Row<'_>,
    index: usize,
    column: &'static str,
) -> Result<Option<T>, StoreError> {
    read_optional_text(row, index, column, |text| text.parse().ok())
}

/// What `read` makes of a text.
pub(super) fn read_text<T>(
    row: &Row<'_>,
    index: usize,
    column: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StoreError> {
    text_of(row.get_ref(index)?, column, read)
}

fn text_of<T>(
    value: ValueRef<'_>,
    column: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StoreError> {
    let text = value.as_str().map_err(|_| StoreError::BadValue { column, value: "no text".into() })?;
    read(text).ok_or_else(|| StoreError::BadValue { column, value: text.to_owned() })
}

/// The same, where there may be none.
pub(super) fn read_optional_text<T>(
    row: &Row<'_>,
    index: usize,
    column: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    let value = row.get_ref(index)?;
    if value == ValueRef::Null { Ok(None) } else { text_of(value, column, read).map(Some) }
}
