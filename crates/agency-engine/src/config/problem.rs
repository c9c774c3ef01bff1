//! What can be wrong with a configuration file.

use super::NamedBy;
use agency_model::document::Mistakes;
use std::path::PathBuf;

/// The largest file that is read.
pub(super) const MAX_BYTES: usize = 1_000_000;

/// Why a configuration file is refused. Each message begins with the file, and its line and column where it has one.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    /// It is not UTF-8 text.
    #[error("{}: is not UTF-8 text: the byte at offset {offset} does not belong there", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is not, from 0.
        offset: usize,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Invalid(#[from] Mistakes),
}
