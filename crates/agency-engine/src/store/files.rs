//! The files of the database: which ones they are, and how they are replaced after something emptied or removed them.
//!
//! The one rule: a file that holds nothing is made into a database, or moved aside, only under a lock that every process
//! takes which finds such a file. Nothing is deleted.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_system::lock::Lock;
use tracing::warn;

use super::StoreError;
use crate::home::{HomeError, create_private_directory};

/// The smallest page of SQLite. It takes a file without one for a new database.
const MIN_PAGE_BYTES: u64 = 512;

/// What the file at the path of the database is, by its size.
enum FileSize {
    Missing,
    Empty,
    NotEmpty,
}

impl FileSize {
    fn of(path: &Path) -> Self {
        match path.metadata().map(|found| found.len()) {
            Ok(..MIN_PAGE_BYTES) => Self::Empty,
            Ok(_) => Self::NotEmpty,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            // SQLite says why it cannot be used.
            Err(_) => Self::NotEmpty,
        }
    }
}

/// What is done about a database file that something emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenEmptied {
    /// It is an error.
    Refuse,
    /// It is moved aside with its log, and a new database takes its place.
    Replace,
}

/// Which files on the disk a connection uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Files {
    database: FileIdentity,
    /// The write-ahead log and its index: processes that do not share them damage the database.
    log: [Option<FileIdentity>; 2],
}

impl Files {
    /// The files that are at the path now; none if there is no database.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let database = FileIdentity::of(path)?;
        Some(Self { database, log: log_of(path).map(|path| FileIdentity::of(&path)) })
    }
}

impl std::fmt::Display for Files {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.database.fmt(formatter)?;
        // A database that lost its log is an older one. The index is made anew after each start of the machine.
        let [log, _] = self.log;
        log.map_or(Ok(()), |log| write!(formatter, " {log}"))
    }
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

/// The write-ahead log and its index.
fn log_of(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|ending| {
        let mut name = OsString::from(path);
        name.push(ending);
        name.into()
    })
}

/// Whether something emptied the file: a new one has neither a log nor runs beside it.
pub(super) fn is_emptied(path: &Path) -> bool {
    let has_runs = || {
        let runs = path.with_file_name("runs").read_dir();
        runs.is_ok_and(|mut runs| runs.next().is_some())
    };
    matches!(FileSize::of(path), FileSize::Empty) && (log_of(path).iter().any(|log| log.exists()) || has_runs())
}

/// Whether the log is gone and its index is not. SQLite makes the log first and removes it last.
fn has_lost_log(path: &Path) -> bool {
    let [log, index] = log_of(path);
    !log.exists() && index.exists()
}

/// Makes sure that SQLite meets files that belong together. Returns the lock under which a new database is made, if there
/// is to be one.
pub(super) fn prepare(path: &Path, patience: Duration, emptied: WhenEmptied) -> Result<Option<Lock>, StoreError> {
    if matches!(FileSize::of(path), FileSize::NotEmpty) && !has_lost_log(path) {
        return Ok(None);
    }
    let lock = path.with_file_name("database.lock");
    let held = match Lock::take(&lock, patience) {
        Ok(Some(held)) => held,
        Ok(None) => return Err(StoreError::Locked { seconds: patience.as_secs() }),
        Err(HomeError { source, .. }) => {
            return Err(StoreError::Access { path: lock, message: source.to_string() });
        }
    };
    let [log, index] = log_of(path);
    // Another process may have done it by now.
    match FileSize::of(path) {
        FileSize::NotEmpty if has_lost_log(path) => move_aside(path, &[index])?,
        FileSize::NotEmpty => {}
        FileSize::Missing => move_aside(path, &[log, index])?,
        FileSize::Empty if !is_emptied(path) => {}
        FileSize::Empty if emptied == WhenEmptied::Refuse => {
            return Err(StoreError::Emptied { path: path.to_owned() });
        }
        // The file itself comes last: until then, it shows that this is not finished.
        FileSize::Empty => move_aside(path, &[log, index, path.to_owned()])?,
    }
    Ok(Some(held))
}

/// Moves what exists of these files to a directory of its own beside the database.
fn move_aside(path: &Path, files: &[PathBuf]) -> Result<(), StoreError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| StoreError::Access { path, message: error.to_string() }
    };
    let moment = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%fZ");
    let aside = path.with_file_name(format!("damaged-{moment}"));
    for file in files.iter().filter(|file| file.exists()) {
        create_private_directory(&aside).map_err(|error| failed(&aside)(error.source))?;
        let target = file.file_name().map(|name| aside.join(name)).unwrap_or_default();
        std::fs::rename(file, target).map_err(failed(file))?;
        warn!(file = %file.display(), aside = %aside.display(), "a file of the database was moved aside");
    }
    Ok(())
}
