//! How a program is started again by its own library: as a supervisor, a driver or the scripted agent.
//!
//! The one rule: such a process is recognised by its first argument alone, and opens nothing unless
//! [`init`](crate::init) has taken it over. A program that forgot the call gets an error and does not start itself without
//! end.

use std::ffi::{OsStr, OsString};
use std::path::Path;
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
/// The command of the scripted agent.
pub(crate) const SCRIPTED: &str = "scripted";

/// Whether `init` was called in this process.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// This program does not call `init`, so it cannot be started again to supervise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this program is started again to supervise its runs: call agency_engine::init() at the top of main")]
pub struct NotInitialised;

/// Notes that `init` was called.
pub(crate) fn set_initialised() {
    INITIALISED.store(true, Ordering::Relaxed);
}

/// Refuses in a process that was started for the library, unless `init` was called.
pub(crate) fn check_child() -> Result<(), NotInitialised> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if is_for_library(&arguments) { check_initialised() } else { Ok(()) }
}

/// Refuses to start `program` again if it is this one and `init` was not called.
pub(crate) fn check_starter(program: &Path) -> Result<(), NotInitialised> {
    let is_own = std::env::current_exe().is_ok_and(|own| own == program);
    if is_own { check_initialised() } else { Ok(()) }
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
    fn the_commands_of_a_program_stay_its_own() {
        for words in [&[][..], &[SUPERVISE], &[SUPERVISE, "the kitchen"], &[SUPERVISE, ID, "--now"], &[DRIVE, ID]] {
            assert!(!is_for_library(&arguments(words)), "{words:?}");
        }
    }
}
