//! A sign of life for what takes longer than a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use agency_model::escaped_line;
use indicatif::ProgressBar;

/// Nothing is shown before so long.
const SPINNER_DELAY: Duration = Duration::from_secs(1);

/// Shows a spinner until it is dropped, if that takes long enough.
#[derive(Debug)]
pub(crate) struct Spinner {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Begins to wait; `watched` is false unless standard error is a terminal.
    pub(crate) fn begin(text: String, watched: bool) -> Self {
        if !watched {
            return Self { done: None, thread: None };
        }
        let (done, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(SPINNER_DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(escaped_line(&text));
            bar.enable_steady_tick(Duration::from_millis(120));
            // Either way it ends: by a word or by the sender going away.
            let _ = ended.recv();
            bar.finish_and_clear();
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            // A spinner that panicked has nothing to clean up.
            let _ = thread.join();
        }
    }
}
