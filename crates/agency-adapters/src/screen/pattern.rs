//! What is looked for: words, or a pattern between slashes.

use std::ops::Range;

use regex_lite::Regex;
use serde::{Deserialize, Deserializer, de};

use super::unframed_screen::{MatchedLines, UnframedScreen};

/// Words that may go over the end of a line and stand in any frame, or a pattern for one line as it is on the screen.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Words(String),
    Line(Regex),
}

impl Pattern {
    pub(super) fn first_in(&self, unframed: &UnframedScreen<'_>, range: Range<usize>) -> Option<MatchedLines> {
        match self {
            Self::Words(words) => unframed.joined(range).first(words),
            Self::Line(pattern) => unframed.drawn(range).find(|(_, line)| pattern.is_match(line)).map(one_line),
        }
    }

    pub(super) fn last_in(&self, unframed: &UnframedScreen<'_>, range: Range<usize>) -> Option<MatchedLines> {
        match self {
            Self::Words(words) => unframed.joined(range).last(words),
            Self::Line(pattern) => unframed.drawn(range).rfind(|(_, line)| pattern.is_match(line)).map(one_line),
        }
    }

    /// Whether it is in a text of one line.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Words(words) => text.contains(words),
            Self::Line(pattern) => pattern.is_match(text),
        }
    }
}

fn one_line((number, _): (usize, &str)) -> MatchedLines {
    MatchedLines { first: number, last: number }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.trim().is_empty() {
            return Err(de::Error::custom("expected words, or a pattern between slashes"));
        }
        let Some(pattern) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
            return Ok(Self::Words(text));
        };
        Regex::new(pattern).map(Self::Line).map_err(|error| de::Error::custom(format!("bad pattern: {error}")))
    }
}
