//! A file as values with their positions. Nothing is known yet of what they mean.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::Format;
use crate::Position;

/// A text is repeated in a message up to this length.
const MAX_QUOTED_CHARS: usize = 40;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// Where a list or map in brackets is closed; the beginning of all other values.
    pub end: Position,
    /// What it is.
    pub kind: NodeKind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(NodeText),
    /// Values in their order.
    List(Vec<Node>),
    /// Values by name, each name once.
    Map(Vec<(Key, Node)>),
    /// What only TOML has, as it is written: a date, a time, infinity.
    Other(String),
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeText {
    /// The text.
    pub value: String,
    /// Where its first character is, behind a quote.
    pub at: Position,
    /// How its lines lie in the file.
    pub layout: Layout,
}

/// How the lines of a text lie in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Line by line below each other, as after `|`.
    Lines,
    /// All on one line.
    OneLine,
    /// Folded or escaped, so that only its beginning is known.
    Folded,
}

/// The name of a value in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The name.
    pub name: String,
    /// Where it is.
    pub at: Position,
}

impl Node {
    /// A value that is not in brackets.
    #[must_use]
    pub const fn new(at: Position, kind: NodeKind) -> Self {
        Self { at, end: at, kind }
    }

    /// The text that it is, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let NodeKind::Text(text) = &self.kind { Some(&text.value) } else { None }
    }

    /// Its entries; none if it is not a map.
    #[must_use]
    pub fn entries(&self) -> &[(Key, Self)] {
        if let NodeKind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The value under a name, if it is a map that has it.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&(Key, Self)> {
        self.entries().iter().find(|(key, _)| key.name == name)
    }

    /// The entry at the end of the names, or the last one on the way to it.
    #[must_use]
    pub fn nearest_entry(&self, names: &[&str]) -> Option<&(Key, Self)> {
        let (first, rest) = names.split_first()?;
        let entry = self.entry(first)?;
        entry.1.nearest_entry(rest).or(Some(entry))
    }

    /// What it is, in the words of its format.
    #[must_use]
    pub fn described(&self, format: Format) -> String {
        match &self.kind {
            NodeKind::Null => format.null().to_owned(),
            NodeKind::Bool(value) => format!("`{value}`"),
            NodeKind::Number(value) => format!("the number {value}"),
            NodeKind::Text(text) => quoted(&text.value).unwrap_or_else(|| format.text().to_owned()),
            NodeKind::List(_) => format.list().to_owned(),
            NodeKind::Map(_) => format.map().to_owned(),
            NodeKind::Other(written) => format!("`{written}`"),
        }
    }

    /// The value without its positions.
    #[must_use]
    pub fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::Number(value) => Value::Number(value.clone()),
            NodeKind::Text(text) => Value::String(text.value.clone()),
            NodeKind::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            NodeKind::Map(entries) => {
                Value::Object(entries.iter().map(|(key, node)| (key.name.clone(), node.value())).collect())
            }
            NodeKind::Other(written) => Value::String(written.clone()),
        }
    }
}

/// A short text in quotes; none if it is long or has several lines.
pub(super) fn quoted(text: &str) -> Option<String> {
    let is_short = text.chars().count() <= MAX_QUOTED_CHARS && !text.contains('\n');
    is_short.then(|| format!("\"{}\"", text.escape_debug()))
}

/// The path of a key below a path, as users write it: `agents.mine`, unusual keys in quotes.
#[must_use]
pub fn dotted_key(parent: &str, key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let mut path = parent.to_owned();
    if !path.is_empty() {
        path.push('.');
    }
    // Writing to a string does not fail.
    let _ = if is_bare { write!(path, "{key}") } else { write!(path, "{key:?}") };
    path
}

/// The path of an element of a list: `args[1]`.
#[must_use]
pub fn dotted_index(parent: &str, index: usize) -> String {
    format!("{parent}[{index}]")
}

#[cfg(test)]
mod tests {
    use super::{dotted_index, dotted_key};

    #[test]
    fn paths_read_as_users_write_them() {
        let args = dotted_key(&dotted_key(&dotted_key("", "agents"), "mine"), "args");
        assert_eq!(dotted_index(&args, 1), "agents.mine.args[1]");
        assert_eq!(dotted_key(&dotted_key("agents", "a.b"), "\u{1b}[0m"), "agents.\"a.b\".\"\\u{1b}[0m\"");
    }
}
