//! The directory of one test: a repository, the home with its worktrees, and runs that no other test has.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use agency_model::RunId;
use tempfile::TempDir;
use ulid::Ulid;

use crate::world::write;

static RUNS: AtomicU64 = AtomicU64::new(1);

/// One test's files. Everything is removed when it is dropped.
pub(crate) struct TestFiles {
    directory: TempDir,
    pub(crate) repository: PathBuf,
}

impl TestFiles {
    /// An empty directory for a repository of this name.
    pub(crate) fn new(name: &OsStr) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let repository = fs::canonicalize(directory.path()).unwrap().join(name);
        fs::create_dir(&repository).unwrap();
        Self { directory, repository }
    }

    /// The directory that holds everything of this test.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.directory.path()).unwrap()
    }

    /// Where looks at the files of a run are kept.
    pub(crate) fn looks(&self, run: &RunId) -> PathBuf {
        self.root().join("home/runs").join(run.as_str()).join("git")
    }

    pub(crate) fn trash(&self) -> PathBuf {
        self.root().join("home/trash")
    }

    /// The root of all worktrees, and in it the path of the worktree of this run.
    pub(crate) fn worktree_of(&self, run: &RunId) -> (PathBuf, PathBuf) {
        let root = self.root().join("home/worktrees");
        let path = root.join("0123456789abcdef").join(run.as_str());
        (root, path)
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.repository.join(name), text);
    }
}

/// The id of another run.
pub(crate) fn next_run() -> RunId {
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    RunId::from_ulid(Ulid::from_parts(number, u128::from(number)))
}
