//! Workspaces of a real jj.

mod hostile;
#[cfg(feature = "fault-points")]
mod killed;
mod opening;
mod preparing;
mod reading;
mod removing;
mod stale;
mod world;
