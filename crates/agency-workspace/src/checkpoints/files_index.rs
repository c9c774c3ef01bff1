//! A private index that holds the files of a worktree as a checkpoint records them.
//!
//! The one rule: the agent may be at work meanwhile, and its own index is only read. What is added goes into the
//! repository, as unreachable objects until a ref leads to them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::thread;

use super::super::captured::standard_input;
use super::super::checkout::Checkout;
use super::super::diff_index::PrivateDirectory;
use super::super::diff_index::combine::combine;
use super::super::git_command::GitCommand;
use super::super::index_cache::IndexCache;
use super::super::index_file::{IndexFile, MAX_INDEX_BYTES};
use super::super::nested::{self, Nested};
use super::super::private_git::{ATTRIBUTES_FROM, Objects, PrivateGit};
use super::super::temporary::TemporaryDirectory;
use super::super::{Result, WorkspaceError, link};
use super::secrets::{is_left_out, may_be_secret};

/// The file that agency itself puts into a worktree.
const PROMPT: &[u8] = b".agency/prompt.md";
/// From this many files on, git brings them to the disk together.
pub(super) const MANY_FILES: usize = 64;

/// The index, up to date with the files.
pub(super) struct FilesIndex {
    private: PrivateGit,
    place: PrivateDirectory,
    nested: Nested,
    /// What the agent's own index has.
    tracked: HashSet<Vec<u8>>,
    /// Files that git does not track and that are left out on purpose.
    left_out: BTreeSet<PathBuf>,
    /// What git said about files that it did not take.
    complaint: Option<String>,
    /// Whether the objects that were added are on the disk already.
    synced: bool,
    tree: String,
}

impl FilesIndex {
    /// Looks at the files of a worktree and writes them as a tree.
    pub(super) fn at(checkout: &Checkout) -> Result<Self> {
        if let Some(cache) = checkout.kept.as_deref().and_then(IndexCache::lock) {
            let directory = cache.directory().to_owned();
            match Self::through(checkout, PrivateDirectory::Cached(cache)) {
                // Every further index would wait for it, too.
                Err(WorkspaceError::NamedPipe { command, path }) => {
                    return Err(WorkspaceError::NamedPipe { command, path });
                }
                Ok(index) => return Ok(index),
                Err(_) => {}
            }
            // Something was damaged, or objects were pruned. Everything is read again, elsewhere.
            if let Some(cache) = IndexCache::lock(&directory) {
                cache.clear();
            }
        }
        Self::through(checkout, PrivateDirectory::Temporary(TemporaryDirectory::new()?))
    }

    fn through(checkout: &Checkout, place: PrivateDirectory) -> Result<Self> {
        let private = PrivateGit::make(place.directory(), checkout, Objects::Unsynced)?;
        let theirs = private.agents_index(checkout)?;
        let tracked: HashSet<Vec<u8>> = theirs.entries.iter().map(|entry| entry.path.clone()).collect();
        let is_wanted = |path: &[u8]| tracked.contains(path) || !(path == PROMPT || may_be_secret(as_path(path)));
        let mut index = Self {
            private,
            place,
            nested: Nested::default(),
            tracked: HashSet::new(),
            left_out: BTreeSet::new(),
            complaint: None,
            synced: false,
            tree: String::new(),
        };
        let combined = |theirs: IndexFile, ours: Option<IndexFile>| {
            let mut wanted = combine(theirs, ours, &checkout.work_tree);
            wanted.entries.retain(|entry| is_wanted(&entry.path));
            let nested = nested::links_into(checkout, &mut wanted);
            (wanted, nested)
        };
        let before = index.as_it_is();
        let (wanted, nested) = combined(theirs, before.clone());
        index.nested = nested;
        let is_replaced = before.as_ref() != Some(&wanted);
        if is_replaced {
            index.forget_tree()?;
            // Entries that may be younger than the file they are in must be read again once they are in a newer one.
            let known = IndexFile::open(&index.private.index()).ok();
            let (wanted, nested) = combined(index.private.agents_index(checkout)?, known);
            index.nested = nested;
            index.private.write_index(&wanted)?;
        }
        let holds_untracked = wanted.entries.iter().any(|entry| !tracked.contains(&entry.path));
        let mut found = index.list(holds_untracked)?;
        found.ignored.retain(|path| !tracked.contains(path));
        index.tree = index.add(checkout, found, is_replaced)?;
        index.tracked = tracked;
        Ok(index)
    }

