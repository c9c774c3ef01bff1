//! A text that was read from JSON and is written to JSON more often than it is read.
//!
//! The one rule: it is the same text in both forms.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A text, which is decoded when it is first read.
///
/// It behaves as a `&str`. serde can write it as JSON only.
#[derive(Clone)]
pub struct JsonText {
    form: TextForm,
}

#[derive(Clone)]
enum TextForm {
    Plain(String),
    /// A JSON string, and the text that it is.
    Encoded {
        json: Box<RawValue>,
        plain: OnceLock<String>,
    },
}

impl JsonText {
    /// Keeps a JSON string as it is. `None` for any other value, and for a string that has to be decoded to know whether it
    /// is a text: `\ud83d` alone is half a character.
    #[must_use]
    pub fn encoded(json: &RawValue) -> Option<Self> {
        let is_text = json.get().starts_with('"') && !json.get().contains("\\u");
        is_text.then(|| Self { form: TextForm::Encoded { json: json.to_owned(), plain: OnceLock::new() } })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.form {
            TextForm::Plain(text) => text,
            TextForm::Encoded { json, plain } => plain.get_or_init(|| decoded(json)),
        }
    }

    /// The text, without a copy of what was decoded before.
    #[must_use]
    pub fn into_string(self) -> String {
        match self.form {
            TextForm::Plain(text) => text,
            TextForm::Encoded { json, plain } => plain.into_inner().unwrap_or_else(|| decoded(&json)),
        }
    }
}

/// A JSON string without `\u` is always a text.
fn decoded(json: &RawValue) -> String {
    serde_json::from_str(json.get()).unwrap_or_default()
}

impl Default for JsonText {
    fn default() -> Self {
        String::new().into()
    }
}

impl From<String> for JsonText {
    fn from(text: String) -> Self {
        Self { form: TextForm::Plain(text) }
    }
}

impl From<&str> for JsonText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for JsonText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonText {}

impl PartialEq<str> for JsonText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for JsonText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), formatter)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.form {
            TextForm::Plain(text) => serializer.serialize_str(text),
            TextForm::Encoded { json, .. } => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests;
