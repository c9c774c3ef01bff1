//! Reading a file by lines from any place in it, however large it is and while it grows.
//!
//! The one rule: what a page costs depends on its size, never on that of the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::home::open_to_read;

/// Whole lines of a file, and where they are in it.
///
/// They begin at a line's beginning and end after a newline. Only a line that is longer than a page comes in pieces, and
/// the last line may have no end yet, where [`PartialLine::Include`] asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FileWindow {
    /// Where they begin.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// What stands between the two.
    pub bytes: Vec<u8>,
}

/// Which lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowAt {
    /// The last lines there are.
    End,
    /// The lines that end at this offset.
    Before(u64),
    /// The lines that begin at this offset.
    After(u64),
}

/// What becomes of a last line that has no newline yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialLine {
    /// It belongs to the page.
    Include,
    /// It is left out until it is whole. One that is longer than a page comes in pieces all the same.
    Exclude,
}

/// Reads whole lines, at most `most` bytes of them. A line that is longer than `most` comes in pieces of `most`. A file
/// that is not there is an empty one, and an offset behind its end is its end.
pub fn read_window(path: &Path, place: WindowAt, most: usize, half: PartialLine) -> io::Result<FileWindow> {
    let file = match open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(FileWindow { start: 0, end: 0, bytes: vec![] });
        }
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    // A request for nothing would never progress.
    let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
    let mut lines = LineWindow { file, length, most };
    match (place, half) {
        (WindowAt::End, PartialLine::Include) => lines.before(length),
        (WindowAt::End, PartialLine::Exclude) => {
            let end = lines.end_of_whole_lines()?;
            lines.before(end)
        }
        (WindowAt::Before(offset), PartialLine::Include | PartialLine::Exclude) => lines.before(offset.min(length)),
        (WindowAt::After(offset), half) => lines.after(offset.min(length), half),
    }
}

struct LineWindow {
    file: File,
    /// The length at the start; what is written meanwhile belongs to another page.
    length: u64,
    most: u64,
}

impl LineWindow {
    fn before(&mut self, end: u64) -> io::Result<FileWindow> {
        let earliest = end.saturating_sub(self.most);
        // The byte before shows whether a line begins at the earliest place.
        let from = earliest.saturating_sub(1);
        let mut bytes = self.read(from, end)?;
        let whole = match earliest {
            0 => 0,
            _ => after_first_newline(&bytes).filter(|at| *at < bytes.len()).unwrap_or(1),
        };
        bytes.drain(..whole.min(bytes.len()));
        Ok(FileWindow { start: end.saturating_sub(bytes.len() as u64), end, bytes })
    }

    fn after(&mut self, start: u64, half: PartialLine) -> io::Result<FileWindow> {
        let latest = start.saturating_add(self.most).min(self.length);
        let mut bytes = self.read(start, latest)?;
        let whole = match (after_last_newline(&bytes), half) {
            (_, PartialLine::Include) if latest == self.length => bytes.len(),
            (Some(end), PartialLine::Include | PartialLine::Exclude) => end,
            (None, PartialLine::Exclude) if latest == self.length => 0,
            (None, PartialLine::Include | PartialLine::Exclude) => bytes.len(),
        };
        bytes.truncate(whole);
        Ok(FileWindow { start, end: start.saturating_add(bytes.len() as u64), bytes })
    }

    /// Where the last line ends that has an end. Half a line that is longer than a page counts as one: to find its
    /// beginning could mean to read the whole file.
    fn end_of_whole_lines(&mut self) -> io::Result<u64> {
        let from = self.length.saturating_sub(self.most).saturating_sub(1);
        let bytes = self.read(from, self.length)?;
        Ok(match after_last_newline(&bytes) {
            Some(at) => from.saturating_add(at as u64),
            None if from == 0 && bytes.len() as u64 <= self.most => 0,
            None => self.length,
        })
    }

    /// The bytes between two offsets. A file that was truncated meanwhile is read again by the next request.
    fn read(&mut self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![];
        self.file.seek(SeekFrom::Start(from))?;
        Read::by_ref(&mut self.file).take(to.saturating_sub(from)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == to.saturating_sub(from) {
            true => Ok(bytes),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        }
    }
}

fn after_first_newline(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1)
}

