//! Opens the database: the only place that does.

use std::cell::Cell;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tracing::{debug, info, warn};

use super::error::opening;
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

/// Which file on the disk it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
    /// The number of a deleted file is given to another one soon, its moment is not.
    created: Option<i64>,
}

impl std::fmt::Display for FileIdentity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}:{}", self.device, self.inode, self.created.unwrap_or_default())
    }
}

impl FileIdentity {
    fn of(path: &Path) -> Option<Self> {
        let found = path.metadata().ok()?;
        let created = found.created().ok().and_then(|at| jiff::Timestamp::try_from(at).ok());
        Some(Self { device: found.dev(), inode: found.ino(), created: created.map(jiff::Timestamp::as_microsecond) })
    }
}

impl Store {
    /// Opens the database at `path`, creating or migrating it. A file that is damaged or newer is
    /// left exactly as it is.
    pub fn open(path: &Path, lock_timeout: Duration) -> Result<Self, StoreError> {
        let limit = u64::try_from(lock_timeout.as_millis()).unwrap_or(u64::MAX);
        LOCK_TIMEOUT_MS.store(limit, Ordering::Relaxed);
        let connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        Ok(Self { connection, path: path.to_owned(), file: FileIdentity::of(path), openings: 0 })
    }

    /// Continues with the file that is at the path now, if the opened one was moved or deleted; says whether it is
    /// another one. A missing file is an error and is not created: a process that moved it may be about to replace it.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        let Some(found) = FileIdentity::of(&self.path) else {
            return Err(StoreError::Missing { path: self.path.clone() });
        };
        if self.file == Some(found) {
            return Ok(false);
        }
        self.connection = connect(&self.path, OpenFlags::empty())?;
        self.file = Some(found);
        self.openings += 1;
        warn!(path = %self.path.display(), "continuing with another database file");
        Ok(true)
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
    /// then has no log to read through. It waits for the disk, so it is for processes that no user waits for.
    pub fn tidy(self) {
        let now = "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);";
        // If another connection is active, it checkpoints later, or the log is a little longer.
        let _ = self.connection.execute_batch(now);
    }

    /// SQLite's own examination of every page and row; empty if they are sound. Looking up each row in each index takes
    /// more than as long again, so it is left out of a large file: those who read the rows look up the ids.
    pub fn integrity_problems(&self) -> Result<Vec<String>, StoreError> {
        let pages: i64 = self.connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        problems(&self.connection, if pages <= ALL_INDEXES_MAX_PAGES { "integrity_check" } else { "quick_check" })
    }
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
    info!(from = version, to = SCHEMA_VERSION, "database migrated");
    Ok(())
}

fn restrict_access(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| StoreError::Access { path: path.to_owned(), message: error.to_string() })
}
