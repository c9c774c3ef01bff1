//! The directory of a session, and the names of the files in it.

use std::path::{Path, PathBuf};

use agency_model::SessionId;
use agency_model::workflow::StepPath;

use crate::home::Home;

/// Holds everything about one session but its worktree.
#[derive(Debug, Clone)]
pub struct SessionDirectory {
    path: PathBuf,
}

impl SessionDirectory {
    /// The directory of a session.
    #[must_use]
    pub fn of(home: &Home, id: &SessionId) -> Self {
        Self { path: home.sessions().join(id.as_str()) }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the session is; written once.
    #[must_use]
    pub fn record(&self) -> PathBuf {
        self.path.join("session.json")
    }

    /// What happened in it, one fact a line.
    #[must_use]
    pub fn history(&self) -> PathBuf {
        self.path.join("history.ndjson")
    }

    /// The lock that its driver holds for its whole lifetime.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.path.join("session.lock")
    }

    /// The last merge that left no trace in history, which confirms what the repository says about it.
    #[must_use]
    pub fn merged(&self) -> PathBuf {
        self.path.join("merged.txt")
    }

    /// Where one attempt of a step keeps its files.
    #[must_use]
    pub fn step(&self, path: &StepPath, attempt: u32) -> PathBuf {
        // Names of steps are plain words, so that only the rounds and the way down have to be spelled in another way.
        let name = path.as_str().replace('/', ".");
        self.path.join("steps").join(format!("{name}.{attempt}"))
    }
}
