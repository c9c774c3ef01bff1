//! The words of a shell command that name files.
//!
//! The one rule: a word is replaced only if it certainly is a path; a path that only the shell can work out is not guessed.

use std::ops::Range;
use std::path::Path;

/// Programs whose first operand is a file that they run.
const INTERPRETERS: [&str; 12] =
    ["sh", "bash", "dash", "ksh", "zsh", "python", "python3", "node", "perl", "ruby", "php", "lua"];
/// Programs that run the command in their operands, and words of the shell before a command.
const PREFIXES: [&str; 14] =
    ["!", "{", "command", "do", "else", "env", "eval", "exec", "if", "nice", "nohup", "then", "time", "while"];
/// Ways in which a command asks where it runs.
const CURRENT_DIRECTORY: [&str; 6] = ["--show-toplevel", "--show-cdup", "$PWD", "${PWD", "$(pwd", "`pwd"];
/// What separates commands; a redirection is followed by a file.
const OPERATORS: [char; 8] = [';', '|', '&', '(', ')', '\n', '<', '>'];

/// How the relative paths of a command were resolved.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// No word of it is a relative path.
    Unchanged,
    /// The command with absolute paths.
    Changed(String),
    /// It may name a relative path in a way that is not understood.
    Unknown,
}

/// One word of a command.
struct Word {
    /// Where it is.
    range: Range<usize>,
    /// What the shell makes of it; `None` where that is known only when it runs.
    text: Option<String>,
    /// Whether an operator after which a command begins, or the begin of the text, stands before it.
    begins_command: bool,
}

/// What is known about the words before one.
#[derive(Default)]
struct Before {
    /// The program of the command, once it was met.
    program: Option<String>,
    /// Whether the program has had its first operand.
    has_operand: bool,
    /// The option right before.
    option: Option<String>,
}

/// How one word is resolved.
enum Meaning {
    Kept,
    Path(String),
    Unknown,
}

/// Resolves the relative paths in a command against a directory.
pub(super) fn resolve(command: &str, top: Option<&Path>) -> Resolved {
    if CURRENT_DIRECTORY.iter().any(|sign| command.contains(sign)) {
        return Resolved::Unknown;
    }
    let (mut changed, mut copied, mut before) = (String::new(), 0, Before::default());
    for word in words(command) {
        if word.begins_command {
            before = Before::default();
        }
        match before.meaning_of(&word, command, top) {
            Meaning::Kept => {}
            Meaning::Unknown => return Resolved::Unknown,
            Meaning::Path(path) => {
                changed.push_str(&command[copied..word.range.start]);
                changed.push_str(&path);
                copied = word.range.end;
            }
        }
    }
    if copied == 0 {
        return Resolved::Unchanged;
    }
    changed.push_str(&command[copied..]);
    Resolved::Changed(changed)
}

impl Before {
    fn meaning_of(&mut self, word: &Word, command: &str, top: Option<&Path>) -> Meaning {
        let raw = &command[word.range.clone()];
        let Some(text) = &word.text else {
            let is_program = self.program.is_none();
            self.program.get_or_insert_with(String::new);
            return if may_be_relative(raw, is_program) { Meaning::Unknown } else { Meaning::Kept };
        };
        let option = self.option.take();
        let (head, path) = match text.split_once('=') {
            Some((head, path)) if !head.contains(['/', ' ']) => (&text[..=head.len()], path),
            Some(_) | None => ("", text.as_str()),
        };
        let is_setting = !head.is_empty() && !head.starts_with('-');
        if self.program.is_none() && !is_setting {
            return self.begin(text, top);
        }
        if text.starts_with('-') && head.is_empty() {
            self.option = Some(text.clone());
            return if text == "-m" && self.runs_python() { Meaning::Unknown } else { Meaning::Kept };
        }
        if self.takes_code(option.as_deref()) && (self.is_shell() || !is_plainly_relative(path)) {
            self.has_operand = true;
            return if self.is_shell() { inner(text, top) } else { Meaning::Kept };
        }
        let is_script = head.is_empty() && self.interprets() && !std::mem::replace(&mut self.has_operand, true);
        let names_file = is_script || path.contains('/') || option.as_deref() == Some("-f");
        if is_plainly_relative(path) || (is_script && is_relative(path)) || (names_file && is_file_below(path, top)) {
            return below(head, path, top);
        }
        Meaning::Kept
    }

    /// Takes a word as the program of the command.
    fn begin(&mut self, text: &str, top: Option<&Path>) -> Meaning {
        if PREFIXES.contains(&text) || text.starts_with('-') {
            return Meaning::Kept;
        }
        let name = text.rsplit('/').next().unwrap_or(text);
        self.program = Some(name.to_owned());
        if text.contains('/') && is_relative(text) { below("", text, top) } else { Meaning::Kept }
    }

    fn interprets(&self) -> bool {
        self.program.as_deref().is_some_and(|name| INTERPRETERS.contains(&name) || matches!(name, "." | "source"))
    }

    fn is_shell(&self) -> bool {
        self.program.as_deref().is_some_and(|name| name.ends_with("sh"))
    }

    fn runs_python(&self) -> bool {
        self.program.as_deref().is_some_and(|name| name.starts_with("python"))
    }

    /// Whether the word after an option is text that the interpreter runs.
    fn takes_code(&self, option: Option<&str>) -> bool {
        let is_code =
            |option: &str| matches!(option, "--eval" | "--print") || option.ends_with(['c', 'e', 'E', 'p', 'r']);
        self.interprets() && option.is_some_and(is_code)
    }
}