    /// The tree of the files.
    pub(super) fn tree(&self) -> &str {
        &self.tree
    }

    /// Whether its objects are on the disk already.
    pub(super) const fn is_synced(&self) -> bool {
        self.synced
    }

    /// Files that were left out on purpose, as text.
    pub(super) fn left_out(&self) -> Vec<PathBuf> {
        self.left_out.iter().cloned().collect()
    }

    /// What git said about files that it did not take.
    pub(super) fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// Starts to describe a git command on the index.
    pub(super) fn git(&self) -> GitCommand {
        self.private.git()
    }

    /// The same with the files of another directory.
    pub(super) fn git_over(&self, work_tree: &Path) -> GitCommand {
        self.private.git_over(work_tree)
    }

    /// Whether the agent's own index has a path.
    pub(super) fn is_tracked(&self, path: &[u8]) -> bool {
        self.tracked.contains(path)
    }

    /// The path of a second index beside this one.
    pub(super) fn draft(&self) -> PathBuf {
        self.private.index().with_file_name("index.draft")
    }

    /// Every path that the index holds.
    pub(super) fn paths(&self) -> Result<HashSet<Vec<u8>>> {
        Ok(self.read()?.entries.into_iter().map(|entry| entry.path).collect())
    }

    /// Lets the next look begin with the files as they are now.
    pub(super) fn forget_tree(&self) -> Result<()> {
        match &self.place {
            PrivateDirectory::Cached(cache) if !cache.forget_tree() => Err(self.unusable()),
            PrivateDirectory::Cached(_) | PrivateDirectory::Temporary(_) => Ok(()),
        }
    }

    fn unusable(&self) -> WorkspaceError {
        WorkspaceError::io("replace", self.place.directory())(std::io::ErrorKind::InvalidData.into())
    }

    fn read(&self) -> Result<IndexFile> {
        IndexFile::open(&self.private.index()).map_err(|_| self.unusable())
    }

    /// The index of the last look with the times that it has: as long as the file is not written again, git itself knows
    /// which entries are younger than the index.
    fn as_it_is(&self) -> Option<IndexFile> {
        let (content, _) = link::read_regular(&self.private.index(), MAX_INDEX_BYTES).ok()?;
        IndexFile::parse(&content).ok()
    }

    /// What differs from the index. Each list costs a walk through the files or the index, so all are made at once.
    fn list(&self, holds_untracked: bool) -> Result<Found> {
        thread::scope(|scope| {
            let untracked = scope
                .spawn(|| self.git().run(["ls-files", "-z", "--others", "--exclude-standard"]).read_with_unopened());
            let listed = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
            let ignored = holds_untracked.then(|| scope.spawn(move || self.git().run(listed).read()));
            let changed = self.git().run(["diff-files", "-z", "--name-only", "--ignore-submodules=all"]).read()?;
            let ignored = ignored.map_or(Ok(vec![]), joined)?;
            let (untracked, unopened) = joined(untracked)?;
            Ok(Found { changed: names(&changed), untracked: names(&untracked), ignored: names(&ignored), unopened })
        })
    }

