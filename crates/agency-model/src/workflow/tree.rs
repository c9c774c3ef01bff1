//! A file as values with their places. Nothing is known yet of what they mean.

use serde_json::{Number, Value};

use super::{Layout, Position};

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String, Layout),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// The name of a value in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) at: Position,
}

impl Node {
    /// The text that it is, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text, _) = &self.kind { Some(text) } else { None }
    }

    /// What it is, in a user's words.
    pub(super) fn described(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(value) => format!("the number {value}"),
            Kind::Text(value, _) if value.chars().count() > 40 || value.contains('\n') => "a text".to_owned(),
            Kind::Text(value, _) => format!("\"{}\"", value.escape_debug()),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
        }
    }

    /// The value without its places.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::Text(value, _) => Value::String(value.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            Kind::Map(entries) => {
                Value::Object(entries.iter().map(|(key, node)| (key.name.clone(), node.value())).collect())
            }
        }
    }
}
