//! Finds the repositories inside a working tree whose content would be lost with it.
//!
//! The one rule: every directory is listed once, ignored ones too, and no repository that is found this way is entered or
//! asked anything.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::link;
use super::nested::{self, Nested};
use super::tree_walk::Listing;

/// Where git keeps the repositories of submodules, below its directory for a worktree.
const MODULES: &str = "modules";

/// What a walk through a working tree found.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    /// The repositories that no ref can hold, by their paths below the working tree.
    pub(super) repositories: Vec<PathBuf>,
    /// Whether a pipe is where git may read attributes.
    pub(super) attribute_pipe: bool,
}

/// Walks through a working tree. `ignored` is what git ignores.
pub(super) fn find(checkout: &Checkout, nested: &Nested, ignored: &[PathBuf]) -> Unsaved {
    let mut found = unlisted(&checkout.work_tree, nested, ignored);
    found.repositories.extend(nested.not_saved());
    found.repositories.extend(without_checkout(checkout, nested));
    found.repositories.sort();
    found.repositories.dedup();
    found
}

/// The repositories that git does not list: those in ignored directories, and directories with a `.git` that git takes for
/// no repository; it saves their other files and passes `.git` over.
fn unlisted(work_tree: &Path, nested: &Nested, ignored: &[PathBuf]) -> Unsaved {
    let inside = nested.ignored_inside();
    let ignored: HashSet<&Path> = ignored.iter().chain(&inside).map(PathBuf::as_path).collect();
    let links = nested.all_links();
    let links: HashSet<&Path> = links.iter().map(PathBuf::as_path).collect();
    let untracked: HashSet<&Path> = nested.untracked().iter().map(PathBuf::as_path).collect();
    let mut found = Unsaved::default();
    let mut directories = vec![(work_tree.to_owned(), false)];
    while let Some((directory, is_ignored)) = directories.pop() {
        let place = directory.strip_prefix(work_tree).unwrap_or(&directory);
        let is_top = place.as_os_str().is_empty();
        if untracked.contains(place) || place == Path::new(".jj") {
            continue;
        }
        let is_ignored = is_ignored || ignored.contains(place);
        let listing = Listing::of(&directory);
        // The files of a bare repository are plain files, which are saved unless they are ignored.
        let is_repository = listing.has_dot_git && !links.contains(place) || listing.is_git_dir && is_ignored;
        if is_repository && !is_top {
            found.repositories.push(place.to_owned());
            continue;
        }
        found.attribute_pipe |= listing.has_attribute_pipe && !is_ignored;
        directories.extend(listing.directories.into_iter().map(|inner| (inner, is_ignored)));
    }
    found
}

/// The repositories of submodules that are not checked out any more and have commits of their own, as
/// `.git/modules/<name>`.
fn without_checkout(checkout: &Checkout, nested: &Nested) -> Vec<PathBuf> {
    let Some(admin_dir) = &checkout.admin_dir else { return vec![] };
    let modules = admin_dir.join(MODULES);
    if !fs::symlink_metadata(&modules).is_ok_and(|found| found.is_dir()) {
        return vec![];
    }
    let real = |git_dir: PathBuf| fs::canonicalize(git_dir).ok();
    let links = nested.all_links().into_iter();
    let looked_at: HashSet<PathBuf> =
        links.filter_map(|path| real(link::git_dir(&checkout.work_tree.join(path))?)).collect();
    let mut found = vec![];
    let mut directories = vec![modules];
    while let Some(directory) = directories.pop() {
        let listing = Listing::of(&directory);
        if !listing.is_git_dir {
            directories.extend(listing.directories);
            continue;
        }
        // Submodules of submodules.
        directories.extend(Some(directory.join(MODULES)).filter(|inner| inner.is_dir() && !inner.is_symlink()));
        let is_looked_at = real(directory.clone()).is_some_and(|git_dir| looked_at.contains(&git_dir));
        if !is_looked_at && nested::has_own_commits(&directory) {
            found.extend(directory.strip_prefix(admin_dir).ok().map(|name| Path::new(".git").join(name)));
        }
    }
    found
}
