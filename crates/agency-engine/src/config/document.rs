//! Turns a file's text into its values, each with its position.

use super::{ConfigError, file::ConfigFile, suggestion, toml_tree};
use agency_model::document::{Format, Mistake, Mistakes, Node, Reason, Source, decode, dotted_key, read_json};
use agency_model::policy::with_missing_action;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A file that was read.
pub(super) struct Document<'text> {
    pub(super) path: &'text Path,
    pub(super) source: Source<'text>,
    pub(super) root: Node,
}

impl Document<'_> {
    /// A mistake about the value of a key.
    pub(super) fn mistake_of_value(&self, path: &[&str], message: impl Into<String>) -> Mistake {
        let at = self.root.nearest_entry(path).map_or(self.root.at, |(_, node)| node.at);
        self.source.mistake(at, message).about(dotted(path))
    }

    /// A mistake about a key.
    pub(super) fn mistake_of_key(&self, path: &[&str], message: impl Into<String>) -> Mistake {
        let at = self.root.nearest_entry(path).map_or(self.root.at, |(key, _)| key.at);
        self.source.mistake(at, message).about(dotted(path))
    }

    /// The values as a type, or every mistake in them.
    pub(super) fn decode<T: DeserializeOwned>(&self) -> Result<T, Mistakes> {
        decode(&self.root, &self.source).map_err(|found| self.with_rules_explained(found))
    }

    /// Says how rules are written, where something else is in their place.
    pub(super) fn with_rules_explained(&self, found: Vec<Mistake>) -> Mistakes {
        let message = match self.source.format() {
            Format::Toml | Format::Yaml => "expected rules, each below `[[approval_policy]]`",
            Format::Json => "expected an array of rules",
        };
        Mistakes::from(found).map(|mistake| match (mistake.field.as_str(), mistake.reason) {
            ("approval_policy", Reason::Value) => Mistake { message: message.to_owned(), ..mistake },
            _ => with_missing_action(mistake),
        })
    }
}

/// The path as users write it: `agents.mine.args`, unusual keys in quotes.
pub(super) fn dotted(path: &[&str]) -> String {
    path.iter().fold(String::new(), |path, key| dotted_key(&path, key))
}

/// Parses a configuration file.
pub(super) fn parse<'text>(path: &'text Path, text: &'text str) -> Result<(ConfigFile, Document<'text>), ConfigError> {
    let document = parse_any(path, text)?;
    let file = document.decode().map_err(|mistakes| mistakes.map(suggestion::in_other_section))?;
    Ok((file, document))
}

/// Parses a file of any shape: JSON where its name ends in `.json`, TOML otherwise.
pub(super) fn parse_any<'text>(path: &'text Path, text: &'text str) -> Result<Document<'text>, ConfigError> {
    let format = if is_json(path) { Format::Json } else { Format::Toml };
    let source = Source::new(&path.display().to_string(), text, format);
    let root = match format {
        Format::Json => match read_json(&source) {
            (Some(root), mistakes) if mistakes.is_empty() => root,
            (_, mistakes) => return Err(Mistakes::from(mistakes).into()),
        },
        Format::Toml | Format::Yaml => toml_tree::read(&source).map_err(Mistakes::from)?,
    };
    Ok(Document { path, source, root })
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}
