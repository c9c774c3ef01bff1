//! Unix sockets at paths of any length.
//!
//! A socket address holds 108 bytes; a home may lie deeper. The directory is opened, and the
//! socket is named through the descriptor.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Listens at `path`, replacing a socket that a dead process left there.
pub fn bind_listener(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let (_directory, short) = through_descriptor(path)?;
    UnixListener::bind(short)
}

/// Connects to the listener at `path`.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    let (_directory, short) = through_descriptor(path)?;
    UnixStream::connect(short)
}

fn through_descriptor(path: &Path) -> io::Result<(File, PathBuf)> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let directory = File::open(parent)?;
    let short = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name);
    Ok((directory, short))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_socket_works_deeper_than_an_address_can_name() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("d".repeat(120)).join("e".repeat(120));
        fs::create_dir_all(&deep).unwrap();
        let path = deep.join("control.sock");
        drop(bind_listener(&path).unwrap());
        let listener = bind_listener(&path).unwrap();
        connect(&path).unwrap().write_all(b"hello").unwrap();
        let mut heard = String::new();
        listener.accept().unwrap().0.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "hello");
    }
}
