//! Looks at the files of a working tree as git would add them, without adding them anywhere but in a private place.
//!
//! The one rule: the repository does not grow, the agent may be at work meanwhile, and what is cache from the last index
//! never hides a change.

pub(super) mod combine;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;

use self::combine::combine;
use super::checkout::Checkout;
use super::git_command::{Finished, GitCommand};
use super::index_cache::{Comparison, IndexCache};
use super::index_file::IndexFile;
use super::nested::{self, Nested};
use super::private_git::{ATTRIBUTES_FROM, Objects, PrivateGit};
use super::staging::{ADD_ALL, everything_but};
use super::temporary::TemporaryDirectory;
use super::{Commit, Result, WorkspaceError};

/// From this many files on, one pack is faster to write and to read than a file for each object.
const MIN_PACKED_FILES: usize = 64;

/// What git listed, and what it said of each directory that it could not open.
type Listed = (Vec<u8>, Vec<String>);

/// A private index that holds the files of a working tree as they are.
pub(super) struct DiffIndex {
    private: PrivateGit,
    nested: Nested,
    ignored: Vec<PathBuf>,
    /// What git said of each directory that it could not open.
    unread: Vec<String>,
    /// Whether something was added.
    grown: bool,
    place: PrivateDirectory,
}

/// Where the private git directory is.
pub(super) enum PrivateDirectory {
    Cached(IndexCache),
    Temporary(TemporaryDirectory),
}

impl PrivateDirectory {
    pub(super) fn directory(&self) -> &Path {
        match self {
            Self::Cached(cache) => cache.directory(),
            Self::Temporary(directory) => directory.path(),
        }
    }
}

impl DiffIndex {
    /// Adds the files of a working tree to a private index.
    pub(super) fn at(checkout: &Checkout) -> Result<Self> {
        if let Some(cache) = checkout.kept.as_deref().and_then(IndexCache::lock) {
            let directory = cache.directory().to_owned();
            let ours = IndexFile::open(&directory.join("index")).ok();
            match Self::through(checkout, PrivateDirectory::Cached(cache), ours.as_ref(), None) {
                Ok(index) => return Ok(index),
                // Every further index would wait for it, too.
                Err(error @ WorkspaceError::NamedPipe { .. }) => return Err(error),
                Err(_) => {}
            }
            // A full disk, or something damaged. Everything is read again, elsewhere. What was kept is deleted only
            // once that went well: a look that fails changes nothing.
            let index = Self::anew(checkout)?;
            if let Some(cache) = IndexCache::lock(&directory) {
                cache.clear();
            }
            return Ok(index);
        }
        // Another process uses what is cache: it is only read, and may be deleted meanwhile.
        let shared = checkout.kept.as_ref().map(|cache| (cache.join("index"), cache.join("objects")));
        if let Some((index, objects)) = shared
            && let Ok(ours) = IndexFile::open(&index)
        {
            let place = PrivateDirectory::Temporary(TemporaryDirectory::new()?);
            let index = Self::through(checkout, place, Some(&ours), Some(objects));
            if index.as_ref().is_ok_and(Self::is_complete) {
                return index;
            }
        }
        Self::anew(checkout)
    }

    /// Adds the files to a private index and compares a commit with them.
    pub(super) fn compared(checkout: &Checkout, comparison: Comparison, base: &Commit) -> Result<(Self, Vec<u8>)> {
        let index = Self::at(checkout)?;
        let error = match index.compare(comparison, base) {
            Ok(result) => return Ok((index, result)),
            Err(error) => error,
        };
        let PrivateDirectory::Cached(cache) = &index.place else { return Err(error) };
        let directory = cache.directory().to_owned();
        // Objects of the last look may be gone; git looks for them only now. The lock ends with the index.
        drop(index);
        let index = Self::anew(checkout)?;
        let result = index.compare(comparison, base)?;
        if let Some(cache) = IndexCache::lock(&directory) {
            cache.clear();
        }
        Ok((index, result))
    }

    fn anew(checkout: &Checkout) -> Result<Self> {
        Self::through(checkout, PrivateDirectory::Temporary(TemporaryDirectory::new()?), None, None)
    }

