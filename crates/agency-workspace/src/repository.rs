//! The user's repository: found, checked and named before anything is made.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::git_command::{Finished, GitCommand};
use super::link::{self, Identity};
use super::{Commit, Result, WorkspaceError};
use super::{branch, jj_link, plain_head};

/// A repository with a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Opens the repository whose working tree holds `path`.
    pub fn open(path: &Path) -> Result<Self> {
        check_directory(path)?;
        if let Some(hidden) = Self::hidden_around(path) {
            return Ok(hidden);
        }
        let asked = GitCommand::at(path).run(["rev-parse", "--show-toplevel"]).finish()?;
        match asked.stdout.strip_suffix(b"\n") {
            Some(root) if asked.success => Self::at(root),
            Some(_) | None => Err(not_opened(path, &asked)),
        }
    }

    /// Opens the repository whose working tree holds `path` and finds the commit of `base_ref`, with one git process.
    pub fn open_at(path: &Path, base_ref: &str) -> Result<(Self, Commit)> {
        check_directory(path)?;
        if let Some(found) = Self::hidden_at(path, base_ref)? {
            return Ok(found);
        }
        // Git cannot be given this at all.
        let base_ref = base_ref.replace('\0', "\u{fffd}");
        let asked = GitCommand::at(path)
            .run(["rev-parse", "--show-toplevel", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{base_ref}^{{commit}}"))
            .finish()?;
        // The path may hold newlines; the commit id is the last line.
        let lines = asked.stdout.strip_suffix(b"\n").unwrap_or_default();
        if asked.success
            && let Some(end) = lines.iter().rposition(|byte| *byte == b'\n')
            && let Ok(commit) = String::from_utf8_lossy(&lines[end + 1..]).parse()
        {
            return Ok((Self::at(&lines[..end])?, commit));
        }
        let repository = Self::open(path)?;
        Err(repository.bad_ref(base_ref, asked.stderr))
    }

    /// Opens the repository whose working tree is at `path`, with the commit at HEAD, where its files tell both without
    /// git; else as [`Self::open_at`]. Whether that commit is in the repository is not checked.
    pub fn open_in_place(path: &Path, base_ref: &str) -> Result<(Self, Commit)> {
        check_directory(path)?;
        let plain = || {
            let root = fs::canonicalize(path).ok()?;
            let commit = plain_head::plain_head(&root)?;
            Some((Self { root }, commit))
        };
        // Which repository is meant is decided by jj where it keeps one.
        if base_ref == "HEAD"
            && Self::hidden_around(path).is_none()
            && let Some(found) = plain()
        {
            return Ok(found);
        }
        Self::open_at(path, base_ref)
    }

    /// Opens a repository whose root is known, without asking git.
    #[must_use]
    pub fn from_root(root: PathBuf) -> Self {
        Self { root }
    }

    /// The top of the working tree, absolute and without symlinks.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A short name for the repository's place: the first 16 hexadecimal digits of the SHA-256 of its path.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::digest(self.root.as_os_str().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The git directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> Result<PathBuf> {
        if let Some(store) = jj_link::hidden_git_store(&self.root) {
            return Ok(store);
        }
        if let Some(common) = link::git_dir(&self.root).and_then(|git_dir| link::common_dir(&git_dir)) {
            return Ok(common);
        }
        // The root may have lost its repository and lie inside another one, which is not meant.
        if Identity::of(&Self::open(&self.root)?.root) != Identity::of(&self.root) {
            return Err(WorkspaceError::NotARepository { path: self.root.clone() });
        }
        let asked = GitCommand::at(&self.root).run(["rev-parse", "--git-common-dir"]).finish()?;
        match asked.stdout.strip_suffix(b"\n") {
            Some(printed) if asked.success => {
                let common = self.root.join(OsString::from_vec(printed.to_vec()));
                fs::canonicalize(&common).map_err(WorkspaceError::io("find", &common))
            }
            Some(_) | None => Err(not_opened(&self.root, &asked)),
        }
    }

    /// The branch that is checked out, by git's file alone; `None` where that does not name one. It takes no process.
    #[must_use]
    pub fn branch_in_file(&self) -> Option<String> {
        let head = link::read_small(&link::git_dir(&self.root)?.join("HEAD")).ok()?;
        let name = String::from_utf8(head).ok()?.strip_prefix("ref: refs/heads/")?.trim_end().to_owned();
        // Of a repository whose refs are in another format.
        (name != ".invalid").then_some(name)
    }

    /// The branch that is checked out; `None` where HEAD is on no branch.
    pub fn current_branch(&self) -> Result<Option<String>> {
        let asked = GitCommand::at(&self.root).run(["symbolic-ref", "--quiet", "HEAD"]).finish()?;
        let name = String::from_utf8_lossy(&asked.stdout).trim_end_matches('\n').to_owned();
        Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
    }

    /// The tree of a commit.
    pub fn tree_of(&self, commit: &Commit) -> Result<String> {
        let git = GitCommand::on(&self.common_dir()?).run(["rev-parse", "--verify"]);
        git.arg(format!("{commit}^{{tree}}")).read_line()
    }

    /// Whether a branch holds a commit.
    pub fn is_in_branch(&self, commit: &Commit, name: &str) -> Result<bool> {
        let git = GitCommand::on(&self.common_dir()?).run(["merge-base", "--is-ancestor"]);
        Ok(git.arg(commit.as_str()).arg(branch::full_name(name)).finish()?.success)
    }

    pub(super) fn at(root: &[u8]) -> Result<Self> {
        let root = PathBuf::from(OsString::from_vec(root.to_vec()));
        let root = fs::canonicalize(&root).map_err(WorkspaceError::io("find", &root))?;
        Ok(Self { root })
    }

    fn bad_ref(&self, reference: String, message: String) -> WorkspaceError {
        let root = self.root.clone();
        let any = GitCommand::in_repository(&root).run(["rev-list", "--max-count=1", "--all"]).read();
        match any {
            Ok(commits) if commits.is_empty() => WorkspaceError::NoCommit { root },
            Ok(_) | Err(_) => WorkspaceError::BadRef { reference, root, message },
        }
    }
}

