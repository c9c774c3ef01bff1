//! A command line that a user wrote: words as a shell would split them, never run by a shell.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::{borrow::Cow, fmt, path::Path, str::FromStr};

/// A program and its arguments, in which `{prompt_file}` and `{mcp_config}` stand for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTemplate {
    text: String,
    words: Vec<String>,
}

/// The paths that placeholders stand for.
#[derive(Debug, Clone, Copy)]
pub struct TemplatePaths<'a> {
    /// `{prompt_file}`: the prompt; a chat has none.
    pub prompt_file: &'a Path,
    /// `{mcp_config}`: a file that names no MCP server.
    pub mcp_config: &'a Path,
}

/// A text that is not a command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum InvalidCommand {
    /// It names no program.
    #[error("it is empty: expected a program and its arguments")]
    Empty,
    /// It cannot be split into words.
    #[error("a quote is opened and not closed")]
    OpenQuote,
    /// No argument can hold it.
    #[error("it contains a NUL character")]
    Nul,
}

impl CommandTemplate {
    /// The program and its arguments, with the paths put in after the split: a path with spaces stays one word.
    #[must_use]
    pub fn filled(&self, paths: TemplatePaths<'_>) -> (String, Vec<String>) {
        let fill = |word: &String| {
            word.replace("{prompt_file}", &paths.prompt_file.display().to_string())
                .replace("{mcp_config}", &paths.mcp_config.display().to_string())
        };
        let mut words = self.words.iter().map(fill);
        (words.next().unwrap_or_default(), words.collect())
    }
}

impl FromStr for CommandTemplate {
    type Err = InvalidCommand;

    fn from_str(text: &str) -> Result<Self, InvalidCommand> {
        if text.contains('\0') {
            return Err(InvalidCommand::Nul);
        }
        let words = shell_words::split(text).map_err(|_| InvalidCommand::OpenQuote)?;
        if words.first().is_none_or(String::is_empty) {
            return Err(InvalidCommand::Empty);
        }
        Ok(Self { text: text.to_owned(), words })
    }
}

impl fmt::Display for CommandTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for CommandTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for CommandTemplate {
    fn schema_name() -> Cow<'static, str> {
        "CommandTemplate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A program and its arguments, split as a shell would, never run by a shell.",
            "minLength": 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Vec<String> {
        let paths = TemplatePaths { prompt_file: Path::new("/a b/prompt.md"), mcp_config: Path::new("/a b/.mcp.json") };
        let (program, args) = text.parse::<CommandTemplate>().unwrap().filled(paths);
        [vec![program], args].concat()
    }

    // proves A6
    #[test]
    fn words_are_split_as_a_shell_would_and_nothing_else_of_a_shell_happens() {
        let words = filled(r#"run 'one word' "two \"words\"" $HOME `id` $(id) a\ b ; | > *"#);
        assert_eq!(
            words,
            ["run", "one word", "two \"words\"", "$HOME", "`id`", "$(id)", "a b", ";", "|", ">", "*"],
            "{words:?}"
        );
    }

    #[test]
    fn a_path_with_a_space_stays_one_word_and_a_placeholder_may_be_part_of_one() {
        let words = filled("claude -p {prompt_file} --mcp-config={mcp_config} {other}");
        assert_eq!(words, ["claude", "-p", "/a b/prompt.md", "--mcp-config=/a b/.mcp.json", "{other}"]);
    }

    #[test]
    fn what_is_no_command_line_is_refused() {
        assert_eq!("".parse::<CommandTemplate>(), Err(InvalidCommand::Empty));
        assert_eq!("'' x".parse::<CommandTemplate>(), Err(InvalidCommand::Empty));
        assert_eq!("claude 'oh".parse::<CommandTemplate>(), Err(InvalidCommand::OpenQuote));
        assert_eq!("a\0b".parse::<CommandTemplate>(), Err(InvalidCommand::Nul));
    }
}
