//! Reads a line for a shell, strictly.
//!
//! The one rule: what is accepted means to every shell exactly the words that are returned. Only words of harmless
//! letters and quoted words are, joined by `&&`, `||`, `;` and `|`. Expansions, redirections, assignments, comments, line
//! breaks and everything else make the whole line unclear.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// A longer line is a program, which a user has to read.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// Why a line is not a list of simple commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// It is too long.
    TooLong,
    /// A letter with a meaning of its own.
    Letter(char),
    /// A quote that is not closed.
    OpenQuote,
    /// A command without words.
    Empty,
    /// A variable is set before a command.
    Assignment,
    /// It is not text.
    NoText,
    /// It is for a shell with other rules.
    OtherShell,
}

impl fmt::Display for Unclear {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(formatter, "it has more than {MAX_LINE_BYTES} bytes"),
            Self::Letter('\n') => formatter.write_str("it has several lines"),
            Self::Letter(letter) => {
                write!(formatter, "it has {letter:?}, which a shell may take for more than a letter")
            }
            Self::OpenQuote => formatter.write_str("a quote is not closed"),
            Self::Empty => formatter.write_str("a part of it is empty"),
            Self::Assignment => formatter.write_str("it sets a variable"),
            Self::NoText => formatter.write_str("it is not text"),
            Self::OtherShell => formatter.write_str("it is for a shell of Windows"),
        }
    }
}

/// The words of each command of a line.
pub(super) fn read(line: &str) -> Result<Vec<Vec<String>>, Unclear> {
    if line.len() > MAX_LINE_BYTES {
        return Err(Unclear::TooLong);
    }
    let mut lexer = Lexer::default();
    let mut letters = line.trim_matches([' ', '\t', '\n']).chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' => lexer.end_word(),
            ';' => lexer.end_command()?,
            '|' => {
                letters.next_if_eq(&'|');
                lexer.end_command()?;
            }
            '&' => {
                // One alone sends a command into the background.
                letters.next_if_eq(&'&').ok_or(Unclear::Letter('&'))?;
                lexer.end_command()?;
            }
            '\'' => single_quoted(&mut letters, lexer.word())?,
            '"' => double_quoted(&mut letters, lexer.word())?,
            letter if is_plain(letter, lexer.word.as_deref()) => lexer.word().push(letter),
            letter => return Err(Unclear::Letter(letter)),
        }
    }
    lexer.end_command()?;
    Ok(lexer.commands)
}

#[derive(Default)]
struct Lexer {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
}

impl Lexer {
    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) -> Result<(), Unclear> {
        self.end_word();
        match self.words.first() {
            None => Err(Unclear::Empty),
            Some(first) if first.contains('=') => Err(Unclear::Assignment),
            Some(_) => {
                self.commands.push(std::mem::take(&mut self.words));
                Ok(())
            }
        }
    }
}

/// Whether a letter is only a letter, after what there is of its word.
fn is_plain(letter: char, before: Option<&str>) -> bool {
    match letter {
        '-' | '_' | '.' | '/' | ':' | ',' | '+' | '@' | '%' => true,
        // At the beginning of a word, and after `=` and `:`, these are expanded.
        '=' | '~' | '^' => before
            .and_then(|word| word.chars().last())
            .is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, '~' | '^' | '_' | '-')),
        letter => letter.is_ascii_alphanumeric(),
    }
}

/// A line break inside quotes is a letter; what a terminal obeys is none.
fn is_text(letter: char) -> bool {
    !letter.is_control() || matches!(letter, '\n' | '\t')
}

fn single_quoted(letters: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), Unclear> {
    loop {
        match letters.next().ok_or(Unclear::OpenQuote)? {
            '\'' => return Ok(()),
            letter if is_text(letter) => word.push(letter),
            letter => return Err(Unclear::Letter(letter)),
        }
    }
}

fn double_quoted(letters: &mut Peekable<Chars<'_>>, word: &mut String) -> Result<(), Unclear> {
    loop {
        match letters.next().ok_or(Unclear::OpenQuote)? {
            '"' => return Ok(()),
            '\\' => {
                let escaped = letters.next_if(|next| matches!(next, '"' | '\\' | '$' | '`'));
                word.push(escaped.ok_or(Unclear::Letter('\\'))?);
            }
            letter @ ('$' | '`' | '!') => return Err(Unclear::Letter(letter)),
            letter if is_text(letter) => word.push(letter),
            letter => return Err(Unclear::Letter(letter)),
        }
    }
}

