//! The worktrees that git has registered for a repository.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::git_command::GitCommand;
use super::{Commit, Repository, Result, WorkspaceError};

/// One worktree in git's list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegisteredWorktree {
    /// Where git believes it to be.
    pub path: PathBuf,
    /// The branch it has checked out, without `refs/heads/`.
    pub branch: Option<String>,
    /// The commit it has checked out.
    pub head: Option<Commit>,
    /// The reason why it is locked, which may be empty; `None` when it is not.
    pub locked: Option<String>,
}

/// A repository's main working tree and the worktrees linked to it.
pub(super) struct Worktrees {
    pub(super) main: RegisteredWorktree,
    pub(super) linked: Vec<RegisteredWorktree>,
}

/// Lists the linked worktrees of the repository at `root`, those whose directory is missing too.
pub fn registered_worktrees(root: &Path) -> Result<Vec<RegisteredWorktree>> {
    let common_dir = Repository::from_root(root.to_owned()).common_dir()?;
    Ok(list(&common_dir)?.linked)
}

/// Reads git's list of worktrees.
pub(super) fn list(common_dir: &Path) -> Result<Worktrees> {
    let printed = GitCommand::on(common_dir).run(["worktree", "list", "--porcelain", "-z"]).read()?;
    let mut all = parse(&printed).into_iter();
    let Some(main) = all.next() else {
        return Err(WorkspaceError::NotARepository { path: common_dir.to_owned() });
    };
    Ok(Worktrees { main, linked: all.collect() })
}

/// Reads the attributes of each worktree; attributes end with NUL, worktrees with an empty attribute.
fn parse(printed: &[u8]) -> Vec<RegisteredWorktree> {
    let mut all: Vec<RegisteredWorktree> = Vec::new();
    for attribute in printed.split(|byte| *byte == 0) {
        if let Some(path) = attribute.strip_prefix(b"worktree ") {
            let path = PathBuf::from(OsString::from_vec(path.to_vec()));
            all.push(RegisteredWorktree { path, ..RegisteredWorktree::default() });
        } else if let Some(current) = all.last_mut() {
            let text = String::from_utf8_lossy(attribute);
            if let Some(branch) = text.strip_prefix("branch refs/heads/") {
                current.branch = Some(branch.to_owned());
            } else if let Some(head) = text.strip_prefix("HEAD ") {
                current.head = head.parse().ok();
            } else if let Some(reason) = text.strip_prefix("locked") {
                current.locked = Some(reason.trim_start().to_owned());
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_newlines_and_reasons_with_words_are_read_whole() {
        let printed =
            b"worktree /r\0HEAD aa\0branch refs/heads/main\0\0worktree /w\n/x\0HEAD aa\0detached\0locked a b\0\0";
        let all = parse(printed);
        assert_eq!(all[0].branch.as_deref(), Some("main"));
        assert_eq!(all[1].path, Path::new("/w\n/x"));
        assert_eq!(all[1].branch, None);
        assert_eq!(all[1].locked.as_deref(), Some("a b"));
    }

    #[test]
    fn a_lock_without_a_reason_is_a_lock() {
        assert_eq!(parse(b"worktree /r\0locked\0\0")[0].locked.as_deref(), Some(""));
    }
}
