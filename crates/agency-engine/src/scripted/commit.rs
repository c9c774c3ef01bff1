//! Commits what a script did.
//!
//! The one rule: the user's git identity is used as it is; a stand-in is given only where there is none.

use super::ScriptError;
use super::git::{GitComplaint, git};
use std::path::Path;

/// The author of commits where none is configured.
const STAND_IN: [&str; 4] = ["-c", "user.name=agency", "-c", "user.email=agency@localhost"];

/// Commits everything in the directory's repository and returns a line that says so.
pub(super) fn commit(line: usize, message: &str, directory: &Path) -> Result<String, ScriptError> {
    let git = |arguments: &[&str]| {
        git(directory, arguments).map_err(|source| ScriptError::Command { line, program: "git".into(), source })
    };
    let refused = |error: GitComplaint| ScriptError::Commit { line, message: error.to_string() };

    git(&["add", "--all"])?.into_success().map_err(refused)?;
    if git(&["diff", "--cached", "--quiet"])?.success {
        return Ok("Nothing to commit".into());
    }
    // With `useConfigOnly` git does not guess a name from the machine's.
    let known = |variable| git(&["-c", "user.useConfigOnly=true", "var", variable]).map(|answer| answer.success);
    let configured = known("GIT_AUTHOR_IDENT")? && known("GIT_COMMITTER_IDENT")?;
    let identity: &[&str] = if configured { &[] } else { &STAND_IN };

    git(&[identity, &["commit", "--quiet", "--message", message]].concat())?.into_success().map_err(refused)?;
    let short = git(&["rev-parse", "--short", "HEAD"])?.into_success().map_err(refused)?;
    Ok(format!("Committed {short} {message}"))
}
