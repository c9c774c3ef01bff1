//! Watching what changes: directories, growing files, events and screens.
//!
//! The one rule: a watcher only reads. It may be killed at any moment, and what it watches never waits for it.

mod directory;
mod event_reader;
mod feed;
mod hub;
mod screen;
mod stop_handle;
mod tail;
mod window;

pub use directory::{ChangeCallback, DirectoryChange, DirectoryWatch};
pub(crate) use directory::{LOCK_LAG, POLL_INTERVAL};
pub use event_reader::{EventReader, ReadEvent};
pub use feed::{FeedReader, RunFeeds};
pub use screen::{ScreenWatch, WatchedScreen};
pub use stop_handle::StopHandle;
pub use tail::{Tail, find_last_line, last_bytes, offset_of_last_lines};
pub use window::{FileWindow, PartialLine, WindowAt, read_window};
