//! Git repositories inside a working tree, whose content git records as a link only.
//!
//! The one rule: git never runs with the configuration of such a repository. One whose git directory is not below the
//! repository's own is not even looked at, and counts as not saved.

mod submodule;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::index_file::{IndexFile, Mode};
use super::private_git::PrivateGit;
use super::{Commit, Result};

/// The repositories inside a working tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Nested {
    /// Repositories that git does not track; it cannot even be asked to add one without a commit.
    untracked: Vec<PathBuf>,
    /// What the index records as links.
    links: Vec<Link>,
}

/// A path that the index records as a link to a commit of another repository.
#[derive(Debug, Clone)]
struct Link {
    path: PathBuf,
    state: LinkState,
    inside: Inside,
}

/// What a linked repository holds beside its own content. Paths are below the top of the working tree.
#[derive(Debug, Clone, Default)]
struct Inside {
    /// Linked repositories in it, and in those.
    links: Vec<PathBuf>,
    /// What git ignores there.
    ignored: Vec<PathBuf>,
}

/// What happened to the content of a linked repository.
#[derive(Debug, Clone)]
enum LinkState {
    /// All of it is in its remote, or nothing is checked out. With the commit that is checked out.
    Saved(Option<Commit>),
    /// It holds changes, or commits that no remote has, or it was not looked at.
    NotSaved,
}

impl Nested {
    /// Those whose content would be lost with the working tree.
    pub(super) fn not_saved(&self) -> Vec<PathBuf> {
        let links = self.links.iter().filter(|link| matches!(link.state, LinkState::NotSaved)).map(|link| &link.path);
        self.untracked.iter().chain(links).cloned().collect()
    }

    /// Files and directories that git ignores inside of linked repositories.
    pub(super) fn ignored_inside(&self) -> Vec<PathBuf> {
        self.links.iter().flat_map(|link| link.inside.ignored.clone()).collect()
    }

    /// Repositories that git does not track.
    pub(super) fn untracked(&self) -> &[PathBuf] {
        &self.untracked
    }

    /// All linked repositories, those inside of others too.
    pub(super) fn all_links(&self) -> Vec<PathBuf> {
        let with_inside = |link: &Link| std::iter::once(link.path.clone()).chain(link.inside.links.clone());
        self.links.iter().flat_map(with_inside).collect()
    }

    /// The same with the untracked repositories in a list of untracked files.
    pub(super) fn with_untracked<'a>(mut self, listed: impl Iterator<Item = &'a [u8]>) -> Self {
        self.untracked = listed.filter_map(repository_name).collect();
        self
    }

    /// Whether a path is a link.
    pub(super) fn is_link(&self, path: &[u8]) -> bool {
        self.links.iter().any(|link| link.path.as_os_str().as_bytes() == path)
    }

    /// All of them: git is not to look into any.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        self.untracked.iter().chain(self.links.iter().map(|link| &link.path)).cloned().collect()
    }

    /// Records in a private index which commits are checked out, as `git add` would.
    pub(super) fn record_links(&self, private: &PrivateGit) -> Result<()> {
        let checked_out = self.links.iter().filter_map(|link| match &link.state {
            LinkState::Saved(Some(commit)) => Some((commit, &link.path)),
            LinkState::Saved(None) | LinkState::NotSaved => None,
        });
        for (commit, path) in checked_out {
            let git = private.git().run(["update-index", "--cacheinfo", "160000"]).arg(commit.as_str()).arg(path);
            git.read()?;
        }
        Ok(())
    }
}

/// Finds the linked repositories of a working tree, and lets the index record which commits are checked out.
pub(super) fn links_into(checkout: &Checkout, index: &mut IndexFile) -> Nested {
    let links = links_in(checkout, index);
    for link in &links {
        let LinkState::Saved(Some(commit)) = &link.state else { continue };
        let path = link.path.as_os_str().as_bytes();
        for entry in index.entries.iter_mut().filter(|entry| entry.path == path) {
            entry.point_at(commit.as_str());
        }
    }
    Nested { untracked: Vec::new(), links }
}

/// Finds the repositories inside a working tree, except in what is ignored. `index` is what the private index holds.
pub(super) fn find(private: &PrivateGit, checkout: &Checkout, index: &IndexFile) -> Result<Nested> {
    let listed = private.git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read()?;
    Ok(Nested { untracked: untracked_in(&listed), links: links_in(checkout, index) })
}

/// The linked repositories of a working tree, beside the untracked ones that are known already.
pub(super) fn links(checkout: &Checkout, index: &IndexFile, untracked: Vec<PathBuf>) -> Nested {
    Nested { untracked, links: links_in(checkout, index) }
}

/// The directories in a list of untracked files. Git names files; a directory is a repository that it does not look into.
fn untracked_in(listed: &[u8]) -> Vec<PathBuf> {
    listed.split(|byte| *byte == 0).filter_map(repository_name).collect()
}

fn repository_name(name: &[u8]) -> Option<PathBuf> {
    name.strip_suffix(b"/").map(|name| PathBuf::from(OsString::from_vec(name.to_vec())))
}

fn links_in(checkout: &Checkout, index: &IndexFile) -> Vec<Link> {
    // Without the real path of the repository nothing can be below it.
    let trusted = fs::canonicalize(&checkout.common_dir).ok();
    links_below(&checkout.work_tree, index, trusted.as_deref(), 0)
}

fn links_below(work_tree: &Path, index: &IndexFile, trusted: Option<&Path>, depth: usize) -> Vec<Link> {
    let links = index.entries.iter().filter(|entry| entry.mode() == Mode::Gitlink);
    let mut paths: Vec<&Path> = links.map(|entry| Path::new(OsStr::from_bytes(&entry.path))).collect();
    // A conflict has the same path several times.
    paths.dedup();
    let link = |path: &Path| {
        let (state, Inside { links, ignored }) = submodule::look(&work_tree.join(path), trusted, depth);
        let below = |paths: Vec<PathBuf>| paths.into_iter().map(|inner| path.join(inner)).collect();
        Link { path: path.to_owned(), state, inside: Inside { links: below(links), ignored: below(ignored) } }
    };
    paths.into_iter().map(link).collect()
}

/// Whether the git directory of a submodule that is not checked out any more has commits that no remote has.
pub(super) fn has_own_commits(git_dir: &Path) -> bool {
    submodule::has_own_commits(git_dir)
}
