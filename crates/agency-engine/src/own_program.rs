//! How a program is started again by its own library: as a supervisor, a driver or the scripted agent.
//!
//! The one rule: such a process is recognised by its first argument alone, and opens nothing before
//! [`init`](crate::init) has taken it over, nor after it has done its work. A program that forgot the call, or continues
//! after the work, gets an error and does not start itself without end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::RunId;

/// The first argument of a process that is started for the library. No program has a command of this name.
pub(crate) const RESERVED_ARGUMENT: &str = "__agency";
/// The command of a supervisor. A wrapper starts it without the argument before it.
pub(crate) const SUPERVISE: &str = "supervise";
/// The command of the driver of a workflow session.
pub(crate) const DRIVE: &str = "drive";
/// The option of a driver that names its configuration.
pub(crate) const CONFIG_OPTION: &str = "--config-file";
/// The command of a process that forecasts conflicts.
pub(crate) const FORECAST: &str = "forecast";
/// The command of the scripted agent.
pub(crate) const SCRIPTED: &str = "scripted";

/// Whether `init` was called in this process.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// This program does not call `init`, so it cannot be started again to supervise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this program is started again to supervise its runs: call agency_engine::init() at the top of main")]
pub struct NotInitialised;

/// Whether this process has done what the library started it for.
static WORK_DONE: AtomicBool = AtomicBool::new(false);

/// This process has done what the library started it for, and continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the library started this process, and its work is done: end it with the exit code that Init::execute gave, or call \
     Init::run in its place"
)]
pub struct WorkDone;

/// Notes that `init` was called.
pub(crate) fn set_initialised() {
    INITIALISED.store(true, Ordering::Relaxed);
}

/// Notes that this process has done what the library started it for.
pub(crate) fn set_work_done() {
    WORK_DONE.store(true, Ordering::Relaxed);
}

/// Refuses in a process that has done what the library started it for.
pub(crate) fn check_work() -> Result<(), WorkDone> {
    if WORK_DONE.load(Ordering::Relaxed) { Err(WorkDone) } else { Ok(()) }
}

/// Refuses in a process that was started for the library, unless `init` was called.
pub(crate) fn check_child() -> Result<(), NotInitialised> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if is_for_library(&arguments) { check_initialised() } else { Ok(()) }
}

/// Refuses to start `program` again if it is this one and `init` was not called.
pub(crate) fn check_starter(program: &Path) -> Result<(), NotInitialised> {
    let is_own = own_executable().is_ok_and(|own| own == program);
    if is_own { check_initialised() } else { Ok(()) }
}

/// The path of the program that runs now. After it was replaced, as by an upgrade, that is the path of the new one.
///
/// # Errors
///
/// Fails when the file was deleted and there is no other one in its place.
#[doc(hidden)]
pub fn own_executable() -> io::Result<PathBuf> {
    existing_program(std::env::current_exe()?)
}

fn existing_program(path: PathBuf) -> io::Result<PathBuf> {
    // The system appends this to the path of a file that was deleted or replaced.
    let named =
        path.as_os_str().as_bytes().strip_suffix(b" (deleted)").map(|name| PathBuf::from(OsStr::from_bytes(name)));
    let deleted = match named {
        Some(named) if !path.exists() => named,
        Some(_) | None => return Ok(path),
    };
    if deleted.exists() {
        return Ok(deleted);
    }
    let why = format!(
        "{} was deleted while it runs: install it again, or name another one with AgencyBuilder::program",
        deleted.display()
    );
    Err(io::Error::new(io::ErrorKind::NotFound, why))
}

fn check_initialised() -> Result<(), NotInitialised> {
    if INITIALISED.load(Ordering::Relaxed) { Ok(()) } else { Err(NotInitialised) }
}

fn is_for_library(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|first| first == RESERVED_ARGUMENT) || supervised_run(arguments).is_some()
}

/// The run that a process with these arguments, without the program, supervises.
pub(crate) fn supervised_run(arguments: &[impl AsRef<OsStr>]) -> Option<RunId> {
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let words = arguments.strip_prefix(&[OsStr::new(RESERVED_ARGUMENT)]).unwrap_or(&arguments);
    match words {
        [verb, id] if *verb == SUPERVISE => id.to_str()?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV";

    fn arguments(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_supervisor_is_recognised_as_this_version_and_a_wrapper_start_it() {
        assert_eq!(supervised_run(&arguments(&[RESERVED_ARGUMENT, SUPERVISE, ID])).unwrap().as_str(), ID);
        assert_eq!(supervised_run(&arguments(&[SUPERVISE, ID])).unwrap().as_str(), ID);
    }

    #[test]
    fn a_program_that_was_replaced_is_the_new_one_and_a_deleted_one_is_named() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        let deleted = place.path().join("program (deleted)");
        let error = existing_program(deleted.clone()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{} was deleted while it runs: install", program.display())), "{error}");
        std::fs::write(&program, "").unwrap();
        assert_eq!(existing_program(deleted.clone()).unwrap(), program);
        std::fs::write(&deleted, "").unwrap();
        assert_eq!(existing_program(deleted.clone()).unwrap(), deleted, "a file may have such a name");
    }

    #[test]
    fn the_commands_of_a_program_stay_its_own() {
        for words in [&[][..], &[SUPERVISE], &[SUPERVISE, "the kitchen"], &[SUPERVISE, ID, "--now"], &[DRIVE, ID]] {
            assert!(!is_for_library(&arguments(words)), "{words:?}");
        }
    }
}
