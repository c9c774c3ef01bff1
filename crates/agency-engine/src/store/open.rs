//! Opens the database: the only place that does.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tracing::{debug, info, warn};

use super::error::opening;
use super::files::{self, Files, WhenEmptied};
use super::schema::{MIGRATIONS, SCHEMA_VERSION};
use super::{Store, StoreError};

/// SQLite takes a plain function for its busy handler, so the limit is kept here.
static LOCK_TIMEOUT_MS: AtomicU64 = AtomicU64::new(30_000);

/// How many pages a pass over everything keeps in memory. It needs most pages once: memory for all of them costs more
/// than using the same few again.
pub(super) const SCAN_PAGES: i64 = 64;

/// A wait for the database is recorded each time it was tried so often, about once a second.
const TRIES_PER_REPORT: i32 = 1000;

/// The largest file of which all indexes are compared with their tables: 1 MiB, some 800 runs.
const ALL_INDEXES_MAX_PAGES: i64 = 256;

thread_local! {
    static WAITING_SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn set_lock_timeout(limit: Duration) {
    LOCK_TIMEOUT_MS.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

pub(super) fn lock_timeout() -> Duration {
    Duration::from_millis(LOCK_TIMEOUT_MS.load(Ordering::Relaxed))
}

/// Waits a short, uneven time. SQLite's own handler backs off so far that writers starve.
fn wait_for_turn(tries: i32) -> bool {
    if tries == 0 {
        WAITING_SINCE.set(Some(Instant::now()));
    }
    let Some(since) = WAITING_SINCE.get() else { return false };
    if since.elapsed() >= lock_timeout() {
        warn!(tries, ms = since.elapsed().as_millis(), "the database stays locked");
        return false;
    }
    if tries > 0 && tries % TRIES_PER_REPORT == 0 {
        debug!(tries, ms = since.elapsed().as_millis(), "waiting for the database");
    }
    let uneven = since.elapsed().subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761);
    std::thread::sleep(Duration::from_micros(300 + u64::from(uneven % 1000)));
    true
}

impl Store {
    /// Opens the database at `path`, creating or migrating it. A file that is damaged, emptied or newer is
    /// left exactly as it is.
    pub fn open(path: &Path, lock_timeout: Duration) -> Result<Self, StoreError> {
        Self::open_with(path, lock_timeout, WhenEmptied::Refuse)
    }

    /// Does the same, but moves a file that something emptied aside, with its log, and creates a new database.
    pub fn open_to_rebuild(path: &Path, lock_timeout: Duration) -> Result<Self, StoreError> {
        Self::open_with(path, lock_timeout, WhenEmptied::Replace)
    }

    fn open_with(path: &Path, lock_timeout: Duration, emptied: WhenEmptied) -> Result<Self, StoreError> {
        set_lock_timeout(lock_timeout);
        let _creating = files::prepare(path, lock_timeout, emptied)?;
        let connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        Ok(Self { connection: connection.into(), path: path.to_owned(), files: Files::at(path), openings: 0 })
    }

    /// Changes how long this process waits for a lock of the database.
    pub(crate) fn with_lock_timeout(self, lock_timeout: Duration) -> Self {
        set_lock_timeout(lock_timeout);
        self
    }

    /// Opens the database to plan how it is rebuilt: in place of a file that something emptied, there is a new database in
    /// memory.
    #[expect(clippy::disallowed_methods, reason = "the database is opened here")]
    pub fn open_to_plan(path: &Path, lock_timeout: Duration) -> Result<Self, StoreError> {
        if !files::is_emptied(path) {
            return Self::open(path, lock_timeout);
        }
        set_lock_timeout(lock_timeout);
        let mut connection = Connection::open_in_memory()?;
        migrate(&mut connection)?;
        Ok(Self { connection: connection.into(), path: path.to_owned(), files: None, openings: 0 })
    }

    /// Continues with the files that are at the path now, if the opened ones were moved or deleted; returns whether they are
    /// others. A missing file is an error and is not created: a process that moved it may be about to replace it.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        let Some(found) = Files::at(&self.path) else {
            return Err(StoreError::Missing { path: self.path.clone() });
        };
        if files::is_emptied(&self.path) {
            return Err(StoreError::Emptied { path: self.path.clone() });
        }
        if self.files == Some(found) {
            return Ok(false);
        }
        let _creating = files::prepare(&self.path, lock_timeout(), WhenEmptied::Refuse)?;
        // Connections of one process to one file share the log that the first of them opened.
        self.files = None;
        drop(self.connection.take());
        self.connection = connect(&self.path, OpenFlags::empty())?.into();
        self.files = Files::at(&self.path);
        self.openings += 1;
        warn!(path = %self.path.display(), "continuing with another database file");
        Ok(true)
    }

    /// The connection, which a clone opens when it is first needed. A file that is gone by then is not created.
    pub(super) fn connection(&self) -> Result<&Connection, StoreError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection);
        }
        if files::is_emptied(&self.path) {
            return Err(StoreError::Emptied { path: self.path.clone() });
        }
        let _creating = files::prepare(&self.path, lock_timeout(), WhenEmptied::Refuse)?;
        let opened = connect(&self.path, OpenFlags::empty())?;
        Ok(self.connection.get_or_init(|| opened))
    }

    /// The connection, for a transaction.
    pub(super) fn connection_mut(&mut self) -> Result<&mut Connection, StoreError> {
        self.connection()?;
        self.connection.get_mut().ok_or_else(|| StoreError::Missing { path: self.path.clone() })
    }

    /// How often another file was found at the path since the database was opened.
    #[must_use]
    pub const fn openings(&self) -> u32 {
        self.openings
    }

    /// The problems of a file of any version, without changing it; empty if it is sound.
    #[expect(clippy::disallowed_methods, reason = "the database is opened here")]
    pub fn problems_of_file(path: &Path) -> Result<Vec<String>, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(opening(path.to_owned()))?;
        connection.busy_handler(Some(wait_for_turn))?;
        problems(&connection, "integrity_check")
    }

    /// Checkpoints the write-ahead log, unless another connection is active. The next process that opens the file
    /// then has almost no log to read through. It waits for the disk, so it is for processes that no user waits for.
    pub fn tidy(mut self) {
        // What is written to a file that was emptied, or through a log that was removed, damages it.
        if files::is_emptied(&self.path) || self.files != Files::at(&self.path) {
            return;
        }
        // If another connection is active, it checkpoints later, or the log is a little longer.
        let _ = self.connection.get_mut().map(checkpoint);
    }

    /// SQLite's own examination of every page and row; empty if they are sound. Looking up each row in each index takes
    /// more than as long again, so it is left out of a large file: readers of the rows look up the ids.
    pub fn integrity_problems(&self) -> Result<Vec<String>, StoreError> {
        let pages: i64 = self.connection()?.pragma_query_value(None, "page_count", |row| row.get(0))?;
        problems(self.connection()?, if pages <= ALL_INDEXES_MAX_PAGES { "integrity_check" } else { "quick_check" })
    }
}

