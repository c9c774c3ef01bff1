//! What a type of Rust says about a value that it cannot be read from, and where the value is.

use std::fmt::{self, Display};

use serde::de::{Error, Expected, Unexpected};

use super::super::tree::quoted;
use super::super::{Format, Mistake, Node, Reason, Source, dotted_key};
use crate::{Position, nearest};

/// Why a value cannot be read. Its place is added by the reader that knows it.
#[derive(Debug)]
pub(super) struct DecodeError {
    what: What,
    pub(super) field: String,
    /// The field that contains it.
    pub(super) parent: String,
    at: Option<Position>,
}

#[derive(Debug)]
enum What {
    Custom(String),
    Mismatch { expected: String, found: FoundValue },
    UnknownValue { value: String, known: &'static [&'static str] },
    UnknownKey { key: String, known: &'static [&'static str] },
    Missing(&'static str),
}

/// What was found instead of what was expected.
#[derive(Debug)]
enum FoundValue {
    Null,
    List,
    Map,
    Text(String),
    Number(String),
    Other(String),
}

impl DecodeError {
    fn new(what: What) -> Self {
        Self { what, field: String::new(), parent: String::new(), at: None }
    }

    /// A value of another kind than expected.
    pub(super) fn mismatch(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(What::Mismatch { expected: expected.to_string(), found: FoundValue::new(found) })
    }

    /// Adds the place, if it has none yet: that of a value, or the end of one that lacks a field.
    pub(super) fn placed(self, node: &Node, field: &str) -> Self {
        if self.at.is_some() {
            return self;
        }
        if let What::Missing(name) = self.what {
            let missing = dotted_key(field, name);
            return Self { field: missing, parent: field.to_owned(), at: Some(node.end), ..self };
        }
        Self { field: field.to_owned(), at: Some(node.at), ..self }
    }

    /// Adds the place of a key, if it has none yet.
    pub(super) fn placed_at_key(self, at: Position, field: &str) -> Self {
        if self.at.is_some() { self } else { Self { field: field.to_owned(), at: Some(at), ..self } }
    }

    /// What is left out, so that the rest can be read.
    pub(super) fn to_skip(&self) -> &str {
        if matches!(self.what, What::Missing(_)) { &self.parent } else { &self.field }
    }

    pub(super) fn into_mistake(self, source: &Source<'_>) -> Mistake {
        let at = self.at.unwrap_or(Position::START);
        let format = source.format();
        let mistake = |message: String| source.mistake(at, message);
        let mistake = match self.what {
            What::Custom(message) => mistake(message),
            What::Mismatch { expected, found } => {
                let expected = format.expected(&expected);
                match found.described(format, may_be_secret(&self.field)) {
                    Some(found) => mistake(format!("expected {expected}, found {found}")),
                    None => mistake(format!("expected {expected}")),
                }
            }
            What::UnknownValue { value, known } => {
                let message = format!("unknown value `{}`, expected {}", value.escape_debug(), one_of(known));
                mistake(message).meant(nearest(&value, known.iter().copied()))
            }
            What::UnknownKey { key, known } => match nearest(&key, known.iter().copied()) {
                Some(meant) => mistake("unknown key".to_owned()).meant(Some(meant)),
                None => mistake(format!("unknown key, expected {}", one_of(known))),
            }
            .because(Reason::UnknownKey),
            What::Missing(_) => mistake("missing".to_owned()).because(Reason::Missing),
        };
        mistake.about(self.field)
    }
}

/// Values of variables and headers are not repeated.
fn may_be_secret(field: &str) -> bool {
    field.split('.').any(|part| matches!(part, "env" | "headers"))
}

fn one_of(known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        several => format!("one of {}", several.join(", ")),
    }
}

impl FoundValue {
    fn new(found: Unexpected<'_>) -> Self {
        match found {
            Unexpected::Unit | Unexpected::Option => Self::Null,
            Unexpected::Seq => Self::List,
            Unexpected::Map => Self::Map,
            Unexpected::Str(text) => Self::Text(text.to_owned()),
            Unexpected::Bool(value) => Self::Other(format!("`{value}`")),
            Unexpected::Unsigned(number) => Self::Number(number.to_string()),
            Unexpected::Signed(number) => Self::Number(number.to_string()),
            Unexpected::Float(number) => Self::Number(number.to_string()),
            Unexpected::Char(_)
            | Unexpected::Bytes(_)
            | Unexpected::NewtypeStruct
            | Unexpected::Enum
            | Unexpected::UnitVariant
            | Unexpected::NewtypeVariant
            | Unexpected::TupleVariant
            | Unexpected::StructVariant
            | Unexpected::Other(_) => Self::Other(found.to_string()),
        }
    }

    fn described(&self, format: Format, may_be_secret: bool) -> Option<String> {
        match self {
            Self::Null => Some(format.null().to_owned()),
            Self::List => Some(format.list().to_owned()),
            Self::Map => Some(format.map().to_owned()),
            Self::Text(_) | Self::Number(_) | Self::Other(_) if may_be_secret => None,
            Self::Text(text) => Some(quoted(text).unwrap_or_else(|| format.text().to_owned())),
            Self::Number(number) => Some(format!("the number {number}")),
            Self::Other(words) => Some(words.clone()),
        }
    }
}

impl Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Custom(message) => formatter.write_str(message),
            What::Mismatch { expected, .. } => write!(formatter, "expected {expected}"),
            What::UnknownValue { value, .. } => write!(formatter, "unknown value `{value}`"),
            What::UnknownKey { key, .. } => write!(formatter, "unknown key `{key}`"),
            What::Missing(field) => write!(formatter, "missing `{field}`"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Error for DecodeError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(What::Custom(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch(found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch(found, expected)
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownValue { value: value.to_owned(), known })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownKey { key: key.to_owned(), known })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(What::Missing(field))
    }
}
