//! A private copy of a working tree's index, into which everything is added.
//!
//! The one rule: the agent's own index, HEAD and branch are only read.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::index_file::{IndexEntry, IndexFile, Unusable};
use super::nested::{self, Nested};
use super::private_git::{ATTRIBUTES_FROM, Objects, PrivateGit};
use super::temporary::TemporaryDirectory;
use super::{Result, WorkspaceError};

/// An index of our own over an agent's working tree, which ends with it. What is added goes into the repository.
pub(super) struct Staging<'a> {
    checkout: &'a Checkout,
    private: PrivateGit,
    nested: Nested,
    /// A tree whose attributes apply instead of those in the working tree. Git also reads files when it writes a tree.
    attributes_from: OnceCell<String>,
    _directory: TemporaryDirectory,
}

impl<'a> Staging<'a> {
    /// Copies the index of a working tree. Files that the agent's index hides from git are not hidden in the copy.
    pub(super) fn over(checkout: &'a Checkout) -> Result<Self> {
        Self::with(checkout, Objects::Repository)
    }

    /// The same for a trial: what is added is gone with it.
    pub(super) fn trial(checkout: &'a Checkout) -> Result<Self> {
        Self::with(checkout, Objects::Private { also_from: None })
    }

    fn with(checkout: &'a Checkout, objects: Objects) -> Result<Self> {
        let directory = TemporaryDirectory::new()?;
        let private = PrivateGit::make(directory.path(), checkout, objects)?;
        let index = private.agents_index(checkout)?;
        private.write_index(&index)?;
        let nested = nested::find(&private, checkout, &index)?;
        Ok(Self { checkout, private, nested, attributes_from: OnceCell::new(), _directory: directory })
    }

    /// Starts to describe a git command on the copy.
    pub(super) fn git(&self) -> GitCommand {
        match self.attributes_from.get() {
            Some(tree) => self.private.git().env(ATTRIBUTES_FROM, tree),
            None => self.private.git(),
        }
    }

    /// The copy.
    pub(super) fn index(&self) -> PathBuf {
        self.private.index()
    }

    /// The repositories inside the working tree.
    pub(super) fn nested(&self) -> &Nested {
        &self.nested
    }

    /// Adds every change and every untracked file to the copy. Nested repositories are not looked into; of a submodule,
    /// the commit that is checked out is recorded where that is known.
    pub(super) fn add_everything(&self) -> Result<()> {
        let paths = everything_but(self.checkout, &self.nested.all())?;
        self.git().run(ADD_ALL).input(paths).read_every_directory()?;
        self.nested.record_links(&self.private)
    }

    /// The same, but where a filter or an encoding stops git, the files as they are: saved in another form than they would
    /// be committed in is better than not saved.
    pub(super) fn add_everything_in_any_form(&self) -> Result<()> {
        match self.add_everything() {
            // Git would wait for the pipe again.
            Err(error @ WorkspaceError::NamedPipe { .. }) => Err(error),
            Err(error) => self.add_everything_as_it_is().map_err(|_| error),
            Ok(()) => Ok(()),
        }
    }

    /// The same, byte for byte: from now on no filter runs and no encoding is changed.
    fn add_everything_as_it_is(&self) -> Result<()> {
        let no_attributes = self.private.no_attributes()?;
        self.attributes_from.get_or_init(|| no_attributes);
        self.add_everything()
    }

    /// The same, without the files that git does not take.
    pub(super) fn add_what_git_takes(&self) -> Result<()> {
        let paths = everything_but(self.checkout, &self.nested.all())?;
        // Git says by its exit code that it left something out.
        self.git().run(ADD_ALL).arg("--ignore-errors").input(paths).finish()?;
        self.nested.record_links(&self.private)
    }

    /// Writes the copy as a tree; `None` while it holds conflicts.
    pub(super) fn tree(&self) -> Result<Option<String>> {
        match self.git().run(["write-tree"]).read_line() {
            Ok(tree) => Ok(Some(tree)),
            Err(WorkspaceError::Git { message, .. }) if message.contains("unmerged") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes what is staged as a tree, before anything is added. Of a conflict, the first of our, their and the common
    /// version that there is stands for the file.
    pub(super) fn staged_tree(&self) -> Result<String> {
        if let Some(tree) = self.tree()? {
            return Ok(tree);
        }
        let unusable = |source: Unusable| WorkspaceError::io("read", &self.index())(io::Error::other(source));
        let mut index = IndexFile::open(&self.index()).map_err(unusable)?;
        let rank = |stage: u16| [0, 2, 3, 1].iter().position(|known| *known == stage);
        index.entries.sort_by(|a, b| (&a.path, rank(a.stage())).cmp(&(&b.path, rank(b.stage()))));
        index.entries.dedup_by(|later, first| later.path == first.path);
        index.entries = index.entries.into_iter().map(IndexEntry::plain).collect();
        let resolved = self.index().with_file_name("index.resolved");
        std::fs::write(&resolved, index.to_bytes()).map_err(WorkspaceError::io("write", &resolved))?;
        self.git().env("GIT_INDEX_FILE", &resolved).run(["write-tree"]).read_line()
    }
}

/// Adds everything that a list of pathspecs on standard input names.
pub(super) const ADD_ALL: [&str; 5] = ["add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];

/// A list of pathspecs for the whole working tree, except some paths and jj's own files. A list, since an agent can make
/// more repositories than a command line holds.
pub(super) fn everything_but(checkout: &Checkout, without: &[PathBuf]) -> Result<File> {
    let of_jj = checkout.is_jj.then_some(Path::new(".jj"));
    let mut list = b".\0".to_vec();
    for path in without.iter().map(PathBuf::as_path).chain(of_jj) {
        list.extend_from_slice(b":(top,exclude,literal)");
        list.extend_from_slice(path.as_os_str().as_bytes());
        list.push(0);
    }
    let write = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(&list)?;
        file.rewind()?;
        Ok(file)
    };
    write().map_err(WorkspaceError::io("write a list in", &std::env::temp_dir()))
}
