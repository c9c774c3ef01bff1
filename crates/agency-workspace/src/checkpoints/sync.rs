//! Brings the objects of a checkpoint to the disk before a ref leads to them.
//!
//! The one rule: a ref to an object that a power cut destroyed would stop `git gc` in the user's repository.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::super::{Result, WorkspaceError};

/// The journal of a file system writes for several at once, so that they take hardly longer than one.
const MAX_THREADS: usize = 16;

/// Syncs those of the objects that are in files of their own; the others are in packs, which git synced.
pub(super) fn sync_objects(common_dir: &Path, ids: &[String]) -> Result<()> {
    let place = |id: &String| Some(common_dir.join("objects").join(id.get(..2)?).join(id.get(2..)?));
    let files: Vec<PathBuf> = ids.iter().filter_map(place).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            match File::open(file) {
                Ok(open) => open.sync_all().map_err(WorkspaceError::io("write", file))?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(WorkspaceError::io("open", file)(error)),
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..files.len().min(MAX_THREADS)).map(|_| scope.spawn(work)).collect();
        let joined =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect::<Result<Vec<()>>>().map(drop)
    })
}
