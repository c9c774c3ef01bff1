//! The directory of a workspace in which a command runs.
//!
//! The one rule: it is looked up when the command starts, and lies in the workspace, whatever links an agent made there.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

/// An open directory in a workspace.
#[derive(Debug)]
pub(super) enum Workdir {
    /// The directory itself, which cannot be exchanged any more.
    Open(OwnedFd),
    /// Its path without links, where the system cannot open a directory below another.
    Path(PathBuf),
}

impl Workdir {
    /// Looks up a directory of a workspace.
    pub(super) fn open(workspace: &Path, directory: Option<&str>) -> io::Result<Self> {
        let directory = directory.filter(|directory| !directory.is_empty()).unwrap_or(".");
        let outside = || io::Error::other("it is outside of the workspace");
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(File::open(workspace)?, directory, flags, Mode::empty(), resolve) {
            Ok(found) => Ok(Self::Open(found)),
            Err(Errno::XDEV) => Err(outside()),
            Err(Errno::NOSYS | Errno::PERM) => {
                let found = fs::canonicalize(workspace.join(directory))?;
                if found.starts_with(fs::canonicalize(workspace)?) { Ok(Self::Path(found)) } else { Err(outside()) }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A path that leads a child process there, as long as this value lives.
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::Open(found) => PathBuf::from(format!("/proc/self/fd/{}", found.as_raw_fd())),
            Self::Path(path) => path.clone(),
        }
    }
}
