//! What a script wants to know of an error beside its message.

use super::WorkspaceError;

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
            | Self::NotSaved { path, .. }
            | Self::Replaced { path, .. }
            | Self::NotRemoved { path, .. }
            | Self::NamedPipe { path, .. }
            | Self::Io { path, .. } => vec![("path", path.display().to_string())],
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
