//! Watching runs: directories for changes, growing files, events, runs and screens as they change, and callbacks.
//!
//! The one rule: a watcher only reads. It may be killed at any moment, and what it watches never waits for it.

mod callbacks;
mod directory;
mod event_reader;
mod feed;
mod hub;
mod runs;
mod screen;

pub use crate::tail::{
    FileWindow, PartialLine, Tail, WindowAt, find_last_line, last_bytes, offset_of_last_lines, read_window,
};
pub use callbacks::{CompletionResult, Watcher, WatcherError};
pub(crate) use directory::LOCK_LAG;
pub use directory::{ChangeCallback, DirectoryChange, DirectoryWatch, WaitError};
pub use event_reader::{EventReader, ReadEvent};
pub use feed::{FeedReader, RunFeeds};
pub use runs::{RunsNews, RunsWatch};
pub use screen::{ScreenWatch, WatchedScreen};