/// A command inside of a word, as of `sh -c`.
fn inner(text: &str, top: Option<&Path>) -> Meaning {
    match resolve(text, top) {
        Resolved::Unchanged => Meaning::Kept,
        Resolved::Changed(command) => Meaning::Path(quoted(&command)),
        Resolved::Unknown => Meaning::Unknown,
    }
}

fn below(head: &str, path: &str, top: Option<&Path>) -> Meaning {
    // Git would take a percent sign in a command for one of its own.
    let Some(top) = top.and_then(Path::to_str).filter(|top| !top.contains('%')) else { return Meaning::Unknown };
    let path = path.strip_prefix("./").unwrap_or(path);
    // In quotes, an assignment would be none.
    if !head.is_empty() && quoted(head) != head {
        return Meaning::Unknown;
    }
    Meaning::Path(format!("{head}{}", quoted(&format!("{top}/{path}"))))
}

fn is_plainly_relative(path: &str) -> bool {
    path.starts_with("./") || path.starts_with("../")
}

fn is_relative(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['/', '~', '%', '-'])
}

fn is_file_below(path: &str, top: Option<&Path>) -> bool {
    is_relative(path) && top.is_some_and(|top| top.join(path).is_file())
}

/// Whether a word that the shell works out may be a relative path.
fn may_be_relative(raw: &str, is_program: bool) -> bool {
    let plain = raw.trim_start_matches(['"', '\'']);
    let known = plain.split(['$', '`']).next().unwrap_or_default();
    let runs_relative = ["(./", "(../", "`./", "`../", "=./", "=../"].iter().any(|sign| raw.contains(sign));
    is_plainly_relative(plain) || runs_relative || (is_program && known.contains('/') && is_relative(known))
}

/// A word of a shell with exactly this text.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+@:,=%".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Splits a command as a shell does.
fn words(command: &str) -> Vec<Word> {
    let (mut all, mut begins_command) = (vec![], true);
    let mut chars = command.char_indices().peekable();
    while let Some(&(start, char)) = chars.peek() {
        if OPERATORS.contains(&char) {
            begins_command |= !matches!(char, '<' | '>');
            chars.next();
        } else if char.is_whitespace() {
            chars.next();
        } else {
            let text = word(&mut chars);
            let end = chars.peek().map_or(command.len(), |(end, _)| *end);
            all.push(Word { range: start..end, text, begins_command: std::mem::take(&mut begins_command) });
        }
    }
    all
}

/// Reads one word, up to what ends it.
fn word(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> Option<String> {
    let (mut text, mut is_known, mut quote) = (String::new(), true, None);
    while let Some(&(_, char)) = chars.peek() {
        let ends = char.is_whitespace() || OPERATORS.contains(&char);
        if quote.is_none() && ends {
            break;
        }
        chars.next();
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), char) if open == char => quote = None,
            (None | Some('"'), '$' | '`') => is_known = false,
            (None | Some('"'), '\\') => text.extend(chars.next().map(|(_, next)| next)),
            (_, char) => text.push(char),
        }
    }
    is_known.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(command: &str) -> Resolved {
        resolve(command, Some(Path::new("/my top")))
    }

    #[test]
    fn programs_by_name_or_absolute_path_stay() {
        for command in [
            "git-lfs clean -- %f",
            "git-lfs filter-process",
            "/usr/bin/x %f",
            "sed -e 's/a b/c/' -e s/x/y/g",
            "sed \"s/\\$Id\\$/$(git rev-parse HEAD)/\"",
            "perl -pe 's/a/b/'",
            "\"$HOME/bin/clean\" %f",
            "~/bin/clean",
            "sh -c 'cat | tr a b'",
            "FOO=bar cat",
            "npx prettier --stdin",
        ] {
            assert_eq!(resolved(command), Resolved::Unchanged, "{command}");
        }
    }

    #[test]
    fn relative_paths_mean_the_users_checkout() {
        for (command, expected) in [
            ("./tools/s.sh", "'/my top/tools/s.sh'"),
            ("tools/s.sh %f", "'/my top/tools/s.sh' %f"),
            ("../s.sh", "'/my top/../s.sh'"),
            ("sh clean.sh", "sh '/my top/clean.sh'"),
            ("node -r ./hook.js ./clean.js", "node -r '/my top/hook.js' '/my top/clean.js'"),
            ("cat | ./x", "cat | '/my top/x'"),
            ("A=1 exec tools/x", "A=1 exec '/my top/tools/x'"),
            ("x --config=./c", "x --config='/my top/c'"),
            ("X=./y cat", "X='/my top/y' cat"),
            ("\"./a b\" -q", "'/my top/a b' -q"),
            ("sh -c './x; tools/y'", "sh -c ''\\''/my top/x'\\''; '\\''/my top/tools/y'\\'''"),
        ] {
            assert_eq!(resolved(command), Resolved::Changed(expected.to_owned()), "{command}");
        }
    }

    #[test]
    fn a_path_that_only_the_shell_knows_is_not_guessed() {
        for command in [
            "./tools/$USER.sh",
            "tools/$USER.sh",
            "\"$(git rev-parse --show-toplevel)/tools/x\"",
            "\"$PWD/x\"",
            "echo \"$(./x)\"",
            "python3 -m tools.clean",
        ] {
            assert_eq!(resolved(command), Resolved::Unknown, "{command}");
        }
        assert_eq!(resolve("./x", None), Resolved::Unknown);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            resolved(&text);
        }

        #[test]
        fn a_quoted_text_is_one_word(text in "[^%]{1,20}") {
            let found = words(&quoted(&text));
            proptest::prop_assert_eq!(found.len(), 1);
            proptest::prop_assert_eq!(found[0].text.as_deref(), Some(text.as_str()));
        }
    }
}
