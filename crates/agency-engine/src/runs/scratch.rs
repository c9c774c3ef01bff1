//! The scratch directories of asks and chats: where they are made, and which of them no process needs any more.

mod root;
mod sweep;

pub(crate) use root::{scratch_place, scratch_places};
pub(crate) use sweep::{dead_scratch, sweep_scratch};
