//! Scratch directories whose owners died.
//!
//! The one rule: what may still be in use is not touched. A directory is dead when its lock is free, and the
//! run that it belongs to has no owner.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_system::lock::{Lock, is_held};
use agency_workspace::{SCRATCH_LOCK, SCRATCH_PREFIX, clear_hidden, hidden, owner_of};
use rustix::process::geteuid;

use crate::home::RunDirectory;
use crate::runs::owner::has_owner;

/// The time that a process may take from making a directory to locking it.
const BEING_MADE: Duration = Duration::from_secs(60);

/// The scratch directories below `place` that are not in use.
#[must_use]
pub(crate) fn dead_scratch(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut dead: Vec<PathBuf> = entries.filter(|path| is_dead(path)).collect();
    dead.sort();
    dead
}

/// Deletes the scratch directories below `place` that are not in use; returns those that were deleted.
pub(crate) fn sweep_scratch(place: &Path) -> Vec<PathBuf> {
    dead_scratch(place).into_iter().filter(|path| sweep(path)).collect()
}

/// How far a directory has come, by its name.
enum SweepStage {
    Made,
    BeingMade,
    BeingDeleted,
}

fn stage_of(path: &Path) -> Option<SweepStage> {
    let name = path.file_name()?.to_str()?;
    if name.starts_with(SCRATCH_PREFIX) {
        return Some(SweepStage::Made);
    }
    let name = name.strip_prefix('.').filter(|name| name.starts_with(SCRATCH_PREFIX))?;
    match name.rsplit_once('.')?.1 {
        "new" => Some(SweepStage::BeingMade),
        "gone" => Some(SweepStage::BeingDeleted),
        _ => None,
    }
}

fn is_dead(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    if !found.is_dir() || found.uid() != geteuid().as_raw() {
        return false;
    }
    match stage_of(path) {
        None => false,
        // Its name says that it is being deleted; a second deletion does no harm.
        Some(SweepStage::BeingDeleted) => true,
        Some(SweepStage::Made) => is_abandoned(path),
        Some(SweepStage::BeingMade) => {
            let age = found.modified().ok().and_then(|at| at.elapsed().ok());
            let was_locked = owner_of(path).is_some_and(|owner| !owner.as_os_str().is_empty());
            let is_due = was_locked || age.is_some_and(|age| age > BEING_MADE);
            is_due && !is_held(&path.join(SCRATCH_LOCK)).unwrap_or(true)
        }
    }
}

/// Whether it is one of ours, and not in use. One without our lock file belongs to another program.
fn is_abandoned(path: &Path) -> bool {
    let Some(owner) = owner_of(path) else { return false };
    let run_lives = !owner.as_os_str().is_empty() && has_owner(&RunDirectory::at(owner));
    !run_lives && !is_held(&path.join(SCRATCH_LOCK)).unwrap_or(true)
}

fn sweep(path: &Path) -> bool {
    match stage_of(path) {
        None => false,
        Some(SweepStage::BeingDeleted | SweepStage::BeingMade) => clear_hidden(path).is_ok(),
        Some(SweepStage::Made) => {
            // Of several sweeps at once, one deletes it.
            let Ok(Some(_lock)) = Lock::take(&path.join(SCRATCH_LOCK), Duration::ZERO) else { return false };
            let doomed = hidden(path, "gone");
            is_dead_run(path) && fs::rename(path, &doomed).is_ok() && clear_hidden(&doomed).is_ok()
        }
    }
}

fn is_dead_run(path: &Path) -> bool {
    owner_of(path).is_some_and(|owner| owner.as_os_str().is_empty() || !has_owner(&RunDirectory::at(owner)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use agency_workspace::{Scratch, Workspace};

    use super::*;

    fn made(place: &Path, source: &Path) -> Scratch {
        let scratch = Scratch::below(place, &agency_system::uuid::random_uuid(), Path::new("")).link("source", source);
        scratch.prepare().unwrap();
        scratch
    }

    // proves A7
    #[test]
    fn the_dead_are_swept_and_the_living_and_the_foreign_stay() {
        let place = tempfile::tempdir().unwrap();
        let source = tempfile::tempdir().unwrap();
        fs::write(source.path().join("file"), "kept").unwrap();
        let alive = made(place.path(), source.path());
        let dead = made(place.path(), source.path()).directory().to_owned();
        // Another program has directories of the same name.
        let foreign = place.path().join("lctx-foreign");
        fs::create_dir(&foreign).unwrap();
        symlink(source.path(), place.path().join("lctx-link")).unwrap();
        let half_gone = place.path().join(".lctx-x.gone");
        fs::create_dir(&half_gone).unwrap();
        let just_begun = place.path().join(".lctx-y.new");
        fs::create_dir(&just_begun).unwrap();
        // Its maker died after it had locked and noted it.
        let half_made = place.path().join(".lctx-z.new");
        fs::create_dir(&half_made).unwrap();
        fs::write(half_made.join(SCRATCH_LOCK), "/run").unwrap();
        let swept = sweep_scratch(place.path());
        assert_eq!(swept, [half_gone.clone(), half_made.clone(), dead.clone()]);
        assert!(!dead.exists() && !half_gone.exists() && !half_made.exists());
        for kept in [alive.directory(), &foreign, &just_begun, &place.path().join("lctx-link/file")] {
            assert!(kept.exists(), "{}", kept.display());
        }
        assert_eq!(fs::read_to_string(source.path().join("file")).unwrap(), "kept");
        assert!(sweep_scratch(place.path()).is_empty());
    }

    #[test]
    fn a_directory_whose_run_has_an_owner_stays() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("run");
        fs::create_dir(&run).unwrap();
        let scratch = Scratch::below(place.path(), "x", &run);
        scratch.prepare().unwrap();
        let path = scratch.directory().to_owned();
        drop(scratch);
        let supervisor = Lock::take(&run.join("supervisor.lock"), Duration::ZERO).unwrap();
        assert!(sweep_scratch(place.path()).is_empty());
        drop(supervisor);
        assert_eq!(sweep_scratch(place.path()), [path]);
    }
}