fn after_last_newline(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    const MEGABYTE: usize = 1024 * 1024;

    fn file(content: &[u8]) -> (TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, content).unwrap();
        (directory, path)
    }

    #[track_caller]
    fn shows(content: &str, place: WindowAt, most: usize, half: PartialLine, start: u64, bytes: &str) {
        let (_directory, path) = file(content.as_bytes());
        let page = read_window(&path, place, most, half).unwrap();
        assert_eq!((page.start, String::from_utf8(page.bytes).unwrap().as_str()), (start, bytes));
        assert_eq!(page.end, start + bytes.len() as u64);
    }

    #[test]
    fn a_file_that_is_not_there_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        for place in [WindowAt::End, WindowAt::Before(7), WindowAt::After(7)] {
            let page = read_window(&directory.path().join("none"), place, 10, PartialLine::Include).unwrap();
            assert_eq!(page, FileWindow { start: 0, end: 0, bytes: vec![] });
        }
        assert!(
            read_window(directory.path(), WindowAt::End, 10, PartialLine::Include).is_err(),
            "a directory has no lines"
        );
    }

    #[test]
    fn the_end_is_the_last_whole_lines_that_fit() {
        shows("one\ntwo\nsix\n", WindowAt::End, 100, PartialLine::Exclude, 0, "one\ntwo\nsix\n");
        shows("one\ntwo\nsix\n", WindowAt::End, 9, PartialLine::Exclude, 4, "two\nsix\n");
        shows("one\ntwo\nsix\n", WindowAt::End, 8, PartialLine::Exclude, 4, "two\nsix\n");
        shows("one\ntwo\nsix\n", WindowAt::End, 7, PartialLine::Exclude, 8, "six\n");
        shows("", WindowAt::End, 7, PartialLine::Include, 0, "");
    }

    #[test]
    fn half_a_line_is_kept_or_left() {
        shows("one\ntwo\nsi", WindowAt::End, 100, PartialLine::Exclude, 0, "one\ntwo\n");
        shows("one\ntwo\nsi", WindowAt::End, 100, PartialLine::Include, 0, "one\ntwo\nsi");
        shows("one\ntwo\nsi", WindowAt::End, 6, PartialLine::Include, 4, "two\nsi");
        shows("one\ntwo\nsi", WindowAt::After(4), 100, PartialLine::Exclude, 4, "two\n");
        shows("one\ntwo\nsi", WindowAt::After(4), 100, PartialLine::Include, 4, "two\nsi");
        shows("one\ntwo\nsi", WindowAt::After(8), 100, PartialLine::Exclude, 8, "");
        shows("one\ntwo\nsi", WindowAt::After(8), 100, PartialLine::Include, 8, "si");
        shows("si", WindowAt::End, 2, PartialLine::Exclude, 0, "");
    }

    #[test]
    fn lines_before_and_after_an_offset() {
        shows("one\ntwo\nsix\n", WindowAt::Before(8), 100, PartialLine::Exclude, 0, "one\ntwo\n");
        shows("one\ntwo\nsix\n", WindowAt::Before(8), 6, PartialLine::Exclude, 4, "two\n");
        shows("one\ntwo\nsix\n", WindowAt::Before(0), 6, PartialLine::Exclude, 0, "");
        shows("one\ntwo\nsix\n", WindowAt::After(4), 6, PartialLine::Exclude, 4, "two\n");
        shows("one\ntwo\nsix\n", WindowAt::After(12), 6, PartialLine::Exclude, 12, "");
        shows("one\n", WindowAt::After(99), 6, PartialLine::Exclude, 4, "");
        shows("one\n", WindowAt::Before(99), 6, PartialLine::Exclude, 0, "one\n");
    }

    #[test]
    fn a_line_that_is_too_long_comes_in_pieces() {
        shows("a\n123456789\n", WindowAt::End, 4, PartialLine::Exclude, 8, "789\n");
        shows("a\n123456789\n", WindowAt::Before(8), 4, PartialLine::Exclude, 4, "3456");
        shows("a\n123456789\n", WindowAt::Before(4), 4, PartialLine::Exclude, 0, "a\n12");
        shows("a\n123456789\n", WindowAt::After(2), 4, PartialLine::Exclude, 2, "1234");
        shows("a\n123456789\n", WindowAt::After(6), 4, PartialLine::Exclude, 6, "5678");
        shows("a\n123456789\n", WindowAt::After(10), 4, PartialLine::Exclude, 10, "9\n");
        shows("a\n1234567", WindowAt::End, 4, PartialLine::Exclude, 5, "4567");
        shows("one\n", WindowAt::End, 0, PartialLine::Exclude, 3, "\n");
    }

    #[test]
    fn a_file_without_any_line_is_no_more_work_than_a_page() {
        let (_directory, path) = file(b"");
        // It holds nothing but NUL bytes, and takes no space.
        let length = 100_000 * MEGABYTE as u64;
        File::options().write(true).open(&path).unwrap().set_len(length).unwrap();
        for half in [PartialLine::Include, PartialLine::Exclude] {
            let last = read_window(&path, WindowAt::End, MEGABYTE, half).unwrap();
            assert_eq!((last.end, last.bytes.len()), (length, MEGABYTE));
            let before = read_window(&path, WindowAt::Before(last.start), MEGABYTE, half).unwrap();
            assert_eq!((before.end, before.bytes.len()), (last.start, MEGABYTE));
            let first = read_window(&path, WindowAt::After(0), MEGABYTE, half).unwrap();
            assert_eq!((first.start, first.bytes.len()), (0, MEGABYTE));
        }
    }

    fn content() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop_oneof![2 => any::<u8>(), 1 => Just(b'\n')], 0..300)
    }

    fn halves() -> impl Strategy<Value = PartialLine> {
        prop_oneof![Just(PartialLine::Include), Just(PartialLine::Exclude)]
    }

    /// A page begins and ends where lines do, unless a line is too long for it.
    fn is_in_order(page: &FileWindow, content: &[u8], most: usize) -> bool {
        let (start, end) = (usize::try_from(page.start).unwrap(), usize::try_from(page.end).unwrap());
        let begins = start == 0 || content[start - 1] == b'\n' || page.bytes.len() == most;
        content[start..end] == page.bytes && page.bytes.len() <= most && begins
    }

    proptest! {
        #[test]
        fn backwards_the_pages_are_the_file(content in content(), most in 1usize..60, half in halves()) {
            let (_directory, path) = file(&content);
            let last = read_window(&path, WindowAt::End, most, half).unwrap();
            let whole_lines = after_last_newline(&content).unwrap_or(0);
            match half {
                PartialLine::Exclude if content.len() - whole_lines <= most => prop_assert_eq!(last.end, whole_lines as u64),
                PartialLine::Include | PartialLine::Exclude => prop_assert_eq!(last.end, content.len() as u64),
            }
            let mut seen = last.bytes.clone();
            let mut start = last.start;
            prop_assert!(is_in_order(&last, &content, most));
            while start > 0 {
                let page = read_window(&path, WindowAt::Before(start), most, half).unwrap();
                prop_assert!(is_in_order(&page, &content, most));
                prop_assert_eq!(page.end, start);
                prop_assert!(page.start < start);
                start = page.start;
                seen.splice(0..0, page.bytes);
            }
            prop_assert_eq!(seen.as_slice(), &content[..usize::try_from(last.end).unwrap()]);
        }

        #[test]
        fn forwards_the_pages_are_the_file(content in content(), most in 1usize..60, half in halves()) {
            let (_directory, path) = file(&content);
            let mut seen = vec![];
            loop {
                let page = read_window(&path, WindowAt::After(seen.len() as u64), most, half).unwrap();
                prop_assert_eq!(page.start, seen.len() as u64);
                prop_assert!(page.bytes.len() <= most);
                if page.bytes.is_empty() {
                    break;
                }
                let end = usize::try_from(page.end).unwrap();
                let whole = page.bytes.ends_with(b"\n") || page.bytes.len() == most || end == content.len();
                prop_assert!(whole, "{:?}", page);
                seen.extend(page.bytes);
            }
            let rest = &content[seen.len()..];
            prop_assert_eq!(seen.as_slice(), &content[..seen.len()]);
            match half {
                PartialLine::Include => prop_assert!(rest.is_empty()),
                PartialLine::Exclude => prop_assert!(!rest.contains(&b'\n') && rest.len() <= most),
            }
        }

        #[test]
        fn what_grows_is_read_on_where_it_ended(content in content(), cut in any::<prop::sample::Index>()) {
            let (_directory, path) = file(&content[..cut.index(content.len() + 1)]);
            let first = read_window(&path, WindowAt::After(0), 1000, PartialLine::Exclude).unwrap();
            std::fs::write(&path, &content).unwrap();
            let second = read_window(&path, WindowAt::After(first.end), 1000, PartialLine::Exclude).unwrap();
            let whole_lines = after_last_newline(&content).unwrap_or(0);
            let seen = [first.bytes, second.bytes].concat();
            prop_assert_eq!(seen.as_slice(), &content[..whole_lines]);
        }
    }
}