    /// Takes what differs into the index, and writes it as a tree.
    fn add(&mut self, checkout: &Checkout, found: Found, is_replaced: bool) -> Result<String> {
        let Found { changed, untracked, ignored, unopened } = found;
        self.complaint = unopened.into_iter().next();
        let mut added = changed;
        for path in untracked {
            if path.ends_with(b"/") || path == PROMPT {
                // A repository of its own, or agency's file.
                continue;
            }
            if is_left_out(&checkout.work_tree, as_path(&path)) {
                self.left_out.insert(as_path(&path).to_owned());
            } else {
                added.push(path);
            }
        }
        // What is ignored now may have changed, too.
        let is_ignored: HashSet<&Vec<u8>> = ignored.iter().collect();
        added.retain(|path| !self.nested.is_link(path) && !is_ignored.contains(path));
        let is_same = added.is_empty() && ignored.is_empty() && !is_replaced;
        if is_same
            && let PrivateDirectory::Cached(cache) = &self.place
            && let Some(tree) = cache.tree()
        {
            return Ok(tree);
        }
        self.forget_tree()?;
        let is_behind_link = behind_links(&checkout.work_tree);
        let (gone, added): (Vec<_>, Vec<_>) = added.into_iter().partition(is_behind_link);
        self.update(&["--force-remove"], &[ignored, gone].concat())?;
        self.take(&added)?;
        let tree = self.git().run(["write-tree"]).read_line()?;
        if let PrivateDirectory::Cached(cache) = &self.place
            && self.complaint.is_none()
        {
            cache.keep_tree(&tree);
        }
        Ok(tree)
    }

    /// Reads the files at some paths; of what git does not take, the rest is taken.
    fn take(&mut self, paths: &[Vec<u8>]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        self.synced = paths.len() >= MANY_FILES;
        let Err(error) = self.update(&["--add", "--remove", "--replace"], paths) else { return Ok(()) };
        if matches!(error, WorkspaceError::NamedPipe { .. }) {
            return Err(error);
        }
        // A file may have vanished meanwhile, cannot be read, or an attribute of the agent's stops git.
        if self.add_literally(paths, None)? || self.add_literally(paths, Some(self.private.no_attributes()?))? {
            return Ok(());
        }
        self.complaint = Some(error.to_string());
        Ok(())
    }

    fn update(&self, options: &[&str], paths: &[Vec<u8>]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let git = if self.synced { self.synced_git() } else { self.git() };
        let git = git.run(["update-index"]).args(options).args(["-z", "--stdin"]);
        git.input(list_of(paths)?).read().map(drop)
    }

    fn add_literally(&self, paths: &[Vec<u8>], attributes: Option<String>) -> Result<bool> {
        let git = if self.synced { self.synced_git() } else { self.git() };
        let git = match attributes {
            Some(tree) => git.env(ATTRIBUTES_FROM, tree),
            None => git,
        };
        let add = ["add", "--all", "--sparse", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"];
        Ok(git.env("GIT_LITERAL_PATHSPECS", "1").run(add).input(list_of(paths)?).finish()?.success)
    }

    fn synced_git(&self) -> GitCommand {
        self.git().config("core.fsync=committed,loose-object").config("core.fsyncMethod=batch")
    }
}

/// What differs between the index and the files.
struct Found {
    changed: Vec<Vec<u8>>,
    untracked: Vec<Vec<u8>>,
    /// What an earlier look added and git ignores now.
    ignored: Vec<Vec<u8>>,
    /// What git said of each directory that it could not open.
    unopened: Vec<String>,
}

/// Whether a path is gone because a link is in the place of a directory above it. Git would take none of the files then.
fn behind_links(work_tree: &Path) -> impl FnMut(&Vec<u8>) -> bool {
    let mut known: HashMap<PathBuf, bool> = HashMap::new();
    move |path| {
        let mut above = as_path(path).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        above.any(|above| *known.entry(above.to_owned()).or_insert_with(|| work_tree.join(above).is_symlink()))
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The names in a list with a NUL after each.
pub(super) fn names(printed: &[u8]) -> Vec<Vec<u8>> {
    printed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
}

/// A list of names for git's standard input.
pub(super) fn list_of(paths: &[Vec<u8>]) -> Result<File> {
    let list: Vec<u8> = paths.iter().flat_map(|path| path.iter().copied().chain([0])).collect();
    standard_input(&list).map_err(WorkspaceError::io("write a list in", &std::env::temp_dir()))
}

pub(super) fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// A path of git's as one of the system's.
pub(super) fn to_path(path: Vec<u8>) -> PathBuf {
    std::ffi::OsString::from_vec(path).into()
}
