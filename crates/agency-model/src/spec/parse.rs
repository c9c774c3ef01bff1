//! Reads a spec file and says exactly where it is wrong.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::{SpecDraft, wording};
use crate::nearest;

/// A spec is small; anything larger is a mistake, such as a log file given by accident.
pub const MAX_SPEC_BYTES: u64 = 1024 * 1024;

/// Why a spec cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The file is too large to be a spec.
    #[error("it is {bytes} bytes; a run spec has at most {MAX_SPEC_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The file is not text.
    #[error("line {line}, column {column}: it is not UTF-8: the byte at offset {offset} starts no character")]
    NotUtf8 {
        /// Where.
        offset: usize,
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
    },
    /// A field has the wrong shape.
    #[error("line {line}, column {column}: {}{expected}{}", at_field(.field), did_you_mean(.suggestion.as_ref()))]
    Wrong {
        /// The dotted path of the field; empty for the whole object.
        field: String,
        /// What was expected and found.
        expected: String,
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// A required field is missing.
    #[error("{}`{field}` is missing: expected {}", at_position(*.line, *.column), wording::expected_of(.field))]
    Missing {
        /// The dotted path of the field.
        field: &'static str,
        /// The end of the object that lacks it, from 1; 0 where there is no file.
        line: usize,
        /// Its column; 0 where there is no file.
        column: usize,
    },
}

fn at_field(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}`: ") }
}

fn did_you_mean(suggestion: Option<&String>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn at_position(line: usize, column: usize) -> String {
    if line == 0 { String::new() } else { format!("line {line}, column {column}: ") }
}

impl SpecDraft {
    /// Reads a spec file.
    pub fn parse(bytes: &[u8]) -> Result<Self, SpecError> {
        let size = bytes.len() as u64;
        if size > MAX_SPEC_BYTES {
            return Err(SpecError::TooLarge { bytes: size });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))?;
        // serde would take an array for a struct, field by field.
        if !text.trim_start().starts_with('{') {
            let (line, column) = position(text, text.len() - text.trim_start().len());
            let expected = "expected an object, such as {\"repo\": …}".to_owned();
            return Err(SpecError::Wrong { field: String::new(), expected, line, column, suggestion: None });
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let draft = serde_path_to_error::deserialize(&mut reader).map_err(|error| wrong(&error))?;
        reader.end().map_err(|error| SpecError::Wrong {
            field: String::new(),
            expected: "expected the end of the file after the object".to_owned(),
            line: error.line(),
            column: error.column(),
            suggestion: None,
        })?;
        Ok(draft)
    }
}

impl SpecError {
    /// Adds the place in `text` where a missing field belongs.
    #[must_use]
    pub fn located_in(self, text: &str) -> Self {
        match self {
            Self::Missing { field, .. } => {
                let (line, column) = position(text, end_of_object(text, field));
                Self::Missing { field, line, column }
            }
            Self::TooLarge { .. } | Self::NotUtf8 { .. } | Self::Wrong { .. } => self,
        }
    }

    /// The dotted path of the field that is wrong, if it is about one.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Wrong { field, .. } => Some(field.as_str()).filter(|field| !field.is_empty()),
            Self::Missing { field, .. } => Some(field),
            Self::TooLarge { .. } | Self::NotUtf8 { .. } => None,
        }
    }

    /// Line and column of the problem, where the spec has them.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::Wrong { line, column, .. }
            | Self::Missing { line, column, .. }
            | Self::NotUtf8 { line, column, .. }
                if *line > 0 =>
            {
                Some((*line, *column))
            }
            Self::Wrong { .. } | Self::Missing { .. } | Self::TooLarge { .. } | Self::NotUtf8 { .. } => None,
        }
    }
}

fn wrong(error: &serde_path_to_error::Error<serde_json::Error>) -> SpecError {
    let inner = error.inner();
    let whole = inner.to_string();
    // serde_json ends its message with the position, which the caller gets as numbers.
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
    let (field, expected) = wording::in_users_words(&error.path().to_string(), message);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let suggestion = match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") => nearest(unknown, known.iter().copied()),
        Some(_) | None => None,
    };
    SpecError::Wrong {
        field,
        expected,
        line: inner.line(),
        column: inner.column(),
        suggestion: suggestion.map(str::to_owned),
    }
}

fn not_utf8(bytes: &[u8], offset: usize) -> SpecError {
    let before = String::from_utf8_lossy(bytes.get(..offset).unwrap_or_default());
    let (line, column) = position(&before, before.len());
    SpecError::NotUtf8 { offset, line, column }
}

/// The offset of the brace that closes the object in which `field` belongs.
fn end_of_object(text: &str, field: &str) -> usize {
    let whole = text.trim_end().len().saturating_sub(1);
    let Some((parent, _)) = field.split_once('.') else {
        return whole;
    };
    let fields: HashMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    fields.get(parent).map_or(whole, |raw| {
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        start + raw.get().len() - 1
    })
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests;
