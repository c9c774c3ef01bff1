//! Where scratch directories are made, and where old ones may be.
//!
//! The one rule: only the user can write to the parent of a scratch directory, because agents read settings from it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::home::{Home, HomeError};

/// The directory of ours below the user's runtime directory.
const ROOT_NAME: &str = "agency";

/// Makes the directory in which a scratch directory can be made: below the user's runtime directory, or in the home.
#[expect(clippy::disallowed_methods, reason = "the user's runtime directory is in the environment")]
pub(crate) fn scratch_place(home: &Home) -> Result<PathBuf, HomeError> {
    let runtime = runtime_directory(std::env::var_os("XDG_RUNTIME_DIR"));
    if let Some(place) = runtime.and_then(|directory| private_below(&directory)) {
        return Ok(place);
    }
    let place = home.scratch();
    let unusable = |source| HomeError::new("use the directory", &place, source);
    home.ensure()?;
    make_private(&place).map_err(unusable)?;
    Ok(place)
}

/// Every directory that may hold scratch directories, those of earlier versions and of other sessions included.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the user's runtime directory is in the environment")]
pub(crate) fn scratch_places(home: &Home) -> Vec<PathBuf> {
    let of_system = PathBuf::from(format!("/run/user/{}", geteuid().as_raw()));
    let mut places = vec![home.scratch()];
    places.extend(runtime_directory(std::env::var_os("XDG_RUNTIME_DIR")).map(|directory| directory.join(ROOT_NAME)));
    places.push(of_system.join(ROOT_NAME));
    places.push(std::env::temp_dir());
    places.dedup();
    places
}

/// The runtime directory, if it is a directory of the user's alone.
fn runtime_directory(value: Option<OsString>) -> Option<PathBuf> {
    let directory = PathBuf::from(value?);
    (directory.is_absolute() && is_private(&directory)).then_some(directory)
}

fn private_below(runtime: &Path) -> Option<PathBuf> {
    let place = runtime.join(ROOT_NAME);
    make_private(&place).ok().map(|()| place)
}

fn make_private(place: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(place) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let found = place.symlink_metadata()?;
    if !found.is_dir() || found.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it is not a directory of yours"));
    }
    if found.mode() & 0o777 != 0o700 {
        fs::set_permissions(place, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn is_private(directory: &Path) -> bool {
    let found = directory.symlink_metadata();
    found.is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o777 == 0o700)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_runtime_directory_that_others_can_write_or_that_is_a_link_is_not_used() {
        let world = tempfile::tempdir().unwrap();
        let (private, open, link) = (world.path().join("p"), world.path().join("o"), world.path().join("l"));
        fs::create_dir(&private).unwrap();
        fs::set_permissions(&private, Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        symlink(&private, &link).unwrap();
        assert_eq!(runtime_directory(Some(private.clone().into())), Some(private.clone()));
        for refused in [open, link, world.path().join("missing"), PathBuf::from("relative"), PathBuf::new()] {
            assert_eq!(runtime_directory(Some(refused.clone().into())), None, "{}", refused.display());
        }
        assert_eq!(runtime_directory(None), None);
        // What lies at our own name is checked too.
        let place = private_below(&private).unwrap();
        assert_eq!(fs::metadata(&place).unwrap().mode() & 0o777, 0o700);
        fs::remove_dir(&place).unwrap();
        symlink(world.path(), &place).unwrap();
        assert_eq!(private_below(&private), None);
    }
}