    fn through(
        checkout: &Checkout,
        place: PrivateDirectory,
        ours: Option<&IndexFile>,
        also_from: Option<PathBuf>,
    ) -> Result<Self> {
        let private = PrivateGit::make(place.directory(), checkout, Objects::Private { also_from })?;
        let theirs = private.agents_index(checkout)?;
        let tracked: HashSet<Vec<u8>> = theirs.entries.iter().map(|entry| entry.path.clone()).collect();
        let mut wanted = combine(theirs, ours.cloned(), &checkout.work_tree);
        let nested = nested::links_into(checkout, &mut wanted);
        let mut index = Self { private, nested, ignored: Vec::new(), unread: Vec::new(), grown: false, place };
        // What is unread was read before the last index, in the second in which that was made: it may have changed.
        let unread = wanted.entries.iter().filter(|entry| entry.is_unread()).count();
        let is_on_disk = matches!(index.place, PrivateDirectory::Cached(_)) && ours == Some(&wanted);
        if unread > 0 || !is_on_disk {
            index.replace_index(&wanted)?;
        }
        let (ignored, (changed, unopened)) = index.list(unread)?;
        index.unread = unopened;
        // Without what is ignored, the index is another one, and so is what differs from it.
        let changed =
            if index.leave_out_ignored(&ignored, wanted, &tracked)? { index.changed(unread)?.0 } else { changed };
        index.add(checkout, unread, &changed)?;
        Ok(index)
    }

    /// What git ignores, and what is not in the private index yet. Each costs a walk through the working tree, so both
    /// are made at once.
    fn list(&self, unread: usize) -> Result<(Vec<u8>, Listed)> {
        thread::scope(|scope| {
            let ignored = scope.spawn(|| self.all_ignored());
            let changed = self.changed(unread)?;
            let ignored = ignored.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((ignored, changed))
        })
    }

    fn all_ignored(&self) -> Result<Vec<u8>> {
        let listed = ["ls-files", "-z", "-t", "--cached", "--others", "--ignored", "--exclude-standard", "--directory"];
        self.git().run(listed).read()
    }

    /// What is not in the private index yet, and what git said of each directory that it could not open.
    fn changed(&self, unread: usize) -> Result<Listed> {
        let git = self.git().run(["ls-files", "-z", "-t", "--others", "--exclude-standard"]);
        // What is unread is added in any case; git would read it to say whether it is modified.
        let git = if unread == 0 { git.args(["--modified", "--deleted"]) } else { git };
        git.read_with_unopened()
    }

    /// Takes out what git ignores now and the agent does not track, and notes what is ignored; whether anything
    /// was taken out.
    fn leave_out_ignored(&mut self, first: &[u8], mut index: IndexFile, tracked: &HashSet<Vec<u8>>) -> Result<bool> {
        let mut printed = Cow::Borrowed(first);
        let all = index.entries.len();
        loop {
            let names = || printed.split(|byte| *byte == 0);
            let ignored: HashSet<&[u8]> = names().filter_map(|name| name.strip_prefix(b"H ")).collect();
            let before = index.entries.len();
            index.entries.retain(|entry| !ignored.contains(entry.path.as_slice()) || tracked.contains(&entry.path));
            if index.entries.len() == before {
                self.ignored = listed_as_ignored(names().filter_map(|name| name.strip_prefix(b"? ")));
                return Ok(before < all);
            }
            self.replace_index(&index)?;
            printed = Cow::Owned(self.all_ignored()?);
        }
    }

    /// Adds what is not in the private index yet.
    fn add(&mut self, checkout: &Checkout, unread: usize, printed: &[u8]) -> Result<()> {
        let names = || printed.split(|byte| *byte == 0);
        self.nested =
            std::mem::take(&mut self.nested).with_untracked(names().filter_map(|name| name.strip_prefix(b"? ")));
        let is_file = |name: &&[u8]| {
            let path = name.get(2..).unwrap_or_default();
            !path.is_empty() && !path.ends_with(b"/") && !path.starts_with(b".jj/") && !self.nested.is_link(path)
        };
        let files = unread + names().filter(is_file).count();
        if files == 0 {
            return Ok(());
        }
        self.forget_results()?;
        let add = |git: GitCommand| {
            let git = if files >= MIN_PACKED_FILES { git.config("core.bigFileThreshold=1") } else { git };
            git.run(ADD_ALL).arg("--ignore-errors").input(everything_but(checkout, &self.nested.all())?).finish()
        };
        // A file may vanish while git reads it, and an attribute of the agent's may stop git.
        let mut added = add(self.git())?;
        if !added.success {
            added = add(self.git())?;
        }
        if !added.success {
            added = add(self.git().env(ATTRIBUTES_FROM, self.private.no_attributes()?))?;
        }
        self.grown = true;
        match &self.place {
            PrivateDirectory::Cached(_) if !added.success => Err(not_added(checkout, &added)),
            PrivateDirectory::Temporary(_) if could_not_store(&added) => Err(not_added(checkout, &added)),
            // A file that cannot be read leaves the others.
            PrivateDirectory::Cached(_) | PrivateDirectory::Temporary(_) => Ok(()),
        }
    }

