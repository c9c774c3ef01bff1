//! What a removal would save, keep and leave out, and whether it would be refused; found with a single git process unless
//! something unusual is there.
//!
//! The one rule: this only reads; what is saved is decided again when it is done.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::private_git::{Objects, PrivateGit};
use super::staging::Staging;
use super::temporary::TemporaryDirectory;
use super::{Result, WorkspaceError, nested, unsaved};

/// What would become of the files of a worktree.
#[derive(Debug, Default)]
pub struct Preview {
    /// How many files are in no commit as they are.
    pub uncommitted: usize,
    /// Git repositories inside the workspace, which no ref can hold.
    pub nested: Vec<PathBuf>,
    /// Ignored files and directories; a removal does not save them.
    pub ignored: Vec<PathBuf>,
    /// Why the removal would be refused without `--force`, beside nested repositories; `None` when nothing is in the way.
    pub obstacle: Option<WorkspaceError>,
}

/// Looks at a working tree. What cannot be looked at cannot be saved either.
pub(super) fn preview(checkout: &Checkout) -> Preview {
    let unusable = |error| WorkspaceError::FilesNotTaken { source: Box::new(error) };
    look(checkout).unwrap_or_else(|error| Preview { obstacle: Some(unusable(error)), ..Preview::default() })
}

fn look(checkout: &Checkout) -> Result<Preview> {
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), checkout, Objects::Private { also_from: None })?;
    let index = private.agents_index(checkout)?;
    private.write_index(&index)?;
    let status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
    let printed = private.git().run(status).arg("--ignore-submodules=all").read_every_directory()?;
    let (mut found, files) = parse(&printed);
    let inside = nested::links(checkout, &index, std::mem::take(&mut found.nested));
    let walked = unsaved::find(checkout, &inside, &found.ignored);
    found.nested = walked.repositories;
    found.ignored.extend(inside.ignored_inside());
    // Only a trial shows what git makes of such files, and it takes as long as saving them.
    if walked.attribute_pipe || files.iter().any(|file| is_odd(&checkout.work_tree, file)) {
        Staging::trial(checkout)?.add_everything_in_any_form()?;
    }
    Ok(found)
}

/// Reads two letters, a space and a path for each file; the second result is the files that are in no commit.
fn parse(printed: &[u8]) -> (Preview, Vec<PathBuf>) {
    let (mut found, mut files) = (Preview::default(), vec![]);
    for entry in printed.split(|byte| *byte == 0) {
        let Some((letters, path)) = entry.split_at_checked(3) else { continue };
        let is_directory = path.ends_with(b"/");
        let path = PathBuf::from(OsString::from_vec(path.strip_suffix(b"/").unwrap_or(path).to_vec()));
        match letters {
            // Agency's own prompt is not a change.
            b"!! " if path.starts_with(".agency") => {}
            b"!! " => found.ignored.push(path),
            // Git names untracked files; a directory is a repository that it does not look into.
            b"?? " if is_directory => found.nested.push(path),
            _ => files.push(path),
        }
    }
    found.uncommitted = files.len();
    (found, files)
}

/// Whether git may refuse to add a file: because of its name, or because it is neither a file nor a link.
fn is_odd(work_tree: &Path, file: &Path) -> bool {
    let parts = || file.as_os_str().as_bytes().split(|byte| matches!(byte, b'/' | b'\\'));
    if parts().any(is_like_git) {
        return true;
    }
    let kind = fs::symlink_metadata(work_tree.join(file)).map(|found| found.file_type());
    let is_modules = || parts().any(|part| part.to_ascii_lowercase().starts_with(b".gitmodules"));
    kind.is_ok_and(|kind| !kind.is_file() && (!kind.is_symlink() || is_modules()))
}

/// Whether a name could be taken for `.git` on some filesystem.
fn is_like_git(part: &[u8]) -> bool {
    let name: Vec<u8> = part.iter().filter(|byte| byte.is_ascii()).map(u8::to_ascii_lowercase).collect();
    let is_end = |rest: &[u8]| rest.first().is_none_or(|next| matches!(next, b' ' | b'.' | b':'));
    name.strip_prefix(b".git").is_some_and(is_end) || name.starts_with(b"git~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_repositories_and_ignored_ones_are_told_apart() {
        let (found, files) = parse(b" M a b\0?? new\0?? inner/\0!! build/\0!! .agency/prompt.md\0D  gone\0");
        assert_eq!(found.uncommitted, 3);
        assert_eq!(files, ["a b", "new", "gone"].map(PathBuf::from));
        assert_eq!(found.nested, [PathBuf::from("inner")]);
        assert_eq!(found.ignored, [PathBuf::from("build")]);
    }

    #[test]
    fn names_that_git_may_refuse_are_told_from_usual_ones() {
        for odd in [".GIT/x", "a/.git ", "a/.git.", ".git::$INDEX", "git~1", "a\\.git", ".g\u{200c}it"] {
            assert!(is_odd(Path::new("/nowhere"), Path::new(odd)), "{odd}");
        }
        for usual in [".gitignore", ".github/x", ".gitlab-ci.yml", "git", "x.git", ".gitmodules"] {
            assert!(!is_odd(Path::new("/nowhere"), Path::new(usual)), "{usual}");
        }
    }
}
