//! How the TUI looks.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use agency_model::ThemeChoice;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// The roles that can have a colour of their own. `selection` and `border` are places, the others are texts.
pub const THEME_ROLES: [&str; 12] =
    ["title", "quiet", "busy", "urgent", "good", "bad", "ended", "added", "removed", "accent", "border", "selection"];

/// The sixteen colours of a terminal, in their order.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "gray",
    "dark-gray",
    "light-red",
    "light-green",
    "light-yellow",
    "light-blue",
    "light-magenta",
    "light-cyan",
    "white",
];

/// How the TUI looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TuiConfig {
    /// Which colours are used.
    pub theme: ThemeChoice,
    /// Colours of the user's own, by role.
    pub colors: BTreeMap<String, ThemeColor>,
}

/// A colour of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ThemeColor {
    /// One of the 256 colours, of which the terminal's user chooses the first sixteen.
    Indexed(u8),
    /// Exactly this colour.
    Rgb(u8, u8, u8),
}

/// A text that is not a colour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a colour: use a name such as \"light-blue\", a number up to 255, or \"#rrggbb\"")]
pub struct NotAColor(String);

impl FromStr for ThemeColor {
    type Err = NotAColor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAColor(text.to_owned());
        if let Some(hex) = text.strip_prefix('#') {
            let digits = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok());
            return match (digits, part(0), part(2), part(4)) {
                (true, Some(red), Some(green), Some(blue)) => Ok(Self::Rgb(red, green, blue)),
                (_, _, _, _) => Err(wrong()),
            };
        }
        let named = NAMES.iter().zip(0_u8..).find(|(name, _)| **name == text).map(|(_, index)| index);
        named.or_else(|| text.parse().ok()).map(Self::Indexed).ok_or_else(wrong)
    }
}

impl fmt::Display for ThemeColor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Indexed(index) => match NAMES.get(usize::from(*index)) {
                Some(name) => formatter.write_str(name),
                None => write!(formatter, "{index}"),
            },
            Self::Rgb(red, green, blue) => write!(formatter, "#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}

impl TryFrom<String> for ThemeColor {
    type Error = NotAColor;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ThemeColor> for String {
    fn from(color: ThemeColor) -> Self {
        color.to_string()
    }
}

/// The table of the file.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "Tui")]
pub(super) struct TuiFile {
    /// The colours of the TUI: `auto` asks the terminal for its background, and `ansi` uses the terminal's own sixteen.
    #[serde(deserialize_with = "super::file::theme")]
    pub(super) theme: ThemeChoice,
    /// Colours of your own, by role, such as `accent = "light-blue"`, `214` or `"#d0a0ff"`.
    #[serde(deserialize_with = "colors")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(super) colors: BTreeMap<String, ThemeColor>,
}

impl Default for TuiConfig {
    fn default() -> Self {
        TuiFile::default().into()
    }
}

impl Default for TuiFile {
    fn default() -> Self {
        Self { theme: ThemeChoice::Auto, colors: BTreeMap::new() }
    }
}

impl From<TuiFile> for TuiConfig {
    fn from(file: TuiFile) -> Self {
        Self { theme: file.theme, colors: file.colors }
    }
}

fn colors<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, ThemeColor>, D::Error> {
    let written = BTreeMap::<String, String>::deserialize(deserializer)?;
    let read = |(role, color): (String, String)| {
        if !THEME_ROLES.contains(&role.as_str()) {
            return Err(de::Error::unknown_field(&role, &THEME_ROLES));
        }
        Ok((role, color.parse().map_err(de::Error::custom)?))
    };
    written.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_names_numbers_or_hexadecimal_and_are_written_as_they_are_read() {
        for (text, color) in [
            ("light-blue", ThemeColor::Indexed(12)),
            ("214", ThemeColor::Indexed(214)),
            ("#d0a0ff", ThemeColor::Rgb(0xd0, 0xa0, 0xff)),
        ] {
            assert_eq!(text.parse(), Ok(color));
            assert_eq!(color.to_string(), text);
        }
        for text in ["", "256", "-1", "purple", "#fff", "#d0a0fg", "#+1+1+1", "#äöü"] {
            assert!(text.parse::<ThemeColor>().is_err(), "{text}");
        }
    }
}
