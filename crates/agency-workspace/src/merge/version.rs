//! Which git is needed.

use std::path::Path;

use super::super::git_command::GitCommand;
use super::{MergeError, MergeStrategy};

/// Refuses a git that cannot merge without a working tree.
pub(super) fn check(strategy: MergeStrategy) -> Result<(), MergeError> {
    let printed = GitCommand::at(Path::new("/")).run(["version"]).read_line()?;
    let (needed, words, action) = match strategy {
        MergeStrategy::Merge | MergeStrategy::Squash => ((2, 38), "2.38", "merge without a working tree"),
        MergeStrategy::Rebase => ((2, 40), "2.40", "rebase without a working tree"),
    };
    let found = printed.trim_start_matches("git version ").to_owned();
    // Who names no version that we can read is given the chance to say no itself.
    match numbers(&found) {
        Some(version) if version < needed => Err(MergeError::GitTooOld { action, found, needed: words }),
        Some(_) | None => Ok(()),
    }
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("2.9.5") < Some((2, 38)));
        assert!(numbers("2.47.3") > Some((2, 40)));
        assert!(numbers("2.39.5 (Apple Git-154)") >= Some((2, 38)));
        assert_eq!(numbers("of my own"), None);
    }
}
