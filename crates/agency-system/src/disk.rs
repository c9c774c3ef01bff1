//! How much of a disk directories take.
//!
//! The one rule: the writer of the files cannot lead a walk elsewhere: links are not followed, other file systems are not
//! entered, and a directory that lies too deep is counted as unread.

use std::collections::HashSet;
use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, statat, statvfs};
use rustix::io::Errno;

/// The size of the blocks that the system counts.
const BLOCK_BYTES: u64 = 512;
/// How many directories may lie in each other. Each holds a descriptor while it is read.
const MAX_DEPTH: usize = 128;

/// What was found below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUse {
    /// The blocks that its files and directories take, in bytes.
    pub bytes: u64,
    /// How many directories and files could not be counted.
    pub unread: u64,
}

impl DiskUse {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(other.bytes), unread: self.unread.saturating_add(other.unread) }
    }
}

/// Measures several paths. A file with several names is counted once, where it is found first.
#[derive(Debug, Default)]
pub struct DiskMeter {
    /// The device and inode of each file with several names.
    linked: Mutex<HashSet<(u64, u64)>>,
}

impl DiskMeter {
    /// What is at a path and below it; nothing where nothing is. Ends early once `stop` is set.
    pub fn measure(&self, path: &Path, stop: &AtomicBool) -> DiskUse {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return DiskUse::default(),
            Err(_) => return DiskUse { bytes: 0, unread: 1 },
        };
        let mut sum = DiskUse { bytes: found.blocks() * BLOCK_BYTES, unread: 0 };
        if found.is_dir() {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match rustix::fs::open(path, flags, Mode::empty()).and_then(Dir::new) {
                Ok(top) => self.walk(top, found.dev(), stop, &mut sum),
                Err(Errno::NOENT) => {}
                Err(_) => sum.unread += 1,
            }
        }
        sum
    }

    /// Adds everything in a directory.
    fn walk(&self, top: Dir, device: u64, stop: &AtomicBool, sum: &mut DiskUse) {
        let mut open = vec![top];
        while let Some(directory) = open.last_mut() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let entry = match directory.read() {
                Some(Ok(entry)) => entry,
                found => {
                    sum.unread += u64::from(found.is_some());
                    open.pop();
                    continue;
                }
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let is_deepest = open.len() >= MAX_DEPTH;
            let Some(directory) = open.last() else { return };
            match self.add(directory, name, device, sum) {
                Ok(true) if is_deepest => sum.unread += 1,
                Ok(true) => match enter(directory, name) {
                    Ok(inner) => open.push(inner),
                    Err(error) => sum.unread += u64::from(!is_gone(error)),
                },
                Ok(false) => {}
                Err(error) => sum.unread += u64::from(!is_gone(error)),
            }
        }
    }

    /// Adds one entry; whether it is a directory to enter.
    fn add(&self, directory: &Dir, name: &CStr, device: u64, sum: &mut DiskUse) -> Result<bool, Errno> {
        let found = statat(directory.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_directory = FileType::from_raw_mode(found.st_mode).is_dir();
        if found.st_dev != device || (!is_directory && found.st_nlink > 1 && !self.is_first(&found)) {
            return Ok(false);
        }
        sum.bytes = sum.bytes.saturating_add(u64::try_from(found.st_blocks).unwrap_or(0) * BLOCK_BYTES);
        Ok(is_directory)
    }

    fn is_first(&self, found: &Stat) -> bool {
        self.linked.lock().unwrap_or_else(PoisonError::into_inner).insert((found.st_dev, found.st_ino))
    }
}

fn enter(directory: &Dir, name: &CStr) -> Result<Dir, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inner: OwnedFd = openat(directory.fd()?, name, flags, Mode::empty())?;
    Dir::new(inner)
}

/// Whether an entry was removed, or replaced by something else, after it was listed.
fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// How many bytes a user can still write on the file system of a path.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn measured(path: &Path) -> DiskUse {
        DiskMeter::default().measure(path, &AtomicBool::new(false))
    }

    #[test]
    fn blocks_are_counted_once_per_file_and_links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (tree, other) = (place.path().join("tree"), place.path().join("other"));
        for directory in [&tree, &other] {
            fs::create_dir(directory).unwrap();
        }
        fs::write(other.join("large"), vec![1; 1 << 20]).unwrap();
        symlink(&other, tree.join("link")).unwrap();
        symlink(other.join("large"), tree.join("file")).unwrap();
        assert!(measured(&tree).bytes < 1 << 20, "{:?}", measured(&tree));
        fs::write(tree.join("own"), vec![1; 1 << 20]).unwrap();
        let once = measured(&tree);
        assert!(once.bytes >= 1 << 20 && once.unread == 0, "{once:?}");
        fs::hard_link(tree.join("own"), tree.join("again")).unwrap();
        assert_eq!(measured(&tree), once);
        let meter = DiskMeter::default();
        let stop = AtomicBool::new(false);
        fs::hard_link(tree.join("own"), other.join("third")).unwrap();
        let both = meter.measure(&tree, &stop).plus(meter.measure(&other, &stop));
        assert!(both.bytes < 3 << 20, "{both:?}");
        assert_eq!(measured(&tree.join("link")).unread, 0);
        assert!(measured(&tree.join("link")).bytes < 1 << 20);
        assert_eq!(measured(&tree.join("nothing")), DiskUse::default());
    }

    #[test]
    fn a_directory_that_lies_too_deep_is_not_entered_and_says_so() {
        let place = tempfile::tempdir().unwrap();
        let mut deep = place.path().to_owned();
        for _ in 0..MAX_DEPTH + 10 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("large"), vec![1; 1 << 20]).unwrap();
        let found = measured(place.path());
        assert!(found.unread == 1 && found.bytes < 1 << 20, "{found:?}");
    }

    #[test]
    fn a_walk_that_is_stopped_ends() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("large"), vec![1; 1 << 20]).unwrap();
        let stopped = DiskMeter::default().measure(place.path(), &AtomicBool::new(true));
        assert!(stopped.bytes < 1 << 20, "{stopped:?}");
        assert!(free_bytes(place.path()).is_ok());
    }
}
