//! Files of our own: made for their owner alone, replaced in one step, and read without waiting.
//!
//! The one rule: directories are 0700 and files 0600, because prompts and logs hold secrets.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;

/// A file or directory could not be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl FileError {
    /// Makes an error of a failed action on a path.
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self { action, path: path.into(), source }
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        let denied = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
        if denied.contains(&self.source.kind()) { ErrorCode::PermissionDenied } else { ErrorCode::Io }
    }
}

/// Creates a directory and its parents for its owner alone.
pub fn create_private_directory(path: &Path) -> Result<(), FileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| FileError::new("create the directory", path, source))
}

/// Opens a file for its owner alone, to be appended to.
pub fn open_for_append(path: &Path) -> Result<File, FileError> {
    let opened = regular(OpenOptions::new().create(true).append(true).mode(0o600), path);
    opened.map_err(|source| FileError::new("open", path, source))
}

/// Opens a file to be read. An agent can put a pipe in the place of a file of its run, on which opening would wait without
/// end: anything but a plain file is an error.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

/// Reads a plain file whole.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = vec![];
    open_to_read(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Reads a plain file of text whole.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_to_read(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Opens a plain file, and waits for nothing.
pub fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = options.custom_flags(no_wait).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Lets the names in a directory outlive a power cut.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}

/// Replaces a file in one step.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(directory)?;
        file.write_all(content)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| FileError::new("write", path, source))
}

/// Reads a file of the user's own: no link, no pipe, no other user's, and of at most `most` bytes.
pub fn read_private_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        let is_link = error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
        if is_link { io::Error::other("it is a symbolic link") } else { error }
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if metadata.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    let mut text = vec![];
    file.take(most + 1).read_to_end(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("it is too large: more than {most} bytes")));
    }
    Ok(text)
}
