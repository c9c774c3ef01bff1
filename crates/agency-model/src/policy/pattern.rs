//! What a rule is about: tools, commands and paths, as they are written in a file.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::glob::{Case, Glob, Piece};
use crate::nearest;

/// One text, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
pub(super) enum Words {
    One(String),
    Several(Vec<String>),
}

impl Words {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Several(words) => words,
        }
    }
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPattern {
    /// It says nothing.
    #[error("it is empty: leave it out where it does not matter")]
    Empty,
    /// More than one command.
    #[error(
        "{0:?} is not allowed in a pattern: a pattern matches one command, and each part of a longer line is matched separately"
    )]
    Shell(char),
    /// A path from elsewhere.
    #[error("`{0}` does not begin in the workspace: write `outside` for everything that is not in it")]
    NotRelative(String),
    /// A directory instead of what is in it.
    #[error("`{0}` has an empty part: write `{1}/**` for everything below a directory")]
    EmptyPart(String, String),
    /// A slip.
    #[error("`{0}`: did you mean `{1}`? A file of that name is `./{0}`")]
    Slip(String, &'static str),
}

/// The tools that a rule is about. Capital letters do not matter, `-` and `_` are the same, `*` and `?` are wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Words", into = "Words")]
#[schemars(with = "Words")]
pub struct ToolPattern {
    written: Words,
    globs: Vec<Glob>,
}

/// `Web-Fetch` is as good as `web_fetch`.
pub(super) fn spelled(name: &str) -> String {
    name.replace('-', "_").to_lowercase()
}

impl ToolPattern {
    pub(super) fn fits(&self, name: &str) -> bool {
        let name = spelled(name);
        self.globs.iter().any(|glob| glob.fits(&name, Case::Exact))
    }
}

impl TryFrom<Words> for ToolPattern {
    type Error = InvalidPattern;

    fn try_from(written: Words) -> Result<Self, Self::Error> {
        let words = written.as_slice();
        if words.is_empty() || words.iter().any(|word| word.trim().is_empty()) {
            return Err(InvalidPattern::Empty);
        }
        let globs = words.iter().map(|word| Glob::new(&spelled(word))).collect();
        Ok(Self { written, globs })
    }
}

impl From<ToolPattern> for Words {
    fn from(pattern: ToolPattern) -> Self {
        pattern.written
    }
}

/// The commands that a rule is about: a list of words that a command begins with, or a text whose words have `*` and `?`.
/// A `*` that is a whole word stands for any number of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Words", into = "Words")]
#[schemars(with = "Words")]
pub struct CommandPattern {
    written: Words,
    pieces: Vec<Piece<Glob>>,
}

impl CommandPattern {
    /// Whether these are the words of such a command, and nothing else.
    pub(super) fn fits(&self, words: &[String]) -> bool {
        super::glob::fits(&self.pieces, words, |glob, word| glob.fits(word, Case::Exact))
    }

    /// Whether a command that begins with these words may be meant, whatever follows, wherever its program is kept.
    pub(super) fn may_begin(&self, words: &[String]) -> bool {
        self.may_fit(words, [])
    }

    /// Whether such a command may begin anywhere in these words.
    pub(super) fn may_be_in(&self, words: &[String]) -> bool {
        self.may_fit(words, [Piece::Any])
    }

    fn may_fit<const BEFORE: usize>(&self, words: &[String], before: [Piece<Glob>; BEFORE]) -> bool {
        let open: Vec<Piece<Glob>> =
            before.into_iter().chain(self.pieces.iter().cloned()).chain([Piece::Any]).collect();
        super::glob::fits(&open, words, |glob, word| looks_like(glob, word))
    }
}

fn looks_like(glob: &Glob, word: &str) -> bool {
    let file_name = word.rsplit('/').next().unwrap_or(word);
    glob.fits(word, Case::Any) || glob.fits(file_name, Case::Any)
}

impl TryFrom<Words> for CommandPattern {
    type Error = InvalidPattern;

    fn try_from(written: Words) -> Result<Self, Self::Error> {
        let pieces: Vec<Piece<Glob>> = match &written {
            Words::One(text) => {
                let odd = |letter: &char| "'\"\\$`;&|<>(){}#!\n\r".contains(*letter);
                if let Some(letter) = text.chars().find(odd) {
                    return Err(InvalidPattern::Shell(letter));
                }
                let piece = |word| if word == "*" { Piece::Any } else { Piece::One(Glob::new(word)) };
                text.split_whitespace().map(piece).collect()
            }
            Words::Several(words) if words.iter().any(String::is_empty) => return Err(InvalidPattern::Empty),
            Words::Several(words) => {
                let words = words.iter().map(|word| Piece::One(Glob::literal(word)));
                words.chain([Piece::Any]).collect()
            }
        };
        // A pattern of wildcards alone says nothing about commands.
        if !pieces.iter().any(|piece| matches!(piece, Piece::One(_))) {
            return Err(InvalidPattern::Empty);
        }
        Ok(Self { written, pieces })
    }
}

impl From<CommandPattern> for Words {
    fn from(pattern: CommandPattern) -> Self {
        pattern.written
    }
}

/// The paths that a rule is about: `inside` or `outside` the workspace, or a path below it in which `*` and `?` are
/// wildcards and `**` stands for any number of directories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum PathPattern {
    /// Anything in the workspace.
    Inside,
    /// Anything else.
    Outside,
    /// Some paths in the workspace.
    Below(Below),
}

/// A path below the workspace, with wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Below {
    written: String,
    segments: Vec<Piece<Glob>>,
}

impl Below {
    pub(super) fn fits(&self, path: &[String], case: Case) -> bool {
        super::glob::fits(&self.segments, path, |glob, segment| glob.fits(segment, case))
    }
}

impl TryFrom<String> for PathPattern {
    type Error = InvalidPattern;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        match written.as_str() {
            "" => return Err(InvalidPattern::Empty),
            "inside" => return Ok(Self::Inside),
            "outside" => return Ok(Self::Outside),
            other if !other.contains(['/', '.', '*', '?']) => {
                if let Some(meant) = ["inside", "outside"].into_iter().find(|word| nearest(other, [*word]).is_some()) {
                    return Err(InvalidPattern::Slip(written, meant));
                }
            }
            _ => {}
        }
        let below = written.strip_prefix("./").unwrap_or(&written);
        if below.starts_with(['/', '~']) || below.split('/').any(|segment| segment == "..") {
            return Err(InvalidPattern::NotRelative(written));
        }
        if below.split('/').any(|segment| matches!(segment, "" | ".")) {
            let directory = below.trim_matches(['/', '.']).to_owned();
            return Err(InvalidPattern::EmptyPart(written, directory));
        }
        let piece = |segment| if segment == "**" { Piece::Any } else { Piece::One(Glob::new(segment)) };
        let segments = below.split('/').map(piece).collect();
        Ok(Self::Below(Below { written, segments }))
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(word) => write!(formatter, "`{word}`"),
            Self::Several(words) => write!(formatter, "`{}`", words.join("`, `")),
        }
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written.fmt(formatter)
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Words::One(text) => write!(formatter, "`{text}`"),
            Words::Several(words) => write!(formatter, "`{}` …", words.join(" ")),
        }
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside => formatter.write_str("inside"),
            Self::Outside => formatter.write_str("outside"),
            Self::Below(Below { written, .. }) => formatter.write_str(written),
        }
    }
}
