//! What the other crates need of the operating system: processes, locks, disks, files for their owner alone.
//!
//! The one rule: nothing here knows what a run is, beyond the variables that mark its processes.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod beneath;
pub mod disk;
pub mod fault;
pub mod files;
pub mod growing_file;
pub mod lock;
pub mod process;
pub mod user;
pub mod uuid;
