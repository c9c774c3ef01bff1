//! Writes files inside one directory.
//!
//! The one rule: no part of a path may be a symbolic link, and that holds at the moment of writing, because each folder
//! is opened from the one above it.

use super::ScriptError;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// Where in a file a text goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Placement {
    /// In place of all there is.
    Replace,
    /// After all there is.
    End,
}

/// Why a file was not written.
#[derive(Debug)]
pub(super) enum PlacementError {
    Outside,
    Io(io::Error),
}

impl PlacementError {
    /// The error of the directive on that line.
    pub(super) fn at(self, line: usize, path: &Path) -> ScriptError {
        let path = path.to_owned();
        match self {
            Self::Outside => ScriptError::OutsideDirectory { line, path },
            Self::Io(source) => ScriptError::File { line, path, source },
        }
    }
}

impl From<Errno> for PlacementError {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// Puts a text into a file, making the folders it needs.
pub(super) fn put(directory: &Path, path: &Path, text: &str, placement: Placement) -> Result<(), PlacementError> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(PlacementError::Outside),
        }
    }
    let Some((name, folders)) = names.split_last() else {
        return Err(Errno::ISDIR.into());
    };
    let mut folder = openat(CWD, directory, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for name in folders {
        folder = open_folder(&folder, name)?;
    }
    open_file(&folder, name, placement)?.write_all(text.as_bytes()).map_err(PlacementError::Io)
}

fn open_folder(parent: &OwnedFd, name: &OsStr) -> Result<OwnedFd, PlacementError> {
    match mkdirat(parent, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty()).map_err(|errno| explain(parent, name, errno))
}

fn open_file(parent: &OwnedFd, name: &OsStr, placement: Placement) -> Result<File, PlacementError> {
    let placed = match placement {
        Placement::Replace => OFlags::TRUNC,
        Placement::End => OFlags::APPEND,
    };
    // Without NONBLOCK a named pipe would block the open.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | placed;
    let file = openat(parent, name, flags, Mode::from_raw_mode(0o666)).map_err(|errno| explain(parent, name, errno))?;
    let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(PlacementError::Io(io::Error::other("it is not a regular file")));
    }
    Ok(File::from(file))
}

/// The operating systems disagree on the error for a symbolic link, so the link itself is looked at.
fn explain(parent: &OwnedFd, name: &OsStr, errno: Errno) -> PlacementError {
    match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) if FileType::from_raw_mode(status.st_mode) == FileType::Symlink => PlacementError::Outside,
        Ok(_) | Err(_) => errno.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn write(directory: &Path, path: &str, placement: Placement) -> Result<(), PlacementError> {
        put(directory, Path::new(path), "text\n", placement)
    }

    #[test]
    fn folders_are_made_and_files_replaced_or_continued() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a/b/c");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "much longer than before\n").unwrap();
        write(directory.path(), "a/./b/c", Placement::Replace).unwrap();
        write(directory.path(), "a/b/c", Placement::End).unwrap();
        write(directory.path(), "new/d", Placement::End).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "text\ntext\n");
        assert_eq!(fs::read_to_string(directory.path().join("new/d")).unwrap(), "text\n");
    }

    #[test]
    fn a_symbolic_link_is_refused_wherever_it_stands() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("file");
        fs::write(&target, "untouched").unwrap();
        symlink(outside.path(), directory.path().join("folder")).unwrap();
        symlink(&target, directory.path().join("file")).unwrap();
        symlink(outside.path().join("missing"), directory.path().join("dangling")).unwrap();
        for path in ["folder/file", "folder/new/file", "file", "dangling", "../file"] {
            let refused = write(directory.path(), path, Placement::End);
            assert!(matches!(refused, Err(PlacementError::Outside)), "{path}: {refused:?}");
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "untouched");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("folder")).unwrap();
        for path in ["folder", "."] {
            assert!(matches!(write(directory.path(), path, Placement::Replace), Err(PlacementError::Io(_))), "{path}");
        }
    }
}
