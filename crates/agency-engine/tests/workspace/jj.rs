//! Workspaces of a real jj.

#[cfg(feature = "fault-points")]
mod killed;
mod opening;
mod preparing;
mod reading;
mod removing;
mod stale;
mod world;
