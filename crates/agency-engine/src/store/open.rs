//! Opens the database: the only place that does.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::opening;
use super::schema::{MIGRATIONS, SCHEMA_VERSION};
use super::{Store, StoreError};

/// SQLite takes a plain function for its busy handler, so the limit is kept here.
static LOCK_TIMEOUT_MS: AtomicU64 = AtomicU64::new(30_000);

thread_local! {
    static WAITING_SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
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
        return false;
    }
    let uneven = since.elapsed().subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761);
    std::thread::sleep(Duration::from_micros(300 + u64::from(uneven % 1000)));
    true
}

impl Store {
    /// Opens the database at `path`, creating or migrating it. A file that is damaged or newer is
    /// left exactly as it is.
    pub fn open(path: &Path, lock_timeout: Duration) -> Result<Self, StoreError> {
        let limit = u64::try_from(lock_timeout.as_millis()).unwrap_or(u64::MAX);
        LOCK_TIMEOUT_MS.store(limit, Ordering::Relaxed);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(opening(path.to_owned()))?;
        prepare(&mut connection, path).map_err(|error| error.naming(path))?;
        Ok(Self { connection })
    }

    /// Writes everything back into the main file and empties the log, if nobody is in the way. Who opens the file next
    /// then has no log to read through. It costs a wait for the disk, so it is for those whom nobody waits for.
    pub fn tidy(self) {
        let now = "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);";
        // Somebody who is in the way tidies up later, or the log is a little longer.
        let _ = self.connection.execute_batch(now);
    }

    /// SQLite's own examination of the whole file; empty if it is sound.
    pub fn integrity_problems(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    connection.busy_handler(Some(wait_for_turn))?;
    let version = schema_version(connection)?;
    if version > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    if version < SCHEMA_VERSION {
        use_write_ahead_log(connection)?;
        migrate(connection, path)?;
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

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    restrict_access(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while we waited for the lock.
    let version = usize::try_from(schema_version(&transaction)?).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(version) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION.max(i64::try_from(version).unwrap_or(0)))?;
    transaction.commit()?;
    Ok(())
}

fn restrict_access(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| StoreError::Access { path: path.to_owned(), message: error.to_string() })
}
