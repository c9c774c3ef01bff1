//! Looks at a submodule without its configuration.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::checkout::Checkout;
use super::super::head::Head;
use super::super::index_file::IndexFile;
use super::super::link;
use super::super::private_git::{Objects, PrivateGit};
use super::super::staging::temporary_directory;
use super::{State, links_below, untracked_in};

/// Submodules in submodules that are looked at.
const MAX_DEPTH: usize = 8;
/// What our git directory shares with the submodule's own: content and names, no settings.
const SHARED: [&str; 4] = ["objects", "refs", "packed-refs", "shallow"];
/// All that git is told about the submodule's repository.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/// Says what became of the content of a submodule. Only one whose git directory is below `trusted` is looked at.
pub(super) fn look(submodule: &Path, trusted: Option<&Path>, depth: usize) -> State {
    if submodule.join(".git").symlink_metadata().is_err() {
        // A submodule that was never checked out is an empty directory; git would not look at files in it.
        let holds_files = submodule.read_dir().is_ok_and(|mut files| files.next().is_some());
        return if holds_files { State::NotSaved } else { State::Saved(None) };
    }
    // What cannot be read is not known to be saved.
    look_through(submodule, trusted, depth).unwrap_or(State::NotSaved)
}

fn look_through(submodule: &Path, trusted: Option<&Path>, depth: usize) -> Option<State> {
    let git_dir = fs::canonicalize(link::git_dir(submodule)?).ok()?;
    if depth >= MAX_DEPTH || !git_dir.starts_with(trusted?) || git_dir.join("commondir").symlink_metadata().is_ok() {
        return None;
    }
    let checkout = Checkout {
        work_tree: submodule.to_owned(),
        head: Head::read(&git_dir, &git_dir)?,
        common_dir: git_dir.clone(),
        admin_dir: None,
        is_jj: false,
        kept: None,
    };
    let directory = temporary_directory().ok()?;
    let private = PrivateGit::make(directory.path(), &checkout, Objects::Repository).ok()?;
    fs::remove_file(directory.path().join("commondir")).ok()?;
    fs::write(directory.path().join("config"), CONFIG).ok()?;
    for name in SHARED.iter().filter(|name| git_dir.join(name).exists()) {
        symlink(git_dir.join(name), directory.path().join(name)).ok()?;
    }
    let index = IndexFile::open(&git_dir.join("index")).ok()?;
    private.write_index(&index).ok()?;

    let git = || private.git().env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
    let commit = git().run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).read_line().ok()?.parse().ok()?;
    let listed = git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read().ok()?;
    let changed = git().run(["status", "--porcelain", "-z", "--ignore-submodules=all"]).read().ok()?;
    // Git takes a glob without a wildcard for a directory, and a name that may be missing for a mistake.
    let ahead = ["rev-list", "--max-count=1", "HEAD", "--branches", "--glob=refs/stas[h]", "--not", "--remotes"];
    let ahead = git().run(ahead).read().ok()?;
    let inside = links_below(submodule, &index, trusted, depth + 1);
    let saved = changed.is_empty()
        && ahead.is_empty()
        && untracked_in(&listed).is_empty()
        && inside.iter().all(|link| matches!(link.state, State::Saved(_)));
    Some(if saved { State::Saved(Some(commit)) } else { State::NotSaved })
}
