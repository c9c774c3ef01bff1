//! Watching runs: directories for changes, growing files by window, runs and screens as they change, and callbacks.
//!
//! The one rule: a watcher only reads. It may be killed at any moment, and what it watches never waits for it.

mod callbacks;
mod directory;
mod file_window;
mod runs;
mod screen;

pub use callbacks::{CompletionResult, Watcher, WatcherError};
pub(crate) use directory::change_of;
pub use directory::{ChangeCallback, DirectoryChange, DirectoryWatch, WaitError};
pub use file_window::{FileWindow, PartialLine, WindowAt, read_window};
pub use runs::{RunsNews, RunsWatch};
pub use screen::{ScreenWatch, WatchedScreen};
