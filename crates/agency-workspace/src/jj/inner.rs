//! Checks jj's own directory of a workspace, which an agent can write, before jj is started there.
//!
//! The one rule: nothing in it adds a setting or a program, leads elsewhere, or makes jj wait.

use std::fs;
use std::path::Path;

use super::JjError;
use crate::tree_walk::walk;
use crate::{Result, WorkspaceError};

/// Refuses settings of the workspace's own and everything that is neither a plain file nor a directory.
pub(super) fn check(workspace: &Path) -> Result<()> {
    let top = workspace.join(".jj");
    let repository = top.join("repo");
    let mut odd = None;
    walk(
        &top,
        |_| false,
        |path, kind| {
            let what = if kind.is_symlink() {
                Some("a symlink")
            } else if !kind.is_file() && !kind.is_dir() {
                Some("no plain file")
            } else if path.parent() == Some(&top) && is_setting(path) {
                Some("a configuration of the workspace's own")
            } else if path == repository && kind.is_dir() {
                Some("a repository of its own")
            } else {
                None
            };
            odd = odd.take().or_else(|| what.map(|what| (path.to_owned(), what)));
        },
    );
    let found = fs::symlink_metadata(&top).map_err(WorkspaceError::io("look at", &top))?;
    if !found.is_dir() {
        odd = Some((top, "no directory"));
    }
    match odd {
        Some((file, what)) => Err(JjError::OddFile { file, what }.into()),
        None => Ok(()),
    }
}

/// Whether jj reads settings from a file, or from where the file says: `workspace-config.toml`, which jj takes over into
/// the user's own configuration, and `workspace-config-id`.
fn is_setting(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains("config"))
}
