//! The sample repository of the demonstration, and tasks that the scripted agent can do in it.
//!
//! The one rule: it needs git and nothing else, neither an identity nor a home, and it touches only the directory it is
//! given.
//!
//! ```
//! # let place = tempfile::tempdir()?;
//! # let directory = place.path().join("lantern");
//! let sample = agency_engine::scripted::sample::create(&directory)?;
//! assert!(sample.path.join("play.py").is_file());
//! // Each task has a prompt for the agent `scripted`.
//! assert!(sample.tasks.iter().all(|task| task.prompt.contains("```agency")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::scripted::git;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files of the repository's only commit.
const FILES: [(&str, &str); 8] = [
    (".gitignore", include_str!("sample/repository/gitignore")),
    ("README.md", include_str!("sample/repository/README.md")),
    ("play.py", include_str!("sample/repository/play.py")),
    ("lantern/__init__.py", include_str!("sample/repository/lantern/__init__.py")),
    ("lantern/game.py", include_str!("sample/repository/lantern/game.py")),
    ("lantern/rooms.py", include_str!("sample/repository/lantern/rooms.py")),
    ("tests/__init__.py", include_str!("sample/repository/tests/__init__.py")),
    ("tests/test_game.py", include_str!("sample/repository/tests/test_game.py")),
];

const TASKS: [SampleTask; 3] = [
    SampleTask { name: "dig-a-cellar", prompt: include_str!("sample/tasks/dig-a-cellar.md") },
    SampleTask { name: "save-the-game", prompt: include_str!("sample/tasks/save-the-game.md") },
    SampleTask { name: "write-a-walkthrough", prompt: include_str!("sample/tasks/write-a-walkthrough.md") },
];

/// Settings of the repository itself, so that no agent in it meets the user's hooks or is asked for a key, and work lands
/// also where the user has no identity yet.
const SETTINGS: [(&str, &str); 4] = [
    ("commit.gpgSign", "false"),
    ("core.hooksPath", "/dev/null"),
    ("user.name", "agency"),
    ("user.email", "agency@localhost"),
];

/// A sample repository that was just made.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SampleRepo {
    /// Its working tree, on the branch `main`.
    pub path: PathBuf,
    /// What agents can do in it, each independent of the others. The commits of all merge; what the last one leaves
    /// uncommitted conflicts with the second.
    pub tasks: [SampleTask; 3],
}

/// Something the scripted agent can do in the sample repository.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SampleTask {
    /// A short name, fit for a branch.
    pub name: &'static str,
    /// The prompt: text, and directives for the agent.
    pub prompt: &'static str,
}

/// Why there is no sample repository.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SampleError {
    /// The directory holds something.
    #[error("`{}` is not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory could not be made.
    #[error("cannot write `{}`", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// git could not be started.
    #[error("cannot run git")]
    GitNotStarted(#[source] io::Error),
    /// git refused.
    #[error("git could not make a repository of `{}`: {message}", path.display())]
    Git {
        /// The directory.
        path: PathBuf,
        /// The message of git.
        message: String,
    },
}

/// Makes the sample repository in a directory that is empty or not there yet.
///
/// # Errors
///
/// Fails when the directory holds something, when it cannot be written, and when git fails.
pub fn create(directory: &Path) -> Result<SampleRepo, SampleError> {
    make_directory(directory)?;
    if fs::read_dir(directory).map_err(file_error(directory))?.next().is_some() {
        return Err(SampleError::NotEmpty { path: directory.to_owned() });
    }
    for (name, text) in FILES {
        let path = directory.join(name);
        path.parent().map_or(Ok(()), make_directory)?;
        fs::write(&path, text).map_err(file_error(&path))?;
    }
    commit(directory)?;
    let path = directory.canonicalize().map_err(file_error(directory))?;
    Ok(SampleRepo { path, tasks: TASKS })
}

fn make_directory(path: &Path) -> Result<(), SampleError> {
    fs::create_dir_all(path).map_err(file_error(path))
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> SampleError {
    move |source| SampleError::File { path: path.to_owned(), source }
}

fn commit(directory: &Path) -> Result<(), SampleError> {
    let git = |arguments: &[&str]| {
        let answer = git(directory, arguments).map_err(SampleError::GitNotStarted)?;
        answer
            .into_success()
            .map_err(|error| SampleError::Git { path: directory.to_owned(), message: error.to_string() })
    };
    git(&["init", "--quiet", "--template=", "--initial-branch", "main"])?;
    for (name, value) in SETTINGS {
        git(&["config", name, value])?;
    }
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "A small text adventure"])?;
    Ok(())
}

#[cfg(test)]
mod tests;
