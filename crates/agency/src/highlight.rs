//! Which parts of a patch are keywords, texts or comments, by the grammar of each file.
//!
//! The one rule: it takes only so long, whatever a file contains. What is not reached in time has no marks.

use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use agency_model::patch::{Patch, PatchFile, PatchLineKind};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// How long a whole patch may take.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(1);
/// A longer line is data more often than code, and has no marks.
const MAX_LINE_BYTES: usize = 1000;

/// What a part of a line is in its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Comment,
    Constant,
    Function,
    Keyword,
    Text,
    Type,
}

/// A part of the code of a line, in bytes, and what it is.
pub(crate) type Mark = (Range<usize>, Token);

/// The marks of a patch: by file, by line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Highlights {
    files: Vec<Vec<Vec<Mark>>>,
}

impl Highlights {
    /// The marks of a line; none where they are not known.
    pub(crate) fn of(&self, file: usize, line: usize) -> &[Mark] {
        self.files.get(file).and_then(|lines| lines.get(line)).map_or(&[], Vec::as_slice)
    }

    /// Those of another patch, of which `before` says which file each file was.
    pub(crate) fn moved(&self, files: usize, before: impl Fn(usize) -> Option<usize>) -> Self {
        let file = |index| before(index).and_then(|index| self.files.get(index)).cloned().unwrap_or_default();
        Self { files: (0..files).map(file).collect() }
    }

    /// Reads a patch until `deadline`.
    pub(crate) fn read(patch: &Patch, deadline: Instant) -> Self {
        let files = patch.files.iter().map(|file| match syntax_of(&file.path) {
            Some(syntax) => read_file(patch, file, syntax, deadline),
            None => vec![],
        });
        Self { files: files.collect() }
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// The language of a file, by its name.
fn syntax_of(path: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension).to_ascii_lowercase();
    let extension = match extension.as_str() {
        // There is no grammar of theirs; that of a language with the same words and texts is near enough.
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" | "mts" | "cts" => "js",
        "toml" | "ini" | "cfg" | "conf" => "properties",
        "jsonl" | "ndjson" | "json5" => "json",
        other => other,
    };
    // What belongs to no language has a grammar, too.
    let known = |text: &str| syntaxes().find_syntax_by_extension(text).filter(|syntax| syntax.name != "Plain Text");
    known(name).or_else(|| known(extension))
}

fn read_file(patch: &Patch, file: &PatchFile, syntax: &SyntaxReference, deadline: Instant) -> Vec<Vec<Mark>> {
    let mut sides = Versions::new(syntax);
    let mut lines = Vec::with_capacity(file.lines.len());
    for line in &file.lines {
        if Instant::now() >= deadline {
            break;
        }
        let code = patch.code(line);
        lines.push(match line.kind {
            PatchLineKind::Hunk => {
                // What stands between two hunks is not known.
                sides = Versions::new(syntax);
                vec![]
            }
            PatchLineKind::Other => vec![],
            _ if code.len() > MAX_LINE_BYTES => vec![],
            PatchLineKind::Context => sides.in_both(code),
            PatchLineKind::Added => sides.in_new(code),
            PatchLineKind::Removed => sides.in_old(code),
        });
    }
    lines
}

/// Where the grammar is in the new file, and in the old one where that differs.
struct Versions {
    new: VersionParser,
    old: Option<VersionParser>,
}

impl Versions {
    fn new(syntax: &SyntaxReference) -> Self {
        Self { new: VersionParser { parse: ParseState::new(syntax), stack: ScopeStack::new() }, old: None }
    }

    fn in_both(&mut self, code: &str) -> Vec<Mark> {
        if let Some(old) = &mut self.old {
            old.read(code);
        }
        let marks = self.new.read(code);
        if self.old.as_ref() == Some(&self.new) {
            self.old = None;
        }
        marks
    }

