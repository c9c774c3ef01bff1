//! The settings of agents, with one entry more and not a byte less.

use std::collections::BTreeMap;

use agency_adapters::ServerNotation;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The name under which agents know the server.
pub(super) const NAME: &str = "agency";

/// The entry of the server in an agent's settings.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) notation: ServerNotation,
    pub(super) entry: Value,
}

/// Why settings cannot get the entry.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingsError {
    /// They are not a JSON object.
    #[error(transparent)]
    NotJson(#[from] serde_json::Error),
    /// Their servers are not a JSON object.
    #[error("{key}: {source}")]
    ServersNotJson {
        key: &'static str,
        #[source]
        source: serde_json::Error,
    },
    /// They are not TOML.
    #[error("{}", .0.message())]
    NotToml(#[from] toml::de::Error),
    /// With the entry they would not be TOML: tables that are written on one line take no further table.
    #[error("{key} cannot be added to: {}", .source.message())]
    ClosedTable {
        key: &'static str,
        #[source]
        source: toml::de::Error,
    },
}

impl Settings {
    /// All that settings have to hold.
    pub(super) fn snippet(&self) -> String {
        match self.notation {
            ServerNotation::Json(key) => format!("{:#}", json!({ key: { NAME: self.entry } })),
            ServerNotation::Toml(key) => {
                let fields = self.entry.as_object().into_iter().flatten();
                let lines: String = fields.map(|(name, value)| format!("{name} = {}\n", in_toml(value))).collect();
                format!("[{key}.{NAME}]\n{}", lines.trim_end())
            }
        }
    }

    /// The text with the entry; none if it has one already.
    pub(super) fn added_to(&self, text: &str) -> Result<Option<String>, SettingsError> {
        match self.notation {
            ServerNotation::Json(_) if text.trim().is_empty() => Ok(Some(self.snippet() + "\n")),
            ServerNotation::Json(key) => self.added_to_json(text, key),
            ServerNotation::Toml(key) => self.added_to_toml(text, key),
        }
    }

    fn added_to_json(&self, text: &str, key: &'static str) -> Result<Option<String>, SettingsError> {
        let whole = members(text)?;
        let entry = format!("{}: {}", json!(NAME), self.entry);
        let Some(servers) = whole.get(key) else {
            return Ok(Some(put_first(text, text, &format!("{}: {{ {entry} }}", json!(key)), whole.is_empty())));
        };
        let known = members(servers.get()).map_err(|source| SettingsError::ServersNotJson { key, source })?;
        if known.contains_key(NAME) {
            return Ok(None);
        }
        Ok(Some(put_first(text, servers.get(), &entry, known.is_empty())))
    }

    fn added_to_toml(&self, text: &str, key: &'static str) -> Result<Option<String>, SettingsError> {
        let known = |table: &toml::Table| table.get(key).and_then(|servers| servers.get(NAME)).is_some();
        if known(&text.parse()?) {
            return Ok(None);
        }
        let gap = if text.is_empty() || text.ends_with("\n\n") {
            ""
        } else if text.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        let after = format!("{text}{gap}{}\n", self.snippet());
        after.parse::<toml::Table>().map_err(|source| SettingsError::ClosedTable { key, source })?;
        Ok(Some(after))
    }
}

/// A value on one line. A JSON string, or a list of them, is one of TOML too.
fn in_toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => value.to_string(),
    }
}

/// The members of a JSON object, each as it is written.
fn members(text: &str) -> serde_json::Result<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text)
}

/// Puts a member first into an object that is a part of a text.
fn put_first(text: &str, object: &str, member: &str, is_empty: bool) -> String {
    // The object is a slice of the text, so the distance of their beginnings is its place.
    let start = object.as_ptr() as usize - text.as_ptr() as usize;
    let brace = start + object.find('{').map_or(0, |at| at + 1);
    let (before, after) = text.split_at(brace);
    let comma = if is_empty { "" } else { "," };
    format!("{before}\n  {member}{comma}{}{after}", if after.starts_with(['\n', '\r']) { "" } else { "\n" })
}
