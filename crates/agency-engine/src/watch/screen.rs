//! Reading the screen of a run without any effect on it: live through its supervisor, or as it was at the end.
//!
//! The bytes are those of a terminal. Its size is sent among them, as `CSI 8 ; rows ; columns t`.

mod watched_screen;

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub use watched_screen::WatchedScreen;

use crate::wire::{WATCH, write_first_frame};

/// The maximum that one call returns, so that the caller can draw in between.
const MAX_READ_BYTES: usize = 1024 * 1024;

/// A viewer that only reads the screen of a run.
#[derive(Debug)]
pub struct ScreenWatch {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl AsFd for ScreenWatch {
    /// What can be waited for: there is something to read, or the supervisor is gone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl ScreenWatch {
    /// Asks the supervisor at the other end for what the screen shows.
    pub(crate) fn begin(mut stream: UnixStream) -> io::Result<Self> {
        write_first_frame(&mut stream, WATCH, &[])?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream, buffer: vec![0; 64 * 1024] })
    }

    /// What came since the last call, waiting for it at most `limit`: nothing if the limit passed. `None` if the
    /// supervisor is gone.
    pub fn next(&mut self, limit: Duration) -> io::Result<Option<Vec<u8>>> {
        let mut came = vec![];
        if !self.wait(limit)? {
            return Ok(Some(came));
        }
        while came.len() < MAX_READ_BYTES {
            match self.stream.read(&mut self.buffer) {
                Ok(0) => return Ok(Some(came).filter(|came| !came.is_empty())),
                Ok(length) => came.extend_from_slice(self.buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It left before it had read everything.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return Ok(Some(came).filter(|came| !came.is_empty()));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(came))
    }

    /// Whether there is something to read within `limit`.
    fn wait(&self, limit: Duration) -> io::Result<bool> {
        let deadline = Instant::now().checked_add(limit);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // A time that is too long for the system is as good as none.
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            let mut waited = [PollFd::new(&self.stream, PollFlags::IN)];
            match poll(&mut waited, timeout.as_ref()) {
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    fn watched() -> (ScreenWatch, UnixStream) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let watch = ScreenWatch::begin(ours).unwrap();
        let mut frames = [0; 11];
        theirs.read_exact(&mut frames).unwrap();
        assert_eq!(frames[6..], [WATCH, 0, 0, 0, 0]);
        (watch, theirs)
    }

    #[test]
    fn what_came_is_given_and_an_end_is_told_after_the_last_of_it() {
        let (mut watch, mut supervisor) = watched();
        assert_eq!(watch.next(Duration::ZERO).unwrap(), Some(vec![]));
        assert_eq!(watch.next(Duration::from_millis(20)).unwrap(), Some(vec![]));
        supervisor.write_all(b"one").unwrap();
        assert_eq!(watch.next(TEST_TIMEOUT).unwrap(), Some(b"one".to_vec()));
        supervisor.write_all(b"two").unwrap();
        drop(supervisor);
        assert_eq!(watch.next(TEST_TIMEOUT).unwrap(), Some(b"two".to_vec()));
        assert_eq!(watch.next(TEST_TIMEOUT).unwrap(), None);
        assert_eq!(watch.next(Duration::MAX).unwrap(), None, "it stays gone");
    }

    #[test]
    fn a_flood_is_given_in_pieces() {
        let (mut watch, mut supervisor) = watched();
        let flood = std::thread::spawn(move || supervisor.write_all(&vec![b'x'; 5 * MAX_READ_BYTES]));
        let mut came = 0;
        while let Some(bytes) = watch.next(TEST_TIMEOUT).unwrap() {
            assert!(!bytes.is_empty() && bytes.len() < MAX_READ_BYTES + watch.buffer.len(), "{}", bytes.len());
            came += bytes.len();
        }
        flood.join().unwrap().unwrap();
        assert_eq!(came, 5 * MAX_READ_BYTES);
    }
}
