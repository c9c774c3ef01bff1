//! What can be wrong with a file of rules.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::config::FilePosition;

/// The largest file that is read.
const MAX_BYTES: u64 = 1_000_000;

/// Why a file of rules is refused.
#[derive(Debug, thiserror::Error)]
pub enum ScreenRulesError {
    /// The operating system does not let it be read, or it is not text.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is too large to be a file of rules.
    #[error("{}: is larger than 1 MB ({MAX_BYTES} bytes)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Something in it is wrong.
    #[error("{at}: {message}")]
    Invalid {
        /// The place.
        at: FilePosition,
        /// What is wrong there.
        message: String,
    },
}

/// The text of a file, if it is not too long.
pub(super) fn text_of(path: &Path) -> Result<String, ScreenRulesError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(length) if length as u64 > MAX_BYTES => Err(ScreenRulesError::TooLarge { path: path.to_owned() }),
        Ok(_) => Ok(text),
        Err(source) => Err(ScreenRulesError::Unreadable { path: path.to_owned(), source }),
    }
}

/// A mistake at an offset of a text.
pub(super) fn invalid(path: &Path, text: &str, offset: usize, message: String) -> ScreenRulesError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    ScreenRulesError::Invalid { at: FilePosition { path: path.to_owned(), line, column }, message }
}
