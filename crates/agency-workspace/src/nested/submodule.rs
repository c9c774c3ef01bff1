//! Looks at a submodule without its configuration.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::captured::standard_input;
use super::super::checkout::Checkout;
use super::super::git_command::GitCommand;
use super::super::head::{Head, id_in};
use super::super::index_file::IndexFile;
use super::super::link;
use super::super::noted_commits;
use super::super::private_git::{Objects, PrivateGit};
use super::super::temporary::TemporaryDirectory;
use super::super::tree_walk::walk;
use super::super::user_settings::RepositoryConfig;
use super::{Inside, LinkState, links_below, untracked_in};

/// Submodules in submodules that are looked at.
const MAX_DEPTH: usize = 8;
/// What our git directory shares with the submodule's own: content and names, no settings.
const SHARED: [&str; 4] = ["objects", "refs", "packed-refs", "shallow"];
/// All that git needs to know about the submodule's repository.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/// Reports the state of the content of a submodule. Only one whose git directory is below `trusted` is examined.
pub(super) fn look(submodule: &Path, trusted: Option<&Path>, depth: usize) -> (LinkState, Inside) {
    if submodule.join(".git").symlink_metadata().is_err() {
        // A submodule that was never checked out is an empty directory; git would not look at files in it.
        let holds_files = submodule.read_dir().is_ok_and(|mut files| files.next().is_some());
        let state = if holds_files { LinkState::NotSaved } else { LinkState::Saved(None) };
        return (state, Inside::default());
    }
    // What cannot be read is not known to be saved.
    look_through(submodule, trusted, depth).unwrap_or((LinkState::NotSaved, Inside::default()))
}

fn look_through(submodule: &Path, trusted: Option<&Path>, depth: usize) -> Option<(LinkState, Inside)> {
    let git_dir = fs::canonicalize(link::git_dir(submodule)?).ok()?;
    if depth >= MAX_DEPTH || !git_dir.starts_with(trusted?) || git_dir.join("commondir").symlink_metadata().is_ok() {
        return None;
    }
    let directory = TemporaryDirectory::new().ok()?;
    let private = without_config(directory.path(), &git_dir, submodule)?;
    let index = IndexFile::open(&git_dir.join("index")).ok()?;
    private.write_index(&index).ok()?;

    let git = || offline(&private);
    let commit = git().run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).read_line().ok()?.parse().ok()?;
    let listed = git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read().ok()?;
    let changed = git().run(["status", "--porcelain", "-z", "--ignore-submodules=all"]).read().ok()?;
    let inside = links_below(submodule, &index, trusted, depth + 1);
    let saved = changed.is_empty()
        && !is_ahead(&private, &git_dir)?
        && untracked_in(&listed).is_empty()
        && inside.iter().all(|link| matches!(link.state, LinkState::Saved(_)));
    let mut found = Inside { links: vec![], ignored: ignored_in(&private)? };
    for link in inside {
        found.links.push(link.path);
        found.links.extend(link.inside.links);
        found.ignored.extend(link.inside.ignored);
    }
    Some((if saved { LinkState::Saved(Some(commit)) } else { LinkState::NotSaved }, found))
}

/// Whether a submodule's git directory, of which nothing is checked out, has commits that no remote has. What cannot be
/// read is taken to have some.
pub(super) fn has_own_commits(git_dir: &Path) -> bool {
    let look = || {
        let directory = TemporaryDirectory::new().ok()?;
        is_ahead(&without_config(directory.path(), git_dir, directory.path())?, git_dir)
    };
    look().unwrap_or(true)
}

/// A git directory with the content and the refs of a submodule's own, and none of its settings.
fn without_config(directory: &Path, git_dir: &Path, work_tree: &Path) -> Option<PrivateGit> {
    let checkout = Checkout {
        work_tree: work_tree.to_owned(),
        head: Head::read(git_dir, git_dir)?,
        common_dir: git_dir.to_owned(),
        admin_dir: None,
        is_jj: false,
        config: RepositoryConfig::Ignored,
        kept: None,
        settings: Arc::default(),
    };
    let private = PrivateGit::make(directory, &checkout, Objects::Repository).ok()?;
    fs::remove_file(directory.join("commondir")).ok()?;
    fs::write(directory.join("config"), CONFIG).ok()?;
    for name in SHARED.iter().filter(|name| git_dir.join(name).exists()) {
        symlink(git_dir.join(name), directory.join(name)).ok()?;
    }
    Some(private)
}

fn offline(private: &PrivateGit) -> GitCommand {
    private.git().env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "")
}

/// Whether there are commits that no remote has: in branches, in the stash, in logs, which have what `git submodule update`
/// checks out over, in notes of operations that stopped, and in tags that were made here.
fn is_ahead(private: &PrivateGit, git_dir: &Path) -> Option<bool> {
    let candidates = noted_commits::find(git_dir).into_iter().chain(tags_made_here(git_dir));
    let candidates: String = candidates.map(|id| format!("{id}\n")).collect();
    // Git takes a glob without a wildcard for a directory, and a name that may be missing for a mistake.
    let ahead = ["rev-list", "--max-count=1", "--ignore-missing", "--stdin", "HEAD", "--branches"];
    let git = offline(private).run(ahead).args(["--glob=refs/stas[h]", "--not", "--remotes"]);
    Some(!git.input(standard_input(candidates.as_bytes()).ok()?).read().ok()?.is_empty())
}

/// What the tags point at that are files of their own. Those of a remote come packed with its clone, or with its branches.
fn tags_made_here(git_dir: &Path) -> Vec<String> {
    let mut found = vec![];
    walk(
        &git_dir.join("refs/tags"),
        |_| false,
        |path, kind| {
            let content = kind.is_file().then(|| link::read_small(path).ok()).flatten();
            found.extend(content.and_then(|content| id_in(&content)));
        },
    );
    found
}

fn ignored_in(private: &PrivateGit) -> Option<Vec<PathBuf>> {
    let ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let listed = offline(private).run(ignored).read().ok()?;
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.map(|name| PathBuf::from(OsString::from_vec(name.to_vec()))).collect())
}
