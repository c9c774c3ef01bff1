//! A file of screen rules of the user's own.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agency_adapters::screen::{ScreenRules, ScreenRulesError};

/// The largest file that is read.
const MAX_RULES_BYTES: u64 = 1_000_000;

/// Why a file of rules is refused.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ScreenRulesFileError {
    /// The operating system does not let it be read, or it is not text.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is too large to be a file of rules.
    #[error("{}: is larger than 1 MB ({MAX_RULES_BYTES} bytes)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Invalid(#[from] ScreenRulesError),
}

/// Reads a file of rules, whole or not at all.
pub fn load_screen_rules(path: &Path) -> Result<ScreenRules, ScreenRulesFileError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_RULES_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(length) if length as u64 > MAX_RULES_BYTES => Err(ScreenRulesFileError::TooLarge { path: path.to_owned() }),
        Ok(_) => Ok(ScreenRules::parse(path, &text)?),
        Err(source) => Err(ScreenRulesFileError::Unreadable { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_or_too_large_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules.toml");
        let refused = || load_screen_rules(&path).unwrap_err().to_string();
        assert!(refused().contains("rules.toml: cannot be read"));
        std::fs::write(&path, "#".repeat(1_000_001)).unwrap();
        assert!(refused().ends_with("is larger than 1 MB (1000000 bytes)"));
        std::fs::write(&path, [0xff]).unwrap();
        assert!(refused().contains("cannot be read"));
    }

    #[test]
    fn rules_are_read_from_a_file_and_mistakes_name_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rules.toml");
        std::fs::write(&path, "version = \"2.0\"\nrules = []\n").unwrap();
        assert_eq!(load_screen_rules(&path).unwrap().version(), "2.0");
        std::fs::write(&path, "version = \n").unwrap();
        assert!(load_screen_rules(&path).unwrap_err().to_string().contains("rules.toml:1:"));
    }
}
