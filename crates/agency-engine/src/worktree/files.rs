//! Puts files of the checkout into a worktree.

use std::io;
use std::path::{Path, PathBuf};

use agency_model::escaped_line;
use agency_system::beneath::{Beneath, FileKind};
use agency_system::fault;
use agency_workspace::{WorkspaceError, exclude_path};
use rustix::io::Errno;

use super::{PlannedLink, Selection, WorktreeSettings, select};

/// Copies and links what the settings name, as far as nothing is in its place. Returns what the user should know.
pub(crate) fn place_files(
    checkout: &Path,
    worktree: &Path,
    settings: &WorktreeSettings,
) -> Result<(Vec<PathBuf>, Vec<String>), WorkspaceError> {
    let Selection { copies, links, mut warnings } = select(checkout, settings)?;
    let open = |path: &Path| {
        Beneath::open(path).map_err(|source| WorkspaceError::Io { action: "open", path: path.to_owned(), source })
    };
    let (from, to) = (open(checkout)?, open(worktree)?);
    let mut copied = vec![];
    for file in copies {
        let copy = from.read(&file.path).and_then(|mut source| to.copy(&mut source, &file.path));
        fault::point("setup.copied");
        match copy {
            Ok(_) => copied.push(file.path),
            // A tracked file, or one of an earlier preparation.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => warnings.push(format!("copy: {}", failed(&file.path, &error))),
        }
    }
    for link in links {
        match make_link(checkout, &to, &link)? {
            Ok(()) => {}
            Err(why) => warnings.push(format!("link: {why}")),
        }
        fault::point("setup.linked");
    }
    Ok((copied, warnings))
}

/// Makes a link, or says why there is none.
fn make_link(checkout: &Path, to: &Beneath, link: &PlannedLink) -> Result<Result<(), String>, WorkspaceError> {
    match to.look(&link.path) {
        Ok(None) => {}
        Ok(Some(FileKind::Link)) if to.target(&link.path).is_ok_and(|target| target == link.target) => {
            return Ok(Ok(()));
        }
        Ok(Some(_)) => return Ok(Err(format!("{} is in the worktree already", shown(&link.path)))),
        Err(error) => return Ok(Err(failed(&link.path, &error))),
    }
    // Before there is a link that could be committed.
    exclude_path(checkout, &link.path)?;
    Ok(to.link(&link.target, &link.path).map_err(|error| failed(&link.path, &error)))
}

/// Deletes what would be copied again from a tree of agency's own, so that newer files take its place.
pub(crate) fn remove_copies(
    checkout: &Path,
    worktree: &Path,
    settings: &WorktreeSettings,
) -> Result<(), WorkspaceError> {
    let Selection { copies, .. } = select(checkout, settings)?;
    let failed = |source| WorkspaceError::Io { action: "delete copies in", path: worktree.to_owned(), source };
    let top = match Beneath::open(worktree) {
        Ok(top) => top,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    // What has another thing in its place is not a copy, and is reported when it is copied.
    copies.iter().try_for_each(|file| match top.look(&file.path) {
        Ok(Some(FileKind::File(_))) => top.remove_file(&file.path).map_err(failed),
        Ok(_) | Err(_) => Ok(()),
    })
}

fn failed(path: &Path, error: &io::Error) -> String {
    let blocked = [Errno::LOOP, Errno::NOTDIR].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
    let why =
        if blocked { "a link or a file is in the place of a directory above it".to_owned() } else { error.to_string() };
    format!("{}: {why}", shown(path))
}

fn shown(path: &Path) -> String {
    escaped_line(&path.display().to_string())
}
