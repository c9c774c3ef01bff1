//! What a removal would save, keep and leave out, found with a single git process.
//!
//! The one rule: this only reads; what is saved is decided again when it is done.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::checkout::Checkout;
use super::private_git::{Objects, PrivateGit};
use super::temporary::TemporaryDirectory;
use super::{Result, nested, unsaved};

/// What would become of the files of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// How many files are in no commit as they are.
    pub uncommitted: usize,
    /// Git repositories inside the workspace, which no ref can hold.
    pub nested: Vec<PathBuf>,
    /// Files and directories that git is told to ignore; a removal does not save them.
    pub ignored: Vec<PathBuf>,
}

/// Looks at a working tree.
pub(super) fn preview(checkout: &Checkout) -> Result<Preview> {
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), checkout, Objects::Private { also_from: None })?;
    let index = private.agents_index(checkout)?;
    private.write_index(&index)?;
    let status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
    let printed = private.git().run(status).arg("--ignore-submodules=all").read()?;
    let mut found = parse(&printed);
    let inside = nested::links(checkout, &index, std::mem::take(&mut found.nested));
    found.nested = unsaved::repositories(checkout, &inside, &found.ignored);
    found.ignored.extend(inside.ignored_inside());
    Ok(found)
}

/// Reads two letters, a space and a path for each file.
fn parse(printed: &[u8]) -> Preview {
    let mut found = Preview::default();
    for entry in printed.split(|byte| *byte == 0) {
        let Some((letters, path)) = entry.split_at_checked(3) else { continue };
        let is_directory = path.ends_with(b"/");
        let path = PathBuf::from(OsString::from_vec(path.strip_suffix(b"/").unwrap_or(path).to_vec()));
        match letters {
            // Our own prompt is no news.
            b"!! " if path.starts_with(".agency") => {}
            b"!! " => found.ignored.push(path),
            // Git names untracked files; a directory is a repository that it does not look into.
            b"?? " if is_directory => found.nested.push(path),
            _ => found.uncommitted += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_repositories_and_ignored_ones_are_told_apart() {
        let found = parse(b" M a b\0?? new\0?? inner/\0!! build/\0!! .agency/prompt.md\0D  gone\0");
        assert_eq!(found.uncommitted, 3);
        assert_eq!(found.nested, [PathBuf::from("inner")]);
        assert_eq!(found.ignored, [PathBuf::from("build")]);
    }
}
