//! Files below a directory, whose other files a stranger may have written.
//!
//! The one rule: no symbolic link is followed, no existing file is replaced, and no path leaves the directory.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, fchmod, ioctl_ficlone, linkat, mkdirat, open, openat, statat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;

/// Opens a directory, and nothing else, without following a link.
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A directory in which paths are resolved without following links.
#[derive(Debug)]
pub struct Beneath {
    top: OwnedFd,
}

/// What there is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file of so many bytes.
    File(u64),
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Beneath {
    /// Opens the directory, to which links may lead.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { top: open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())? })
    }

    /// What is at a path; `None` where there is nothing, or where a link or a file is in the place of a directory above it.
    pub fn look(&self, path: &Path) -> io::Result<Option<FileKind>> {
        let found = self.parent(path, Parents::Present).and_then(|(parent, name)| {
            let found = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => FileKind::File(u64::try_from(found.st_size).unwrap_or_default()),
                FileType::Directory => FileKind::Directory,
                FileType::Symlink => FileKind::Link,
                FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => FileKind::Other,
            })
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a regular file to be read.
    pub fn read(&self, path: &Path) -> io::Result<File> {
        let (parent, name) = self.parent(path, Parents::Present)?;
        // Without waiting for the writer of a pipe.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&parent, name, flags, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
    }

    /// Copies a file to a path where there is none, with its permissions; missing directories are made. The copy appears
    /// whole. Fails with [`io::ErrorKind::AlreadyExists`] where anything is there.
    pub fn copy(&self, source: &mut File, path: &Path) -> io::Result<u64> {
        use std::os::unix::fs::PermissionsExt;
        let (parent, name) = self.parent(path, Parents::Made)?;
        let permissions = Mode::from_raw_mode(source.metadata()?.permissions().mode() & 0o777);
        let unnamed = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match openat(&parent, ".", unnamed, Mode::from_raw_mode(0o600)) {
            Ok(copy) => {
                let mut copy = File::from(copy);
                let bytes = fill(source, &mut copy, permissions)?;
                let open = format!("/proc/self/fd/{}", copy.as_raw_fd());
                linkat(CWD, open, &parent, name, AtFlags::SYMLINK_FOLLOW)?;
                Ok(bytes)
            }
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {
                copy_named(source, parent.as_fd(), name, permissions)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a symbolic link where there is nothing; missing directories are made.
    pub fn link(&self, target: &Path, path: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(path, Parents::Made)?;
        Ok(symlinkat(target, &parent, name)?)
    }

    /// Where a symbolic link leads.
    pub fn target(&self, path: &Path) -> io::Result<std::path::PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        let (parent, name) = self.parent(path, Parents::Present)?;
        let target = rustix::fs::readlinkat(&parent, name, vec![])?;
        Ok(std::ffi::OsString::from_vec(target.into_bytes()).into())
    }

    /// Deletes a file or a link; what is not there needs nothing.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        let removed = self
            .parent(path, Parents::Present)
            .and_then(|(parent, name)| Ok(unlinkat(&parent, name, AtFlags::empty())?));
        match removed {
            Err(error) if !is_missing(&error) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Opens the directory that a path is in.
    fn parent<'a>(&self, path: &'a Path, parents: Parents) -> io::Result<(OwnedFd, &'a OsStr)> {
        let mut directory = openat(&self.top, ".", DIRECTORY, Mode::empty())?;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let Component::Normal(name) = component else { break };
            if components.peek().is_none() {
                return Ok((directory, name));
            }
            if parents == Parents::Made {
                match mkdirat(&directory, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            directory = openat(&directory, name, DIRECTORY, Mode::empty())?;
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leaves the directory"))
    }
}

/// Whether missing directories of a path are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parents {
    Present,
    Made,
}

/// Copies by a file with a name, where the file system has no files without one.
fn copy_named(source: &mut File, parent: BorrowedFd<'_>, name: &OsStr, permissions: Mode) -> io::Result<u64> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut copy = File::from(openat(parent, name, flags, Mode::from_raw_mode(0o600))?);
    fill(source, &mut copy, permissions).inspect_err(|_| {
        // The first error is the one to report.
        let _ = unlinkat(parent, name, AtFlags::empty());
    })
}

/// Copies content and permissions; by a reference to the same blocks where the file system can.
fn fill(source: &mut File, copy: &mut File, permissions: Mode) -> io::Result<u64> {
    let bytes = match ioctl_ficlone(&*copy, &*source) {
        Ok(()) => source.metadata()?.len(),
        Err(_) => io::copy(source, copy)?,
    };
    fchmod(&*copy, permissions)?;
    Ok(bytes)
}

/// Whether an error says that there is nothing at a path: a link in the place of a directory leads nowhere.
fn is_missing(error: &io::Error) -> bool {
    let missing = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP];
    missing.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_copy_has_content_and_permissions_and_replaces_nothing() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("source");
        fs::write(&source, "secret").unwrap();
        fs::set_permissions(&source, fs::Permissions::from_mode(0o640)).unwrap();
        let top = place.path().join("top");
        fs::create_dir(&top).unwrap();
        let beneath = Beneath::open(&top).unwrap();
        assert_eq!(beneath.copy(&mut File::open(&source).unwrap(), Path::new("a/b/.env")).unwrap(), 6);
        let copy = top.join("a/b/.env");
        assert_eq!(fs::read_to_string(&copy).unwrap(), "secret");
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o7777, 0o640);
        fs::write(&copy, "mine").unwrap();
        let again = beneath.copy(&mut File::open(&source).unwrap(), Path::new("a/b/.env")).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
        assert_eq!(fs::read_dir(top.join("a/b")).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn no_link_is_followed_and_no_path_leaves_the_directory() {
        let place = tempfile::tempdir().unwrap();
        let (top, outside) = (place.path().join("top"), place.path().join("outside"));
        fs::create_dir(&top).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "theirs").unwrap();
        symlink(&outside, top.join("away")).unwrap();
        symlink(outside.join("file"), top.join("link")).unwrap();
        let beneath = Beneath::open(&top).unwrap();
        let mut source = File::open(outside.join("file")).unwrap();
        for path in ["../outside/new", "/tmp/new", "away/new", "..", ".", "", "link/new"] {
            assert!(beneath.copy(&mut source, Path::new(path)).is_err(), "{path}");
            assert!(beneath.link(Path::new("/etc"), Path::new(path)).is_err(), "{path}");
            assert!(beneath.read(Path::new(path)).is_err(), "{path}");
        }
        assert!(beneath.copy(&mut source, Path::new("link")).is_err());
        assert!(beneath.read(Path::new("link")).is_err());
        assert_eq!(beneath.look(Path::new("link")).unwrap(), Some(FileKind::Link));
        assert_eq!(beneath.look(Path::new("away/file")).unwrap(), None);
        assert_eq!(beneath.look(Path::new("missing")).unwrap(), None);
        beneath.remove_file(Path::new("away/file")).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "theirs");
    }
}
