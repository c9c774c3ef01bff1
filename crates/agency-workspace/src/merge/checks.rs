//! What is checked before a merge: the version of git, and the branch that is merged into.

use std::path::Path;

use super::super::git_command::GitCommand;
use super::super::{Repository, branch, branch_changes};
use super::{MergeError, MergeStrategy};

/// The branch to merge into when none is named: the one that `base_ref` names, or else the one that was checked out
/// in the repository when the work began.
pub fn default_target(root: &Path, base_ref: &str, checked_out_then: Option<&str>) -> Result<String, MergeError> {
    // What HEAD is now says nothing about then.
    if !matches!(base_ref, "HEAD" | "@") && !base_ref.contains('\0') {
        let asked = GitCommand::in_repository(root)
            .run(["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options"])
            .arg(base_ref)
            .finish()?;
        let name = String::from_utf8_lossy(&asked.stdout).trim_end().to_owned();
        if let Some(branch) = name.lines().last().and_then(|name| name.strip_prefix("refs/heads/")) {
            return Ok(branch.to_owned());
        }
    }
    checked_out_then.map(str::to_owned).ok_or_else(|| unknown(root, base_ref.to_owned()))
}

fn unknown(root: &Path, base_ref: String) -> MergeError {
    match Repository::kept_by_jj(root) {
        Some(_) => MergeError::BookmarkUnknown { base_ref },
        None => MergeError::TargetUnknown { base_ref },
    }
}

/// Checks that the branch to merge into exists and is another one, and returns its short name.
pub(in super::super) fn check_target(common_dir: &Path, own: &str, into: &str) -> Result<String, MergeError> {
    let name = into.strip_prefix("refs/heads/").unwrap_or(into).to_owned();
    if name == own {
        return Err(MergeError::IntoItself { name });
    }
    let plain = branch_changes::check_plain(&name).is_ok();
    // Not every text that names a commit is the name of a branch.
    let known =
        || GitCommand::on(common_dir).run(["show-ref", "--verify", "--quiet"]).arg(branch::full_name(&name)).finish();
    if !plain || !known()?.success {
        return Err(MergeError::TargetMissing { name });
    }
    Ok(name)
}

/// Refuses a git that cannot merge without a working tree.
pub(super) fn check_git_version(strategy: MergeStrategy) -> Result<(), MergeError> {
    let printed = GitCommand::at(Path::new("/")).run(["version"]).read_line()?;
    let (needed, words, action) = match strategy {
        MergeStrategy::Merge | MergeStrategy::Squash => ((2, 38), "2.38", "merge without a working tree"),
        MergeStrategy::Rebase => ((2, 40), "2.40", "rebase without a working tree"),
    };
    let found = printed.trim_start_matches("git version ").to_owned();
    // A git whose version cannot be read refuses by itself what it cannot do.
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
