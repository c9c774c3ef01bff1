//! Other TOML files of the user's, read as strictly as the configuration itself.

use super::{
    ConfigError, Location,
    document::{self, Document},
    entries::{ConfigEntry, dotted},
    read,
};
use serde::de::DeserializeOwned;
use std::path::Path;

/// The keys that may stand in the table at a path; `None` where any key may.
pub(crate) type KnownKeys = fn(&[&str]) -> Option<&'static [&'static str]>;

/// What is wrong with a value that has the right type.
pub(crate) struct Misfit {
    /// The keys that lead to it.
    pub(crate) path: Vec<String>,
    /// What is wrong.
    pub(crate) message: String,
}

/// Reads a file that may be missing: `None` then. A key that is not known, and a value that `fits` does not like, is
/// refused with its place.
pub(crate) fn read_strictly<T: DeserializeOwned>(
    path: &Path,
    known: KnownKeys,
    fits: impl FnOnce(&T) -> Result<(), Misfit>,
) -> Result<Option<T>, ConfigError> {
    let Some(text) = read::text(&Location::Platform(path.to_owned()))? else { return Ok(None) };
    let (value, document) = document::parse_any(path, &text)?;
    for entry in &document.entries {
        check_key(&document, entry, known, |key, known| {
            agency_model::nearest(key, known.iter().copied()).map(str::to_owned)
        })?;
    }
    let wrong = |path: &[String], message: String| {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        ConfigError::WrongValue { at: document.value_position(&keys), key: dotted(path), message }
    };
    let read: T = serde_path_to_error::deserialize(value)
        .map_err(|error| wrong(&document::keys(error.path()), error.inner().to_string()))?;
    fits(&read).map_err(|misfit| wrong(&misfit.path, misfit.message))?;
    Ok(Some(read))
}

/// Refuses a key that is not known where it stands. `meant` finds the right name of one that is not.
pub(super) fn check_key(
    document: &Document<'_>,
    entry: &ConfigEntry,
    known_in: KnownKeys,
    meant: impl FnOnce(&str, &'static [&'static str]) -> Option<String>,
) -> Result<(), ConfigError> {
    let keys = entry.keys();
    let Some((key, known)) = keys.split_last().and_then(|(key, parent)| Some((*key, known_in(parent)?))) else {
        return Ok(());
    };
    if known.contains(&key) {
        return Ok(());
    }
    Err(ConfigError::UnknownKey {
        at: document.source.place(entry.key_offset),
        key: dotted(&entry.path),
        known: known.to_vec(),
        nearest: meant(key, known),
    })
}