/// Empties the write-ahead log and begins it again. SQLite brings the beginning of a log to the disk before it writes on,
/// which would otherwise be waited for by the next command that writes: usually one that starts a run.
fn checkpoint(connection: &mut Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::ZERO)?;
    let is_busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if !is_busy {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Nothing changes. The version is read here because a newer program may have migrated the file.
        transaction.pragma_update(None, "user_version", schema_version(&transaction)?)?;
        transaction.commit()?;
    }
    Ok(())
}

fn problems(connection: &Connection, check: &str) -> Result<Vec<String>, StoreError> {
    connection.pragma_update(None, "cache_size", SCAN_PAGES)?;
    let mut statement = connection.prepare(&format!("PRAGMA {check}(10)"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

#[expect(clippy::disallowed_methods, reason = "the database is opened here")]
fn connect(path: &Path, more: OpenFlags) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let started = Instant::now();
    let mut connection = Connection::open_with_flags(path, flags).map_err(opening(path.to_owned()))?;
    prepare(&mut connection, path).map_err(|error| error.naming(path))?;
    debug!(path = %path.display(), ms = started.elapsed().as_millis(), "database opened");
    Ok(connection)
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    connection.busy_handler(Some(wait_for_turn))?;
    let version = schema_version(connection)?;
    if version > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    if version < SCHEMA_VERSION {
        use_write_ahead_log(connection)?;
        restrict_access(path)?;
        migrate(connection)?;
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")?;
    // A reader that happens to be the last to leave does not pay for a checkpoint.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

fn schema_version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Changing the journal mode needs the file alone and ignores the busy handler, so it is tried again.
fn use_write_ahead_log(connection: &Connection) -> Result<(), StoreError> {
    let started = Instant::now();
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match mode.map_err(StoreError::from) {
            Ok(_) => return Ok(()),
            Err(StoreError::Locked { .. }) if started.elapsed() < lock_timeout() => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(error),
        }
    }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while we waited for the lock.
    let version = usize::try_from(schema_version(&transaction)?).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(version) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION.max(i64::try_from(version).unwrap_or(0)))?;
    transaction.commit()?;
    info!(from = version, to = SCHEMA_VERSION, "database migrated");
    Ok(())
}

fn restrict_access(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| StoreError::Access { path: path.to_owned(), message: error.to_string() })
}

#[cfg(test)]
mod tests;
