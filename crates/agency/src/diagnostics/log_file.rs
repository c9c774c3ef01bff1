//! A file of diagnostics that cannot grow without limit.
//!
//! The one rule: whatever happens to the file, the program continues. What cannot be written is lost.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use agency_engine::home::open_for_append;

/// A file that would become longer is renamed first, and replaces the older one.
const MAX_BYTES: u64 = 1024 * 1024;

/// Appends lines to a file that other processes may append to as well.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    file: Option<File>,
    /// Whether the last line was not written to its end.
    is_torn: bool,
}

impl LogFile {
    /// The file at a path, which is made when there is something to write.
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, max_bytes: MAX_BYTES, file: None, is_torn: false }
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(open(&self.path)?);
        }
        if let Some(file) = &self.file
            && file.metadata()?.len() + line.len() as u64 > self.max_bytes
        {
            rotate(file, &self.path)?;
            self.file = Some(open(&self.path)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if self.is_torn {
            file.write_all(b"\n")?;
        }
        self.is_torn = true;
        file.write_all(line)?;
        self.is_torn = false;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.append(line).is_err() {
            // The next line looks for a file that can be written.
            self.file = None;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    open_for_append(path).map_err(|error| error.source)
}

/// Renames a file that is full, unless another process has done so.
fn rotate(file: &File, path: &Path) -> io::Result<()> {
    if file.try_lock().is_err() {
        // Another process is at it.
        return Ok(());
    }
    let (own, found) = (file.metadata()?, path.symlink_metadata()?);
    if (own.dev(), own.ino()) == (found.dev(), found.ino()) {
        std::fs::rename(path, older(path))?;
    }
    file.unlock()
}

/// Where the older file is kept.
fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn small(path: &Path) -> LogFile {
        LogFile { max_bytes: 20, ..LogFile::new(path.to_owned()) }
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_full_file_is_renamed_and_one_older_file_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.log");
        // Two processes write to it.
        let mut files = [small(&path), small(&path)];
        for number in 0..6 {
            files[number % 2].write_all(format!("line {number} 89\n").as_bytes()).unwrap();
        }
        // Two lines fill a file; the first two are lost.
        assert_eq!(text(&path), "line 4 89\nline 5 89\n");
        assert_eq!(text(&older(&path)), "line 2 89\nline 3 89\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        for path in [path.clone(), older(&path)] {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_costs_lines_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("later/a.log");
        let mut file = small(&path);
        file.write_all(b"lost\n").unwrap();
        fs::create_dir(path.parent().unwrap()).unwrap();
        file.write_all(b"kept\n").unwrap();
        assert_eq!(text(&path), "kept\n");
        // Neither a directory nor a device is written to.
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        small(&path).write_all(b"lost\n").unwrap();
        small(directory.path()).write_all(b"lost\n").unwrap();
    }
}
