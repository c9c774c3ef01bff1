//! Asks git, in a directory of the caller's choice and never in one that the environment names.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use agency_workspace::REPOSITORY_VARIABLES;

/// What git answered.
pub(crate) struct GitOutput {
    /// Whether git exited with 0.
    pub(crate) success: bool,
    out: String,
    err: String,
}

/// What git printed when it failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GitComplaint(String);

impl GitOutput {
    /// What git printed, or what it complained about.
    pub(crate) fn into_success(self) -> Result<String, GitComplaint> {
        if self.success {
            Ok(self.out)
        } else if self.err.is_empty() {
            Err(GitComplaint(self.out))
        } else {
            Err(GitComplaint(self.err))
        }
    }
}

/// Runs git to its end. It never asks for a password or opens an editor on a terminal.
#[expect(clippy::disallowed_methods, reason = "the scripted agent starts git as agents do")]
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> io::Result<GitOutput> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true").env("LC_ALL", "C");
    for variable in REPOSITORY_VARIABLES {
        command.env_remove(variable);
    }
    let output = command.output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok(GitOutput { success: output.status.success(), out: text(&output.stdout), err: text(&output.stderr) })
}