/// The commands that may hide in a line, whatever it is. For finding what is refused, never for what is allowed.
pub(super) fn guess(line: &str) -> Vec<Vec<String>> {
    let line: String = line.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\')).collect();
    line.split(|letter: char| {
        matches!(letter, ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' | '<' | '>' | '\n' | '\r' | '\0')
    })
    .map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<String>>())
    .filter(|words| !words.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Option<String> {
        let commands = read(line).ok()?;
        Some(commands.iter().map(|words| words.join("\u{b7}")).collect::<Vec<_>>().join(" ; "))
    }

    #[test]
    fn plain_and_quoted_words_are_read_as_a_shell_reads_them() {
        let cases = [
            ("git status", "git·status"),
            ("  git \t status \n", "git·status"),
            ("git commit -m 'it; works'", "git·commit·-m·it; works"),
            ("git commit -m \"say \\\"hi\\\" for \\$5\"", "git·commit·-m·say \"hi\" for $5"),
            ("g'i't \"\" x''y", "git··xy"),
            ("git diff HEAD~2 HEAD^^ --stat=80", "git·diff·HEAD~2·HEAD^^·--stat=80"),
            ("a && b || c; d | e", "a ; b ; c ; d ; e"),
            ("a&&b|c", "a ; b ; c"),
            ("echo 'a\nb'", "echo·a\nb"),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn everything_else_is_unclear() {
        let lines = [
            "",
            " ",
            "a &",
            "a & b",
            "a;",
            ";a",
            "a && ",
            "a || || b",
            "a ;; b",
            "a |& b",
            "a\nb",
            "a\rb",
            "a $b",
            "$(a)",
            "`a`",
            "a > b",
            "a < b",
            "a 2>&1",
            "a <<x",
            "A=b c",
            "A= c",
            "'A'=b c",
            "(a)",
            "{ a; }",
            "a *",
            "a ?",
            "a [b]",
            "~/a",
            "a ~",
            "a b=~/c",
            "a b:~/c",
            "a =b",
            "a ^b",
            "! a",
            "a # b",
            "a#b",
            "a \\b",
            "a 'b",
            "a \"b",
            "\"$a\"",
            "\"`a`\"",
            "\"a!\"",
            "\"\\a\"",
            "a\u{a0}b",
            "é",
            "a\0",
            "'a\u{1b}'",
            "a {b,c}",
            "''~",
        ];
        for line in lines {
            assert_eq!(words(line), None, "{line:?}");
        }
        assert_eq!(read(&"a".repeat(MAX_LINE_BYTES + 1)), Err(Unclear::TooLong));
    }

    #[test]
    fn a_guess_finds_what_hides() {
        let guessed = |line: &str| guess(line).iter().map(|words| words.join(" ")).collect::<Vec<_>>();
        assert_eq!(guessed("x=$(r\"m\" -rf ~); a"), ["x=$", "rm -rf ~", "a"]);
        assert_eq!(guessed("a `b` > c"), ["a", "b", "c"]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(line in ".{0,200}") {
            let _ = (read(&line), guess(&line));
        }

        #[test]
        fn quoting_by_a_simple_rule_is_read_back(given in prop::collection::vec("[ -~\\n]{0,12}", 1..6)) {
            let quoted: Vec<String> = given.iter().map(|word| format!("'{}'", word.replace('\'', "'\"'\"'"))).collect();
            prop_assume!(!given[0].contains('='));
            prop_assert_eq!(read(&quoted.join(" ")), Ok(vec![given]));
        }
    }

    proptest! {
        // Each case starts a shell.
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn a_real_shell_reads_the_same_words(
            lines in prop::collection::vec("[ab =~^%@+,:./_'\"\\\\$`!#*?&|;<>(){}\\[\\]\t\n-]{1,10}", 300),
        ) {
            let commands = lines.iter().filter_map(|line| Some((line.trim_matches([' ', '\t', '\n']), read(line).ok()?)));
            let simple: Vec<(&str, Vec<String>)> =
                commands.filter(|(_, commands)| commands.len() == 1).map(|(line, commands)| (line, commands.concat())).collect();
            let script: String = simple.iter().map(|(line, _)| format!("printf '<%s>' {line}\nprintf '\\0'\n")).collect();
            let words = |words: &[String]| words.iter().map(|word| format!("<{word}>")).collect::<String>() + "\0";
            let expected: String = simple.iter().map(|(_, command)| words(command)).collect();
            let output = std::process::Command::new("sh").args(["-c", &script]).current_dir("/").output().unwrap();
            prop_assert_eq!(String::from_utf8_lossy(&output.stdout), expected.as_str());
            prop_assert!(output.stderr.is_empty());
        }
    }
}
