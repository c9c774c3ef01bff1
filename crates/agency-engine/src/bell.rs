//! Rings at a supervisor's door.

use crate::home::RunDirectory;
use crate::process::connect;
use crate::supervise::{BELL, write_frame};

/// Tells the supervisor of a run to look at its requests; `false` if nobody is there to hear it.
pub fn ring(directory: &RunDirectory) -> bool {
    connect(&directory.control_socket())
        .and_then(|mut door| write_frame(&mut door, BELL, &[]))
        .is_ok()
}
