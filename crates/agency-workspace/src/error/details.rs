//! The parts of an error: values for scripts, and texts for messages.

use std::path::{Path, PathBuf};

use super::WorkspaceError;

/// How many ids a message has.
const MAX_NAMED_IDS: usize = 3;

/// Gives optional words their colon.
pub(crate) fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// Names paths one after the other.
pub(crate) fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("'{}'", path.display())).collect::<Vec<_>>().join(", ")
}

/// Names the first few of many ids.
pub(crate) fn first_of(ids: &[String]) -> String {
    let (first, rest) = ids.split_at(ids.len().min(MAX_NAMED_IDS));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", first.join(", "))
}

/// Names the refs that hold commits of a worktree, where there are some.
pub(crate) fn also_saved(refs: &[String]) -> String {
    if refs.is_empty() { String::new() } else { format!("; commits of its worktree are at {}", refs.join(", ")) }
}

/// Names the directory that holds what no ref can hold, where there is one.
pub(crate) fn kept_in(kept: Option<&Path>) -> String {
    kept.map_or_else(String::new, |kept| format!("; its files are kept in {}", kept.display()))
}

impl WorkspaceError {
    /// The values the error is about, by name.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::BadRef { reference, root, .. } => {
                vec![("base_ref", reference.clone()), ("repo", root.display().to_string())]
            }
            Self::NoCommit { root } => vec![("repo", root.display().to_string())],
            Self::InvalidBranchName { name } | Self::BranchExists { name } | Self::BranchBlocked { name, .. } => {
                vec![("new_branch", name.clone())]
            }
            Self::PathMissing { path }
            | Self::NotADirectory { path }
            | Self::NotARepository { path }
            | Self::BareRepository { path }
            | Self::DubiousOwnership { path, .. }
            | Self::PathOccupied { path }
            | Self::WorktreeNotCreated { path, .. }
            | Self::PermissionDenied { path, .. }
            | Self::UnsafePromptPath { path }
            | Self::OutsideRoot { path, .. }
            | Self::MainWorktree { path }
            | Self::NotRegistered { path, .. }
            | Self::OtherRepository { path, .. }
            | Self::Locked { path, .. }
            | Self::RepositoryGone { path, .. }
            | Self::NestedRepositories { path, .. }
            | Self::ObjectsInside { path, .. }
            | Self::NotSaved { path, .. }
            | Self::Replaced { path, .. }
            | Self::ReplacedGit { path }
            | Self::NotRemoved { path, .. }
            | Self::NamedPipe { path, .. }
            | Self::Io { path, .. } => vec![("path", path.display().to_string())],
            Self::AgentsRepository { repository } => vec![("repo", repository.display().to_string())],
            Self::BranchNotMerged { branch, .. } | Self::BranchInUse { branch, .. } => {
                vec![("branch", branch.clone())]
            }
            Self::NothingSaved { run, .. } => vec![("id", run.to_string())],
            Self::Jj(error) => error.facts(),
            Self::FilesNotTaken { source } => source.facts(),
            Self::GitMissing | Self::IncompleteHistory { .. } | Self::Git { .. } => vec![],
        }
    }
}
