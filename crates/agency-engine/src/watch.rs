//! Watching what changes: directories, growing files, events and screens.
//!
//! The one rule: a watcher only reads. It may be killed at any moment, and what it watches never waits for it.
//!
//! ```
//! use std::time::Duration;
//!
//! use agency_engine::watch::{DirectoryWatch, StopHandle, Tail};
//!
//! # let place = tempfile::tempdir()?;
//! # let directory = place.path();
//! let stop = StopHandle::new();
//! let watch = DirectoryWatch::stopped_by(&[directory], &stop)?;
//! let mut tail = Tail::at(&directory.join("log"), 0)?;
//! let stopper = stop.clone();
//! let writer = std::thread::spawn({
//!     let log = directory.join("log");
//!     move || std::fs::write(log, "written").map(|()| stopper.stop())
//! });
//! let mut read = vec![];
//! loop {
//!     // The end is looked for first: what was written before it is read after it.
//!     let over = stop.is_stopped();
//!     tail.read(|piece| Ok(read.extend_from_slice(piece)))?;
//!     if over {
//!         break;
//!     }
//!     watch.wait(Duration::MAX);
//! }
//! assert_eq!(read, b"written");
//! writer.join().unwrap()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
