//! Where git, jj and the programs of forges are found, and the programs that they start.
//!
//! The one rule: never in a directory that depends on where they run, which can be one that an agent writes.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Where systems have their programs.
const DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// The value of `PATH` without relative directories; `None` where it has none of them.
#[expect(clippy::disallowed_methods, reason = "the user's search path is in the environment")]
pub(super) fn without_relative() -> Option<OsString> {
    env::var_os("PATH").and_then(|path| absolute_only(&path))
}

/// A search path without relative directories; `None` where it has none of them.
#[must_use]
pub fn absolute_only(path: &OsStr) -> Option<OsString> {
    // An empty directory is the current one.
    let (absolute, relative): (Vec<PathBuf>, Vec<PathBuf>) =
        env::split_paths(path).partition(|directory| directory.is_absolute());
    if relative.is_empty() {
        return None;
    }
    let found = env::join_paths(absolute).ok().filter(|path| !path.is_empty());
    Some(found.unwrap_or_else(|| DEFAULT.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_the_current_directory_is_left_out() {
        for (path, expected) in [
            ("/usr/bin:/bin", None),
            ("./node_modules/.bin:/usr/bin::bin:/bin", Some("/usr/bin:/bin")),
            (".", Some(DEFAULT)),
            ("/bin:", Some("/bin")),
        ] {
            assert_eq!(absolute_only(path.as_ref()), expected.map(OsString::from), "{path}");
        }
    }
}
