//! Turns a file's text into its raw values and the places of its keys.

use super::{
    ConfigError,
    entries::{Entry, dotted, index, nearest_to},
    file::ConfigFile,
    json_entries, shape,
    source::{Place, Source},
    toml_entries,
};
use serde::Deserializer;
use serde_path_to_error::Segment;
use std::path::Path;
use toml::de::DeTable;

/// A file whose keys are all known.
pub(super) struct Document<'text> {
    pub(super) source: Source<'text>,
    pub(super) entries: Vec<Entry>,
}

impl Document<'_> {
    /// The place of a key.
    pub(super) fn key_place(&self, path: &[&str]) -> Place {
        self.source.place(self.nearest_to(path).map_or(0, |entry| entry.key_offset))
    }

    /// The place of a key's value.
    pub(super) fn value_place(&self, path: &[&str]) -> Place {
        self.source.place(self.nearest_to(path).map_or(0, |entry| entry.value_offset))
    }

    fn nearest_to(&self, path: &[&str]) -> Option<&Entry> {
        let path: Vec<String> = path.iter().map(|&key| key.to_owned()).collect();
        nearest_to(&self.entries, &path)
    }
}

/// Parses a file: JSON where its name ends in `.json`, TOML otherwise.
pub(super) fn parse<'text>(path: &'text Path, text: &'text str) -> Result<(ConfigFile, Document<'text>), ConfigError> {
    let source = Source::new(path, text);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        parse_json(source)
    } else {
        parse_toml(source)
    }
}

fn parse_toml(source: Source<'_>) -> Result<(ConfigFile, Document<'_>), ConfigError> {
    let table = DeTable::parse(source.text).map_err(|error| ConfigError::Syntax {
        at: source.place(error.span().map_or(0, |span| span.start)),
        message: format!("not valid TOML: {}", error.message()),
    })?;
    let document = Document { entries: toml_entries::entries(&table), source };
    shape::check(&document)?;
    let file = read_values(toml::Deserializer::from(table), &document, |error| error.message().to_owned())?;
    Ok((file, document))
}

fn parse_json(source: Source<'_>) -> Result<(ConfigFile, Document<'_>), ConfigError> {
    let value: serde_json::Value = serde_json::from_str(source.text).map_err(|error| {
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
    let document = Document { source, entries };
    shape::check(&document)?;
    let file = read_values(value, &document, ToString::to_string)?;
    Ok((file, document))
}

fn read_values<'de, D: Deserializer<'de>>(
    deserializer: D,
    document: &Document<'_>,
    message: impl Fn(&D::Error) -> String,
) -> Result<ConfigFile, ConfigError> {
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = keys(error.path());
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        ConfigError::WrongValue { at: document.value_place(&path), key: dotted(&path), message: message(error.inner()) }
    })
}

fn keys(path: &serde_path_to_error::Path) -> Vec<String> {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            Segment::Seq { index: number } => Some(index(*number)),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}
