//! Other TOML files of the user's, read as strictly as the configuration itself.

use super::{ConfigError, Location, document, read};
use agency_model::document::Mistakes;
use serde::de::DeserializeOwned;
use std::path::Path;

/// What is wrong with a value that has the right type.
pub(crate) struct Misfit {
    /// The keys that lead to it.
    pub(crate) path: Vec<String>,
    /// What is wrong.
    pub(crate) message: String,
}

/// Reads the text of a file.
pub(crate) fn parse_strictly<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    Ok(document::parse_any(path, text)?.decode()?)
}

/// Reads a file that may be missing: `None` then. What its type does not know, and a value that `fits` refuses, has its
/// place.
pub(crate) fn read_strictly<T: DeserializeOwned>(
    path: &Path,
    fits: impl FnOnce(&T) -> Result<(), Misfit>,
) -> Result<Option<T>, ConfigError> {
    let Some(text) = read::text(&Location::Platform(path.to_owned()))? else { return Ok(None) };
    let document = document::parse_any(path, &text)?;
    let read: T = document.decode()?;
    fits(&read).map_err(|misfit| {
        let keys: Vec<&str> = misfit.path.iter().map(String::as_str).collect();
        Mistakes::from(document.mistake_of_value(&keys, misfit.message))
    })?;
    Ok(Some(read))
}
