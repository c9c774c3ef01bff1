//! A file that is only appended to, and does not stay in the page cache as a whole once it is large.
//!
//! The one rule: a writer never waits for the disk; what is written long ago is dropped in a thread of its own.

use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use rustix::fs::{Advice, fadvise};

/// A smaller file stays in the page cache: it is likely to be read soon.
const MIN_DROPPED_BYTES: u64 = 16 * 1024 * 1024;
/// The cache is asked to drop a range each time so much was written; of the last two such ranges it keeps what readers that
/// follow the file are about to read.
const RANGE_BYTES: u64 = 4 * 1024 * 1024;

/// An open file that grows.
///
/// A flood of output would fill the memory of the machine with pages that are not read again, and taking a new page for
/// each of them takes several times as long as using those again that were just written to the disk.
#[derive(Debug)]
pub struct GrowingFile {
    file: Arc<File>,
    /// How much was written since the last range began.
    written: u64,
    /// Where the last two ranges began.
    ranges: [u64; 2],
}

/// A range whose pages are written to the disk, and dropped where that was done before.
struct Range {
    file: Arc<File>,
    start: u64,
    end: u64,
}

impl GrowingFile {
    /// Takes a file that was opened to be appended to.
    #[must_use]
    pub fn new(file: File) -> Self {
        Self { file: Arc::new(file), written: 0, ranges: [0; 2] }
    }

    /// The length of the file.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn count(&mut self, written: usize) {
        self.written += written as u64;
        if self.written < RANGE_BYTES {
            return;
        }
        self.written = 0;
        let Ok(end) = self.length() else { return };
        if end < MIN_DROPPED_BYTES {
            return;
        }
        let [start, middle] = self.ranges;
        self.ranges = [middle, end];
        // Without the thread the file stays in the page cache.
        let _ = ranges().map(|ranges| ranges.send(Range { file: Arc::clone(&self.file), start, end }));
    }
}

impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = (&*self.file).write(bytes)?;
        self.count(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where ranges are sent to; `None` if the system had no more threads.
fn ranges() -> Option<&'static Sender<Range>> {
    static RANGES: OnceLock<Option<Sender<Range>>> = OnceLock::new();
    let start = || {
        let (sender, waiting) = channel::<Range>();
        let work = move || waiting.into_iter().for_each(Range::drop_pages);
        thread::Builder::new().name("page-cache".to_owned()).spawn(work).ok()?;
        Some(sender)
    };
    RANGES.get_or_init(start).as_ref()
}

impl Range {
    /// Lets the kernel begin to write the pages of the range to the disk, and drop those that are there.
    fn drop_pages(self) {
        let Some(length) = NonZeroU64::new(self.end.saturating_sub(self.start)) else { return };
        // It is a wish: a file system that does not know it keeps the pages.
        let _ = fadvise(&*self.file, self.start, Some(length), Advice::DontNeed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::IoSliceMut;
    use std::time::{Duration, Instant};

    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    /// Whether a byte can be read without the disk.
    fn is_cached(file: &File, offset: u64) -> bool {
        let mut byte = [0];
        match preadv2(file, &mut [IoSliceMut::new(&mut byte)], offset, ReadWriteFlags::NOWAIT) {
            Ok(length) => length == 1,
            // Some file systems do not say.
            Err(Errno::AGAIN | Errno::OPNOTSUPP) => false,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_large_file_has_all_bytes_and_does_not_stay_in_the_cache() {
        // A file in memory, as `/tmp` may have them, is nowhere else.
        let program = std::env::current_exe().unwrap();
        let directory = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let path = directory.path().join("log");
        let mut file = GrowingFile::new(OpenOptions::new().append(true).create(true).open(&path).unwrap());
        let range = |number: u64| vec![u8::try_from(number).unwrap(); usize::try_from(RANGE_BYTES).unwrap()];
        let count = 2 * MIN_DROPPED_BYTES / RANGE_BYTES;
        for number in 0..count {
            file.write_all(&range(number)).unwrap();
            // What is not on the disk yet stays.
            file.file.sync_data().unwrap();
        }
        let reader = File::open(&path).unwrap();
        let began = Instant::now();
        while is_cached(&reader, MIN_DROPPED_BYTES / 2) {
            assert!(began.elapsed() < LIMIT, "the middle of the file is still in the page cache");
            std::thread::yield_now();
        }
        assert_eq!(file.length().unwrap(), count * RANGE_BYTES);
        let written: Vec<u8> = (0..count).flat_map(range).collect();
        assert!(std::fs::read(&path).unwrap() == written);
    }
}