pub(super) fn check_directory(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(WorkspaceError::NotADirectory { path: path.to_owned() }),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(WorkspaceError::PathMissing { path: path.to_owned() })
        }
        Err(error) => Err(WorkspaceError::io("open", path)(error)),
    }
}

/// Names the reason for which git found no working tree.
fn not_opened(path: &Path, asked: &Finished) -> WorkspaceError {
    let path = path.to_owned();
    let message = asked.stderr.clone();
    let says = |words: &str| message.contains(words);
    if says("dubious ownership") {
        WorkspaceError::DubiousOwnership { path, message }
    } else if says("must be run in a work tree") || says("cannot use bare repository") {
        WorkspaceError::BareRepository { path }
    } else if says("not a git repository") {
        WorkspaceError::NotARepository { path }
    } else if says("Permission denied") {
        WorkspaceError::PermissionDenied { path, message }
    } else {
        WorkspaceError::Git { command: "rev-parse".to_owned(), directory: path, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stderr: &str) -> WorkspaceError {
        let asked = Finished { success: false, stdout: Vec::new(), stderr: stderr.to_owned() };
        not_opened(Path::new("/r"), &asked)
    }

    #[test]
    fn the_way_out_of_dubious_ownership_is_passed_on() {
        let words = "fatal: detected dubious ownership in repository at '/r'\nTo add an exception for this directory, \
                     call:\n\n\tgit config --global --add safe.directory /r";
        let error = said(words);
        assert!(matches!(error, WorkspaceError::DubiousOwnership { .. }));
        assert!(error.to_string().contains("git config --global --add safe.directory /r"));
    }

    #[test]
    fn a_permission_problem_is_not_a_missing_repository() {
        let error = said("fatal: cannot change to '/r': Permission denied");
        assert!(matches!(error, WorkspaceError::PermissionDenied { .. }));
    }

    #[test]
    fn a_fingerprint_is_the_start_of_the_hash_of_the_path() {
        let repository = Repository::from_root(PathBuf::from("/r"));
        let whole = Sha256::digest(b"/r");
        assert_eq!(repository.fingerprint().len(), 16);
        assert!(repository.fingerprint().starts_with(&format!("{:02x}", whole[0])));
    }
}
