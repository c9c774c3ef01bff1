//! Files that may still grow: reading on from an offset, their last bytes, and their last line of a kind.
//!
//! The one rule: a file that does not exist yet is an empty one for [`Tail`], which opens it when it is there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::home::open_to_read;

/// One read takes at most this much.
const READ_BYTES: usize = 256 * 1024;
/// How much of the end of a file is searched first; each further search takes eight times as much.
const FIRST_WINDOW_BYTES: u64 = 64 * 1024;

/// A file that may still grow, and how far it has been read.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    file: Option<File>,
}

impl Tail {
    /// Begins at `offset` of a file that need not exist yet.
    pub fn at(path: &Path, offset: u64) -> io::Result<Self> {
        let mut tail = Self { path: path.to_owned(), file: None };
        if let Some(file) = tail.open()? {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(tail)
    }

    /// Which file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands over in pieces what the file holds now and was not read yet.
    pub fn read(&mut self, each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.read_to(u64::MAX, each)
    }

    /// The same, up to this offset of the file.
    pub(crate) fn read_to(&mut self, end: u64, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut buffer = vec![];
        loop {
            let Some(file) = self.open()? else { return Ok(()) };
            let left = end.saturating_sub(file.stream_position()?);
            buffer.resize(usize::try_from(left).unwrap_or(READ_BYTES).min(READ_BYTES), 0);
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                length => each(buffer.get(..length).unwrap_or_default())?,
            }
        }
    }

    /// One piece of what was not read yet; empty at the end of the file.
    pub(crate) fn read_piece<'buffer>(&mut self, buffer: &'buffer mut Vec<u8>) -> io::Result<&'buffer [u8]> {
        buffer.resize(READ_BYTES, 0);
        let length = match self.open()? {
            Some(file) => file.read(buffer)?,
            None => 0,
        };
        Ok(buffer.get(..length).unwrap_or_default())
    }

    fn open(&mut self) -> io::Result<Option<&mut File>> {
        if self.file.is_none() {
            self.file = match open_to_read(&self.path) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
        }
        Ok(self.file.as_mut())
    }
}

/// The last bytes of a file, at most `most`, and none before the offset `from`.
pub fn last_bytes(path: &Path, from: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open_to_read(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(from.max(end.saturating_sub(most))))?;
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What `find` makes of the last line that it takes, searched from the end. A last line without a newline is left out.
pub fn find_last_line<T>(path: &Path, find: impl Fn(&str) -> Option<T>) -> io::Result<Option<T>> {
    let mut file = open_to_read(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let mut window = FIRST_WINDOW_BYTES;
    loop {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![];
        Read::by_ref(&mut file).take(length - start).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        // The first line may have lost its beginning.
        let whole = if start == 0 { whole } else { whole.split_once('\n').map_or("", |(_, rest)| rest) };
        let found = whole.lines().rev().find_map(&find);
        if found.is_some() || start == 0 {
            return Ok(found);
        }
        window = window.saturating_mul(8);
    }
}

/// Where the last lines of a file begin.
pub fn offset_of_last_lines(path: &Path, lines: usize) -> io::Result<u64> {
    let mut file = match open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let length = file.seek(SeekFrom::End(0))?;
    if lines == 0 {
        return Ok(length);
    }
    let mut end = length;
    let mut missing = lines;
    while end > 0 {
        let start = end.saturating_sub(FIRST_WINDOW_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut window = vec![];
        Read::by_ref(&mut file).take(end - start).read_to_end(&mut window)?;
        for (index, byte) in window.iter().enumerate().rev() {
            let offset = start + index as u64;
            // The newline that ends the file ends a line, it does not begin one.
            if *byte == b'\n' && offset + 1 < length {
                missing = missing.saturating_sub(1);
                if missing == 0 {
                    return Ok(offset + 1);
                }
            }
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_tail_reads_on_in_a_file_that_comes_later() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut tail = Tail::at(&path, 0).unwrap();
        let read = |tail: &mut Tail| {
            let mut bytes = vec![];
            let keep = |piece: &[u8]| {
                bytes.extend_from_slice(piece);
                Ok(())
            };
            tail.read(keep).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(read(&mut tail), "");
        std::fs::write(&path, "one").unwrap();
        assert_eq!(read(&mut tail), "one");
        File::options().append(true).open(&path).unwrap().write_all(b"two").unwrap();
        assert_eq!((read(&mut tail), read(&mut tail)), ("two".to_owned(), String::new()));
        assert_eq!(read(&mut Tail::at(&path, 4).unwrap()), "wo");
    }

    #[test]
    fn the_last_bytes_begin_at_the_offset_or_fill_the_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "0123456789").unwrap();
        let last = |from, most| String::from_utf8(last_bytes(file.path(), from, most).unwrap()).unwrap();
        assert_eq!(
            (last(0, 3), last(8, 3), last(0, 99), last(99, 3)),
            ("789".into(), "89".into(), "0123456789".into(), String::new())
        );
        assert!(last_bytes(Path::new("/nowhere"), 0, 1).is_err());
    }

    #[test]
    fn the_last_line_is_found_however_far_from_the_end_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let long = "x".repeat(3 * usize::try_from(FIRST_WINDOW_BYTES).unwrap());
        for (content, expected) in [
            ("a1\na2\nb\n".to_owned(), Some("a2")),
            ("a1\na2".to_owned(), Some("a1")),
            (format!("a1\n{long}\nb\n"), Some("a1")),
            (format!("{long}a1"), None),
            (String::new(), None),
        ] {
            std::fs::write(file.path(), &content).unwrap();
            let found = find_last_line(file.path(), |line| line.starts_with('a').then(|| line.to_owned())).unwrap();
            assert_eq!(found.as_deref(), expected);
        }
    }

    #[test]
    fn the_last_lines_begin_where_they_begin() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "one\ntwo\nthree\n").unwrap();
        let offset = |lines| offset_of_last_lines(file.path(), lines).unwrap();
        assert_eq!([offset(0), offset(1), offset(2), offset(3), offset(9)], [14, 8, 4, 0, 0]);
        std::fs::write(file.path(), "one\ntwo").unwrap();
        assert_eq!(offset_of_last_lines(file.path(), 1).unwrap(), 4);
    }
}
