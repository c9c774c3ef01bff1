//! The owner of a run: the process that may write its files.

use agency_system::lock::is_held;

use crate::home::RunDirectory;

/// Whether a process creates or supervises the run. The creator lets go only when the supervisor holds on, so the order
/// of the two looks matters. A lock that cannot be probed counts as held.
pub(crate) fn has_owner(directory: &RunDirectory) -> bool {
    is_held(&directory.creator_lock()).unwrap_or(true) || is_held(&directory.supervisor_lock()).unwrap_or(true)
}