    fn in_new(&mut self, code: &str) -> Vec<Mark> {
        self.old.get_or_insert_with(|| self.new.clone());
        self.new.read(code)
    }

    fn in_old(&mut self, code: &str) -> Vec<Mark> {
        self.old.get_or_insert_with(|| self.new.clone()).read(code)
    }
}

#[derive(Clone, PartialEq, Eq)]
struct VersionParser {
    parse: ParseState,
    stack: ScopeStack,
}

impl VersionParser {
    /// Reads the next line; a grammar that cannot be applied marks nothing.
    fn read(&mut self, code: &str) -> Vec<Mark> {
        let line = format!("{code}\n");
        let Ok(changes) = self.parse.parse_line(&line, syntaxes()) else { return vec![] };
        let mut marks: Vec<Mark> = vec![];
        let mut start = 0;
        for (at, change) in &changes {
            self.mark(start..(*at).min(code.len()), &mut marks);
            start = (*at).min(code.len()).max(start);
            if self.stack.apply(change).is_err() {
                self.stack = ScopeStack::new();
            }
        }
        self.mark(start..code.len(), &mut marks);
        marks
    }

    /// Marks a part with what it is by now.
    fn mark(&self, part: Range<usize>, marks: &mut Vec<Mark>) {
        let token = self.stack.as_slice().iter().rev().find_map(|scope| token_of(*scope));
        let Some(token) = token.filter(|_| !part.is_empty()) else { return };
        match marks.last_mut() {
            Some((last, same)) if last.end == part.start && *same == token => last.end = part.end,
            Some(_) | None => marks.push((part, token)),
        }
    }
}

/// What the names of a grammar mean here; the first that fits.
const TOKENS: [(&str, Option<Token>); 16] = [
    ("comment", Some(Token::Comment)),
    ("string", Some(Token::Text)),
    ("constant", Some(Token::Constant)),
    // Operators, and what stands around other parts, look like the rest.
    ("keyword.operator", None),
    ("keyword", Some(Token::Keyword)),
    ("storage.type.numeric", Some(Token::Constant)),
    ("storage", Some(Token::Keyword)),
    ("entity.name.function", Some(Token::Function)),
    ("support.function", Some(Token::Function)),
    ("support.macro", Some(Token::Function)),
    ("variable.function", Some(Token::Function)),
    ("entity.name.tag", Some(Token::Keyword)),
    ("entity.name", Some(Token::Type)),
    ("entity.other.attribute-name", Some(Token::Type)),
    ("support.type", Some(Token::Type)),
    ("markup.heading", Some(Token::Keyword)),
];

fn token_of(scope: Scope) -> Option<Token> {
    static SCOPES: OnceLock<Vec<(Scope, Option<Token>)>> = OnceLock::new();
    let scopes = SCOPES
        .get_or_init(|| TOKENS.iter().filter_map(|(name, token)| Some((Scope::new(name).ok()?, *token))).collect());
    scopes.iter().find(|(known, _)| known.is_prefix_of(scope)).and_then(|(_, token)| *token)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    fn marked(patch: &Patch, highlights: &Highlights, line: usize) -> Vec<(String, Token)> {
        let code = patch.code(&patch.files[0].lines[line]);
        highlights.of(0, line).iter().map(|(part, token)| (code[part.clone()].to_owned(), *token)).collect()
    }

    #[test]
    fn keywords_texts_and_comments_are_marked_by_the_language_of_the_file() {
        let text = "diff --git a/src/x.rs b/src/x.rs\n@@ -1,2 +1,3 @@ fn\n let a = 7; // why\n-let b = \"one\";\n+let b = \"two\";\n+/* begins\n still a comment\n";
        let patch = Patch::read(text.as_bytes());
        let highlights = Highlights::read(&patch, soon());
        let named = |line| marked(&patch, &highlights, line);
        let words = |token: Token, line: usize| {
            named(line).into_iter().filter(|(_, is)| *is == token).map(|(word, _)| word).collect::<Vec<_>>()
        };
        assert_eq!(words(Token::Keyword, 1), ["let"]);
        assert_eq!((words(Token::Constant, 1), words(Token::Comment, 1)), (vec!["7".into()], vec!["// why".into()]));
        assert_eq!((words(Token::Text, 2), words(Token::Text, 3)), (vec!["\"one\"".into()], vec!["\"two\"".into()]));
        assert_eq!(words(Token::Comment, 5), ["still a comment"], "the new file is in a comment");
        assert!(named(0).is_empty(), "the heading of a hunk is no code");
    }

    #[test]
    fn the_old_and_the_new_file_are_read_apart_until_they_agree_again() {
        let text = "diff --git a/x.rs b/x.rs\n@@ -1,3 +1,3 @@\n-/* old\n-*/\n+let new = 1;\n let same = 2;\n";
        let patch = Patch::read(text.as_bytes());
        let highlights = Highlights::read(&patch, soon());
        let first = |line| marked(&patch, &highlights, line).first().cloned();
        assert_eq!(first(1), Some(("/* old".to_owned(), Token::Comment)));
        assert_eq!(first(3), Some(("let".to_owned(), Token::Keyword)));
        assert_eq!(first(4), Some(("let".to_owned(), Token::Keyword)));
    }

    #[test]
    fn a_language_is_found_by_the_name_of_the_file() {
        let name = |path: &str| syntax_of(path).map(|syntax| syntax.name.as_str());
        assert_eq!(
            (name("a/b.PY"), name("Makefile"), name("x/y.tsx")),
            (Some("Python"), Some("Makefile"), Some("JavaScript"))
        );
        assert_eq!((name("Cargo.toml"), name("notes.txt"), name("LICENSE")), (Some("Java Properties"), None, None));
    }

    #[test]
    fn what_is_not_reached_in_time_and_what_is_too_long_has_no_marks() {
        let text =
            format!("diff --git a/x.rs b/x.rs\n@@ -0,0 +1,2 @@\n+let a = 1;\n+let b = \"{}\";\n", "x".repeat(1000));
        let patch = Patch::read(text.as_bytes());
        let late = Highlights::read(&patch, Instant::now());
        assert!((0..3).all(|line| late.of(0, line).is_empty()));
        let highlights = Highlights::read(&patch, soon());
        assert!(!highlights.of(0, 1).is_empty() && highlights.of(0, 2).is_empty());
    }

    #[test]
    fn marks_follow_their_file() {
        let text = "diff --git a/x.rs b/x.rs\n@@ -0,0 +1 @@\n+let a = 1;\n";
        let highlights = Highlights::read(&Patch::read(text.as_bytes()), soon());
        let moved = highlights.moved(2, |file| file.checked_sub(1));
        assert!(moved.of(0, 1).is_empty());
        assert_eq!(moved.of(1, 1), highlights.of(0, 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_has_marks_inside_of_its_lines(
            lines in prop::collection::vec("[ -~\u{e9}\u{6f22}\t]{0,40}", 0..8),
            name in prop::sample::select(vec!["x.rs", "x.py", "x.js", "x.html", "x.md", "x.sh", "x.c", "x.yaml", "x.json"]),
        ) {
            let code: String = lines.iter().map(|line| format!("+{line}\n")).collect();
            let patch = Patch::read(format!("diff --git a/{name} b/{name}\n@@ -0,0 +1 @@\n{code}").as_bytes());
            let highlights = Highlights::read(&patch, soon());
            for (index, file) in patch.files.iter().enumerate() {
                for (number, line) in file.lines.iter().enumerate() {
                    let mut end = 0;
                    for (part, _) in highlights.of(index, number) {
                        prop_assert!(part.start >= end && !part.is_empty());
                        prop_assert!(patch.code(line).get(part.clone()).is_some());
                        end = part.end;
                    }
                }
            }
        }
    }
}
