//! Program text as words of some classes, for colours.
//!
//! The one rule: it takes linear time whatever the text is, and a wrong guess costs a colour, never a byte.

mod language;

use std::ops::Range;

pub use language::Language;

/// What a part of a line is. What has no class is not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeClass {
    /// A word with a meaning in the language.
    Keyword,
    /// A text in quotes.
    String,
    /// A number.
    Number,
    /// A remark.
    Comment,
    /// A name that is called.
    Function,
    /// A name that begins with a capital letter: usually a type.
    Type,
}

/// Where a line begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Code,
    /// A comment that goes over several lines.
    Comment,
    /// A text that goes over several lines, and what ends it.
    String(&'static str),
}

/// Reads the lines of one file in their order.
#[derive(Debug, Clone, Copy)]
pub struct CodeReader {
    language: &'static Language,
    inside: Inside,
}

impl CodeReader {
    /// For the language that a file's name stands for, if it is known.
    #[must_use]
    pub fn of_file(path: &str) -> Option<Self> {
        Language::of_file(path).map(|language| Self { language, inside: Inside::Code })
    }

    /// Begins at a line of which nothing is known.
    pub fn forget(&mut self) {
        self.inside = Inside::Code;
    }

    /// The classes in the next line, in bytes and in their order.
    pub fn line(&mut self, line: &str) -> Vec<(Range<usize>, CodeClass)> {
        let mut found: Vec<(Range<usize>, CodeClass)> = vec![];
        let mut at = 0;
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            let (length, class) = self.next(rest, line.get(..at).unwrap_or_default());
            if let Some(class) = class {
                match found.last_mut() {
                    Some((range, last)) if *last == class && range.end == at => range.end = at + length,
                    Some(_) | None => found.push((at..at + length, class)),
                }
            }
            at += length;
        }
        found
    }

    /// How long the next part is, at least one character, and what it is.
    fn next(&mut self, rest: &str, before: &str) -> (usize, Option<CodeClass>) {
        match self.inside {
            Inside::Comment => {
                let end = self.language.block_comment.map_or("", |(_, end)| end);
                return (self.until(rest, end), Some(CodeClass::Comment));
            }
            Inside::String(end) => return (self.until(rest, end), Some(CodeClass::String)),
            Inside::Code => {}
        }
        let language = self.language;
        let is_line_comment = |sign: &&&str| {
            // A shell's remark begins a word: `$#` is none.
            rest.starts_with(**sign) && (**sign != "#" || before.is_empty() || before.ends_with([' ', '\t', ';']))
        };
        if language.line_comments.iter().find(is_line_comment).is_some() {
            return (rest.len(), Some(CodeClass::Comment));
        }
        if let Some((begin, end)) = language.block_comment.filter(|(begin, _)| rest.starts_with(begin)) {
            self.inside = Inside::Comment;
            let inside = rest.get(begin.len()..).unwrap_or_default();
            return (begin.len() + self.until(inside, end), Some(CodeClass::Comment));
        }
        if let Some(quote) = language.long_quotes.iter().find(|quote| rest.starts_with(**quote)) {
            self.inside = Inside::String(quote);
            let inside = rest.get(quote.len()..).unwrap_or_default();
            return (quote.len() + self.until(inside, quote), Some(CodeClass::String));
        }
        let Some(first) = rest.chars().next() else { return (rest.len(), None) };
        if language.quotes.contains(first)
            && let Some(length) = quoted(rest, first, language.has_lifetimes)
        {
            return (length, Some(CodeClass::String));
        }
        if is_word_part(first) {
            let length = rest.find(|letter: char| !is_word_part(letter)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            return (length, self.class_of(word, after));
        }
        (first.len_utf8(), None)
    }

    /// How long the text up to an end is, with it; without the end, it continues in the next line.
    fn until(&mut self, rest: &str, end: &str) -> usize {
        match rest.find(end) {
            Some(found) => {
                self.inside = Inside::Code;
                found + end.len()
            }
            None => rest.len(),
        }
    }

    fn class_of(&self, word: &str, after: &str) -> Option<CodeClass> {
        let first = word.chars().next()?;
        if first.is_ascii_digit() {
            return Some(CodeClass::Number);
        }
        if self.language.is_keyword(word) {
            return Some(CodeClass::Keyword);
        }
        if after.starts_with('(') || (self.language.has_lifetimes && after.starts_with("!(")) {
            return Some(CodeClass::Function);
        }
        (first.is_uppercase() && self.language.has_types).then_some(CodeClass::Type)
    }
}

