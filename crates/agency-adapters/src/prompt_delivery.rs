//! The ways in which a prompt reaches an agent.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::{borrow::Cow, fmt, str::FromStr};

/// How the prompt reaches an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptDelivery {
    /// On its standard input.
    Stdin,
    /// As the last argument.
    Argument,
    /// As the path of a file that holds it, in the last argument.
    File,
    /// As the value of this flag.
    Flag(String),
    /// As the first message of the agent's own two-way protocol.
    Protocol,
}

/// A text that names no way of delivering a prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a way to pass a prompt: use {ALLOWED}", .0.escape_debug())]
pub struct InvalidPrompt(String);

const ALLOWED: &str = "`stdin`, `argument`, `file`, `protocol` or `flag:--name`";
const FLAG: &str = "flag:";

impl FromStr for PromptDelivery {
    type Err = InvalidPrompt;

    fn from_str(text: &str) -> Result<Self, InvalidPrompt> {
        match text {
            "stdin" => Ok(Self::Stdin),
            "argument" => Ok(Self::Argument),
            "file" => Ok(Self::File),
            "protocol" => Ok(Self::Protocol),
            _ => match text.strip_prefix(FLAG) {
                Some(flag) if is_flag(flag) => Ok(Self::Flag(flag.to_owned())),
                Some(_) | None => Err(InvalidPrompt(text.to_owned())),
            },
        }
    }
}

/// Whether this is one argument that begins like an option and has a name.
fn is_flag(text: &str) -> bool {
    text.starts_with('-')
        && !text.trim_start_matches('-').is_empty()
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

impl fmt::Display for PromptDelivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => formatter.pad("stdin"),
            Self::Argument => formatter.pad("argument"),
            Self::File => formatter.pad("file"),
            Self::Protocol => formatter.pad("protocol"),
            Self::Flag(flag) => formatter.pad(&format!("{FLAG}{flag}")),
        }
    }
}

impl<'de> Deserialize<'de> for PromptDelivery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for PromptDelivery {
    fn schema_name() -> Cow<'static, str> {
        "PromptDelivery".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "How the prompt reaches the agent.",
            "pattern": r"^(stdin|argument|file|protocol|flag:-+[^\s-]\S*)$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PromptDelivery;

    #[test]
    fn every_way_is_read_back_as_it_is_written() {
        for text in ["stdin", "argument", "file", "protocol", "flag:--prompt", "flag:-p"] {
            assert_eq!(text.parse::<PromptDelivery>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_answered_with_the_allowed_ones() {
        for text in ["", "Stdin", "flag", "flag:", "flag:--", "flag:prompt", "flag:--a b"] {
            assert!(text.parse::<PromptDelivery>().is_err(), "{text}");
        }
        insta::assert_snapshot!(
            "pipe".parse::<PromptDelivery>().unwrap_err(),
            @"`pipe` is not a way to pass a prompt: use `stdin`, `argument`, `file`, `protocol` or `flag:--name`"
        );
    }
}