    /// Compares a commit with the files.
    fn compare(&self, comparison: Comparison, base: &Commit) -> Result<Vec<u8>> {
        if let PrivateDirectory::Cached(cache) = &self.place
            && let Some(result) = cache.result(comparison, base)
        {
            return Ok(result);
        }
        // The base's attributes: those of the agent could hide text by taking it for binary.
        let git = self.private.git_without_files().env(ATTRIBUTES_FROM, base.as_str());
        let git = git.run(["diff-index", "--cached", "-M"]).comparing_links().args(comparison.options());
        let result = git.arg(base.as_str()).read()?;
        if let PrivateDirectory::Cached(cache) = &self.place {
            cache.keep_result(comparison, base, &result);
        }
        Ok(result)
    }

    /// The repositories inside the working tree.
    pub(super) fn nested(&self) -> &Nested {
        &self.nested
    }

    /// What git ignores.
    pub(super) fn ignored(&self) -> &[PathBuf] {
        &self.ignored
    }

    /// What git said of each directory that it could not open.
    pub(super) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// The files as a tree, whose objects are private.
    pub(super) fn tree(&self) -> Result<String> {
        self.git().run(["write-tree"]).read_line()
    }

    /// Where the private objects are; those that are only read are no longer needed once there is a tree.
    pub(super) fn objects(&self) -> PathBuf {
        self.place.directory().join("objects")
    }

    /// Whether all objects of the private index are there.
    fn is_complete(&self) -> bool {
        self.tree().is_ok()
    }

    /// Starts to describe a git command on the private index.
    pub(super) fn git(&self) -> GitCommand {
        self.private.git()
    }

    fn replace_index(&self, index: &IndexFile) -> Result<()> {
        self.forget_results()?;
        self.private.write_index(index)
    }

    fn forget_results(&self) -> Result<()> {
        match &self.place {
            PrivateDirectory::Cached(cache) if !cache.forget_results() => {
                Err(WorkspaceError::io("replace", cache.directory())(std::io::ErrorKind::ReadOnlyFilesystem.into()))
            }
            PrivateDirectory::Cached(_) | PrivateDirectory::Temporary(_) => Ok(()),
        }
    }
}

impl Drop for DiffIndex {
    fn drop(&mut self) {
        if let PrivateDirectory::Cached(cache) = &self.place
            && self.grown
        {
            cache.limit_size();
        }
    }
}

/// Whether git read a file and could not store it, as on a full disk: without it, the changes would look like none.
fn could_not_store(added: &Finished) -> bool {
    // With the last line git only says that it passed over some files.
    let is_fatal = |line: &str| line.starts_with("fatal: ") && line != "fatal: adding files failed";
    !added.success
        && added.stderr.lines().any(|line| line.ends_with(": failed to insert into database") || is_fatal(line))
}

fn not_added(checkout: &Checkout, added: &Finished) -> WorkspaceError {
    WorkspaceError::Git {
        command: "add".to_owned(),
        directory: checkout.work_tree.clone(),
        message: added.stderr.clone(),
    }
}

/// Those of the names that say something to a user.
pub(super) fn listed_as_ignored<'a>(names: impl Iterator<Item = &'a [u8]>) -> Vec<PathBuf> {
    let paths = names.filter(|path| !path.is_empty()).map(|path| PathBuf::from(OsStr::from_bytes(path)));
    paths.filter(|path| !path.starts_with(".agency") && !path.starts_with(".jj")).collect()
}