fn is_word_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// How long a text in quotes is, from its quote on; nothing if the sign does not quote here.
fn quoted(rest: &str, quote: char, has_lifetimes: bool) -> Option<usize> {
    let mut escaped = false;
    let mut letters = rest.char_indices().skip(1);
    let end = letters.find(|(_, letter)| {
        let ends = !escaped && *letter == quote;
        escaped = !escaped && *letter == '\\';
        ends
    });
    let length = end.map(|(at, letter)| at + letter.len_utf8());
    if quote == '\'' && has_lifetimes {
        // 'a is a lifetime, 'a' a character.
        let inside = length.and_then(|length| rest.get(1..length - 1))?;
        let is_letter = inside.chars().count() == 1 || inside.starts_with('\\');
        return length.filter(|_| is_letter);
    }
    Some(length.unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn classes<'a>(path: &str, lines: &[&'a str]) -> Vec<(&'a str, CodeClass)> {
        let mut reader = CodeReader::of_file(path).unwrap();
        lines
            .iter()
            .flat_map(|line| reader.line(line).into_iter().map(|(range, class)| (&line[range], class)))
            .collect()
    }

    #[test]
    fn a_line_of_rust_has_its_classes() {
        use CodeClass::{Comment, Function, Keyword, Number, String, Type};
        assert_eq!(
            classes("src/lib.rs", &["pub fn open(id: u32) -> Session<'a> { log!(\"a \\\" b\", 'x', 0x1F); } // end"]),
            [
                ("pub", Keyword),
                ("fn", Keyword),
                ("open", Function),
                ("Session", Type),
                ("log", Function),
                ("\"a \\\" b\"", String),
                ("'x'", String),
                ("0x1F", Number),
                ("// end", Comment)
            ]
        );
    }

    #[test]
    fn comments_and_texts_go_over_several_lines() {
        use CodeClass::{Comment, Keyword, String};
        assert_eq!(
            classes("a.rs", &["/* one", "two */ if"]),
            [("/* one", Comment), ("two */", Comment), ("if", Keyword)]
        );
        assert_eq!(
            classes("a.py", &["\"\"\"one", "# two\"\"\"", "if # three"]),
            [("\"\"\"one", String), ("# two\"\"\"", String), ("if", Keyword), ("# three", Comment)]
        );
        assert_eq!(classes("run.sh", &["echo $# done"]), [("echo", Keyword), ("done", Keyword)]);
    }

    #[test]
    fn languages_are_known_by_the_name_of_the_file() {
        for known in ["a.ts", "A.java", "b/c.go", "x.tsx", "Makefile", "Dockerfile", "Cargo.toml", "a.yml", "q.sql"] {
            assert!(CodeReader::of_file(known).is_some(), "{known}");
        }
        for unknown in ["README.md", "picture.png", "noextension", ""] {
            assert!(CodeReader::of_file(unknown).is_none(), "{unknown}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_classes_in_order_on_whole_characters(
            extension in prop::sample::select(vec!["rs", "py", "js", "sh", "toml", "sql", "html", "lua"]),
            lines in prop::collection::vec("[a-zA-Z0-9é漢'\"`#/*\\- (!<>]{0,30}", 0..8),
        ) {
            let mut reader = CodeReader::of_file(&format!("a.{extension}")).unwrap();
            for line in &lines {
                let mut end = 0;
                for (range, _) in reader.line(line) {
                    prop_assert!(range.start >= end && range.end > range.start);
                    prop_assert!(line.get(range.clone()).is_some());
                    end = range.end;
                }
            }
        }
    }
}
