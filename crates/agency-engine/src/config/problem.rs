//! What can be wrong with a configuration file.

use super::{FilePosition, NamedBy};
use std::{
    borrow::Borrow,
    path::{Path, PathBuf},
};

/// The largest file that is read.
pub(super) const MAX_BYTES: usize = 1_000_000;

/// Why a configuration file is refused. Each message begins with the file, and its line and column where it has one.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that the user named is missing.
    #[error("{}: {by} names this file, but it does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What named it.
        by: NamedBy,
    },
    /// The operating system does not let it be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is too large to be a configuration.
    #[error("{}: is larger than 1 MB ({MAX_BYTES} bytes)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It is no UTF-8 text.
    #[error("{}: is not UTF-8 text: the byte at offset {offset} does not belong there", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is not, from 0.
        offset: usize,
    },
    /// It is no TOML, or no JSON.
    #[error("{at}: {message}")]
    Syntax {
        /// The place.
        at: FilePosition,
        /// What is wrong there.
        message: String,
    },
    /// It is JSON, but no object.
    #[error("{at}: expected a table of settings")]
    NoTable {
        /// The place where one should begin.
        at: FilePosition,
    },
    /// A key of a JSON object is there twice.
    #[error("{at}: duplicate key `{key}`")]
    DuplicateKey {
        /// The place of the second one.
        at: FilePosition,
        /// The key with its tables.
        key: String,
    },
    /// A key does not belong where it is.
    #[error("{at}: unknown key `{key}`: {}", remedy(nearest.as_deref(), known))]
    UnknownKey {
        /// The place of the key.
        at: FilePosition,
        /// The key with its tables.
        key: String,
        /// The keys that belong there.
        known: Vec<&'static str>,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A value is of the wrong type, or outside its bounds.
    #[error("{at}: `{key}`: {message}")]
    WrongValue {
        /// The place of the value.
        at: FilePosition,
        /// The key with its tables.
        key: String,
        /// What was found and expected.
        message: String,
    },
    /// An agent's name has other characters than it may.
    #[error("{at}: `{key}`: an agent's name has only letters, digits, `_` and `-`")]
    InvalidAgentName {
        /// The place of the name.
        at: FilePosition,
        /// The key with its tables.
        key: String,
    },
    /// An agent is there under two spellings.
    #[error("{at}: `agents.{first}` and `agents.{second}` are the same agent: keep one of them")]
    SameAgent {
        /// The place of one of them.
        at: FilePosition,
        /// One spelling.
        first: String,
        /// The other spelling.
        second: String,
    },
    /// A custom agent has no program.
    #[error("{at}: `agents.{name}` is not a built-in agent, so it needs a `command`{}", meant(nearest.as_deref()))]
    AgentWithoutCommand {
        /// The place of its name.
        at: FilePosition,
        /// The name.
        name: String,
        /// The agent that was probably meant.
        nearest: Option<String>,
    },
    /// The default agent is none of the agents.
    #[error("{at}: `default_agent`: there is no agent {name:?}: {}", remedy(nearest.as_deref(), known))]
    UnknownDefaultAgent {
        /// The place of the value.
        at: FilePosition,
        /// The name.
        name: String,
        /// The agents that there are.
        known: Vec<String>,
        /// The agent that was probably meant.
        nearest: Option<String>,
    },
}

fn remedy<Name: Borrow<str>>(nearest: Option<&str>, known: &[Name]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known here are `{}`", known.join("`, `")),
    }
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default()
}

impl ConfigError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file_and_position().0
    }

    /// The line, where the mistake has one.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.file_and_position().1.map(|place| place.line)
    }

    /// The column, where the mistake has one.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.file_and_position().1.map(|place| place.column)
    }

    fn file_and_position(&self) -> (&Path, Option<&FilePosition>) {
        match self {
            Self::Missing { path, .. }
            | Self::Unreadable { path, .. }
            | Self::TooLarge { path }
            | Self::NotUtf8 { path, .. } => (path, None),
            Self::Syntax { at, .. }
            | Self::NoTable { at }
            | Self::DuplicateKey { at, .. }
            | Self::UnknownKey { at, .. }
            | Self::WrongValue { at, .. }
            | Self::InvalidAgentName { at, .. }
            | Self::SameAgent { at, .. }
            | Self::AgentWithoutCommand { at, .. }
            | Self::UnknownDefaultAgent { at, .. } => (&at.path, Some(at)),
        }
    }
}
