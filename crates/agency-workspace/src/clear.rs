//! Deletes a directory with all that is in it, and nothing that a link in it leads to.
//!
//! The one rule: every name is looked up in an open directory, and no link is ever followed. What lies deep is brought
//! up first, so that neither the depth of a tree nor the length of its paths matters.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, chmod, fstat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// A process that fills a directory faster than it is emptied does not delay the removal for ever.
const CLEAR_TIMEOUT: Duration = Duration::from_secs(60);

/// Deletes the directory. One that is gone, or disappears meanwhile, is not an error.
pub(super) fn clear(directory: &Path) -> io::Result<()> {
    let name = CString::new(directory.as_os_str().as_encoded_bytes())?;
    let root = match open_up(&CWD, &name) {
        Ok(root) => root,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut clearing = Clearing { device: fstat(&root)?.st_dev, root, brought_up: 0 };
    let deadline = Instant::now() + CLEAR_TIMEOUT;
    while clearing.round()? {
        if Instant::now() > deadline {
            return Err(io::Error::other("files were added while it was being deleted"));
        }
    }
    gone(unlinkat(CWD, &name, AtFlags::REMOVEDIR)).map_err(io::Error::from)
}

struct Clearing {
    root: OwnedFd,
    device: u64,
    brought_up: u64,
}

impl Clearing {
    /// Deletes the files at the top, and brings up what is in its directories; returns whether anything was there.
    fn round(&mut self) -> io::Result<bool> {
        let names = names_in(&self.root)?;
        for name in &names {
            match kind_of(&self.root, name) {
                Err(Errno::NOENT) => {}
                Ok(FileType::Directory) => self.empty(name)?,
                Ok(_) => gone(unlinkat(&self.root, name, AtFlags::empty()))?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(!names.is_empty())
    }

    /// Empties a directory at the top and deletes it; the directories in it become ones at the top.
    fn empty(&mut self, name: &CStr) -> io::Result<()> {
        let directory = match open_up(&self.root, name) {
            Ok(directory) => directory,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if fstat(&directory)?.st_dev != self.device {
            return Err(io::Error::other("another file system is mounted in it"));
        }
        for inner in names_in(&directory)? {
            match kind_of(&directory, &inner) {
                Err(Errno::NOENT) => {}
                Ok(FileType::Directory) => self.bring_up(&directory, &inner)?,
                Ok(_) => gone(unlinkat(&directory, &inner, AtFlags::empty()))?,
                Err(error) => return Err(error.into()),
            }
        }
        match gone(unlinkat(&self.root, name, AtFlags::REMOVEDIR)) {
            // Filled again meanwhile: the next round empties it.
            Err(Errno::NOTEMPTY) => Ok(()),
            other => Ok(other?),
        }
    }

    fn bring_up(&mut self, from: &OwnedFd, name: &CStr) -> io::Result<()> {
        // To be moved, a directory has to be writable itself.
        match open_up(from, name) {
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        loop {
            self.brought_up += 1;
            let top = CString::new(format!("brought-up-{}", self.brought_up))?;
            match gone(renameat(from, name, &self.root, &top)) {
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                other => return Ok(other?),
            }
        }
    }
}

/// Opens a directory for its owner, whatever its mode is. A link is not followed and is an error.
fn open_up(at: &impl std::os::fd::AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    let path = openat(at, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    // By its descriptor: between a look and a change by name, another could take its place. Without permission
    // to chmod, deletion may still succeed.
    let _ = chmod(format!("/proc/self/fd/{}", path.as_raw_fd()), Mode::RWXU);
    openat(&path, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

fn names_in(directory: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = vec![];
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if ![c".", c".."].contains(&entry.file_name()) {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

fn kind_of(directory: &OwnedFd, name: &CStr) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode))
}

/// What is gone already needs no deleting.
fn gone(done: Result<(), Errno>) -> Result<(), Errno> {
    match done {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    // proves A7
    #[test]
    fn what_links_lead_to_stays_and_everything_else_goes() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("source");
        fs::create_dir_all(source.join("deep")).unwrap();
        fs::write(source.join("deep/file"), "kept").unwrap();
        let doomed = place.path().join("doomed");
        fs::create_dir_all(doomed.join("a/b/c")).unwrap();
        for (target, link) in [
            (source.clone(), "source"),
            (source.join("deep/file"), "file"),
            (place.path().to_owned(), "parent"),
            (doomed.clone(), "a/loop"),
            (doomed.join("a/b/self"), "a/b/self"),
            ("/nowhere".into(), "a/dangling"),
        ] {
            symlink(target, doomed.join(link)).unwrap();
        }
        fs::write(doomed.join("a/b/c/file"), "x").unwrap();
        fs::set_permissions(doomed.join("a/b/c"), fs::Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(doomed.join("a/b"), fs::Permissions::from_mode(0o500)).unwrap();
        fs::set_permissions(&doomed, fs::Permissions::from_mode(0o500)).unwrap();
        clear(&doomed).unwrap();
        assert!(!doomed.exists());
        assert_eq!(fs::read_to_string(source.join("deep/file")).unwrap(), "kept");
        clear(&doomed).unwrap();
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_cleared() {
        let place = tempfile::tempdir().unwrap();
        let doomed = place.path().join("doomed");
        fs::create_dir(&doomed).unwrap();
        let name = CString::new("x".repeat(200)).unwrap();
        let mut here = open_up(&CWD, &CString::new(doomed.to_str().unwrap()).unwrap()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&here, &name, Mode::RWXU).unwrap();
            here = open_up(&here, &name).unwrap();
        }
        clear(&doomed).unwrap();
        assert!(!doomed.exists());
    }

    #[test]
    fn a_link_in_the_place_of_the_directory_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("kept")).unwrap();
        fs::write(place.path().join("kept/file"), "x").unwrap();
        symlink(place.path().join("kept"), place.path().join("doomed")).unwrap();
        assert!(clear(&place.path().join("doomed")).is_err());
        assert!(place.path().join("kept/file").exists());
    }
}
