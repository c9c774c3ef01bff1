//! Turns a file's text into its raw values and the places of its keys.

use super::{
    ConfigError,
    entries::{ConfigEntry, dotted, index, nearest_to},
    file::ConfigFile,
    json_entries, shape,
    source::{FilePosition, Source},
    toml_entries,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::Segment;
use std::path::Path;
use toml::{Spanned, de::DeTable};

/// A file whose keys are all known.
pub(super) struct Document<'text> {
    pub(super) source: Source<'text>,
    pub(super) entries: Vec<ConfigEntry>,
}

impl Document<'_> {
    /// The place of a key.
    pub(super) fn key_position(&self, path: &[&str]) -> FilePosition {
        self.source.place(self.nearest_to(path).map_or(0, |entry| entry.key_offset))
    }

    /// The place of a key's value.
    pub(super) fn value_position(&self, path: &[&str]) -> FilePosition {
        self.source.place(self.nearest_to(path).map_or(0, |entry| entry.value_offset))
    }

    fn nearest_to(&self, path: &[&str]) -> Option<&ConfigEntry> {
        let path: Vec<String> = path.iter().map(|&key| key.to_owned()).collect();
        nearest_to(&self.entries, &path)
    }
}

/// Parses a file: JSON where its name ends in `.json`, TOML otherwise.
pub(super) fn parse<'text>(path: &'text Path, text: &'text str) -> Result<(ConfigFile, Document<'text>), ConfigError> {
    let source = Source::new(path, text);
    if is_json(path) {
        let (value, document) = parse_json(source)?;
        shape::check(&document)?;
        Ok((read_values(value, &document, ToString::to_string)?, document))
    } else {
        let (table, document) = parse_toml(source)?;
        shape::check(&document)?;
        let message = |error: &toml::de::Error| error.message().to_owned();
        Ok((read_values(toml::Deserializer::from(table), &document, message)?, document))
    }
}

/// Parses a file of any shape. Its values are as JSON has them, whatever it is written in.
pub(super) fn parse_any<'text>(path: &'text Path, text: &'text str) -> Result<(Value, Document<'text>), ConfigError> {
    let source = Source::new(path, text);
    if is_json(path) {
        return parse_json(source);
    }
    let (table, document) = parse_toml(source)?;
    let message = |error: &toml::de::Error| error.message().to_owned();
    Ok((read_values(toml::Deserializer::from(table), &document, message)?, document))
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn parse_toml(source: Source<'_>) -> Result<(Spanned<DeTable<'_>>, Document<'_>), ConfigError> {
    let table = DeTable::parse(source.text).map_err(|error| ConfigError::Syntax {
        at: source.place(error.span().map_or(0, |span| span.start)),
        message: format!("not valid TOML: {}", error.message()),
    })?;
    let document = Document { entries: toml_entries::entries(&table), source };
    Ok((table, document))
}

fn parse_json(source: Source<'_>) -> Result<(Value, Document<'_>), ConfigError> {
    let value: Value = serde_json::from_str(source.text).map_err(|error| {
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        ConfigError::Syntax {
            at: source.place(source.offset(error.line(), error.column())),
            message: format!("not valid JSON: {}", message.strip_suffix(&suffix).unwrap_or(&message)),
        }
    })?;
    let entries = json_entries::entries(source.text).map_err(|duplicate| ConfigError::DuplicateKey {
        at: source.place(duplicate.offset),
        key: dotted(&duplicate.path),
    })?;
    Ok((value, Document { source, entries }))
}

fn read_values<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    document: &Document<'_>,
    message: impl Fn(&D::Error) -> String,
) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = keys(error.path());
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        ConfigError::WrongValue {
            at: document.value_position(&path),
            key: dotted(&path),
            message: message(error.inner()),
        }
    })
}

/// The keys of a path in the values.
pub(super) fn keys(path: &serde_path_to_error::Path) -> Vec<String> {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            Segment::Seq { index: number } => Some(index(*number)),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}
