//! The command that a tool would run, and which rules are about it.

use serde_json::{Map, Value};

use super::paths::{Ground, PathTarget};
use super::pattern::{CommandPattern, spelled};
use super::shell::{Unclear, guess, read};

/// Shells in which agents run a line, as `<shell> -lc <line>`.
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh", "/bin/zsh", "/usr/bin/zsh"];
/// The fields that hold a command.
pub(super) const COMMANDS: &[&str] = &["command", "cmd"];
/// The fields that hold the directory of a command.
pub(super) const DIRECTORIES: &[&str] = &["cwd", "workdir", "directory", "dir_path"];
/// The other fields of a command, which change nothing about what it does.
const HARMLESS: &[&str] = &["description", "timeout", "timeout_ms", "run_in_background", "is_background", "reason"];
/// Words after which another command begins.
const KEYWORDS: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "time", "!"];
/// Commands that run the command in their arguments.
const RUNNERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "env",
    "command",
    "exec",
    "builtin",
    "eval",
    "nohup",
    "nice",
    "ionice",
    "timeout",
    "stdbuf",
    "setsid",
    "xargs",
    "parallel",
    "find",
    "watch",
    "flock",
    "chroot",
    "unshare",
    "nsenter",
    "taskset",
    "strace",
    "script",
    "ssh",
    "busybox",
    "systemd-run",
    "trap",
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "pwsh",
    "powershell",
    "cmd",
];
/// Tools that run a line in a shell of Windows, which is read by other rules.
const OTHER_SHELLS: &[&str] = &["powershell", "pwsh", "cmd", "command_prompt"];
/// Words in the names of tools that run commands.
const RUNNING: &[&str] = &["bash", "shell", "pwsh", "command", "terminal"];
/// Words of which such a name consists.
const RUNNING_WORDS: &[&str] = &["sh", "zsh", "cmd", "exec", "execute", "monitor"];
/// Endings that Windows does without.
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".ps1"];

/// A command that waits for permission.
#[derive(Debug)]
pub(super) struct Command {
    /// Its parts, each of which is decided alone.
    pub(super) parts: Vec<Part>,
    /// Why it could not be read, if so.
    pub(super) unclear: Option<Unclear>,
    /// Whether the request is for running it in the workspace, and for nothing else.
    only_runs: bool,
    /// Whether all of it is known, as far as words say what a command does.
    pub(super) known: bool,
}

/// One command of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Its words.
    Simple(Vec<String>),
    /// What may hide in a line that could not be read.
    Guess(Vec<Vec<String>>),
}

impl Command {
    /// The command in what a tool is given, if there is one; also where a tool runs one and does not say which.
    pub(super) fn of(tool: &str, input: &Map<String, Value>, ground: &Ground<'_>) -> Option<Self> {
        let names: Vec<&str> =
            COMMANDS.iter().copied().filter(|name| input.get(*name).is_some_and(|value| !value.is_null())).collect();
        if names.is_empty() {
            let unknown = Self { parts: vec![Part::Guess(vec![])], unclear: None, only_runs: false, known: false };
            return runs_commands(tool).then_some(unknown);
        }
        let (mut parts, mut unclear, mut known) = (vec![], None, true);
        for value in names.iter().filter_map(|name| input.get(*name)) {
            let (more, why) = read_value(tool, value);
            known &= !matches!(why, Some(Unclear::NoText)) && !is_empty(value);
            parts.extend(more);
            unclear = unclear.or(why);
        }
        let only_runs = input.iter().all(|(key, value)| match value {
            Value::Null | Value::Bool(false) => true,
            Value::String(directory) if DIRECTORIES.contains(&key.as_str()) => {
                matches!(ground.place(directory), PathTarget::Inside(_))
            }
            Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                names == [key.as_str()] || HARMLESS.contains(&key.as_str())
            }
        });
        Some(Self { parts, unclear, only_runs, known })
    }

    /// Whether this part is such a command for certain.
    pub(super) fn is(&self, part: &Part, pattern: &CommandPattern) -> bool {
        match part {
            Part::Simple(words) => self.only_runs && pattern.fits(words),
            Part::Guess(_) => false,
        }
    }
}

impl Part {
    /// Whether this part may be such a command.
    pub(super) fn may_be(&self, pattern: &CommandPattern) -> bool {
        match self {
            Self::Simple(words) => may_be(words, pattern),
            Self::Guess(parts) => parts.iter().any(|words| may_be(words, pattern)),
        }
    }

    /// The part as text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Simple(words) => words.join(" "),
            Self::Guess(parts) => parts.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(" \u{2026} "),
        }
    }
}

fn may_be(words: &[String], pattern: &CommandPattern) -> bool {
    let before = |word: &&String| KEYWORDS.contains(&word.as_str()) || (word.contains('=') && !word.starts_with('-'));
    let words = words.get(words.iter().take_while(before).count()..).unwrap_or_default();
    let program = words.first().map(|word| word.rsplit('/').next().unwrap_or(word).to_lowercase());
    let short = |program: &str| RUNNERS.contains(&program.strip_suffix(".exe").unwrap_or(program));
    if program.is_some_and(|program| short(&program)) {
        // What such a command runs may be one word of its own.
        let inner: Vec<String> = guess(&words.join(" ")).concat();
        return pattern.may_be_in(&inner);
    }
    pattern.may_begin(words)
}

/// What stands under the name of a command.
fn read_value(tool: &str, value: &Value) -> (Vec<Part>, Option<Unclear>) {
    match value {
        Value::String(line) if is_other_shell(tool) => {
            (vec![Part::Guess(guess_of_windows(line))], Some(Unclear::OtherShell))
        }
        Value::String(line) => parts_of_line(line),
        Value::Array(words) => parts_of_words(words),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            (vec![Part::Guess(guess(&other.to_string()))], Some(Unclear::NoText))
        }
    }
}

/// Whether nothing at all stands there.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(line) => line.trim().is_empty(),
        Value::Array(words) => words.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Whether a tool is known to run commands. One without a name may do anything.
fn runs_commands(tool: &str) -> bool {
    let name = spelled(tool);
    name.trim().is_empty()
        || RUNNING.iter().any(|word| name.contains(word))
        || name.split('_').any(|word| RUNNING_WORDS.contains(&word))
}

/// Whether a tool runs its line in a shell of Windows. Agents prefix and spell such names in several ways.
fn is_other_shell(tool: &str) -> bool {
    let name = spelled(tool);
    OTHER_SHELLS.contains(&name.as_str()) || name.contains("powershell") || name.contains("pwsh")
}

/// What may hide in a line for a shell of Windows, where a `` ` `` or a `^` may stand before any letter.
fn guess_of_windows(line: &str) -> Vec<Vec<String>> {
    let plain: String = line.chars().filter(|letter| !matches!(letter, '`' | '^')).collect();
    let short = |word: &String| {
        let end = ENDINGS.iter().find(|end| word.to_lowercase().ends_with(**end)).map_or(0, |end| end.len());
        word.get(..word.len() - end).unwrap_or(word).to_owned()
    };
    let commands = guess(&plain.replace('\\', "/"));
    let short = commands.iter().map(|words| words.iter().map(short).collect::<Vec<String>>());
    let mut all: Vec<Vec<String>> = short.collect();
    all.extend(guess(line));
    all
}

/// The line that a shell is started with in the one form that agents use, and in no other.
fn wrapped(words: &[String]) -> Option<&str> {
    match words {
        [shell, option, line] if SHELLS.contains(&shell.as_str()) && option == "-lc" => Some(line),
        _ => None,
    }
}

fn parts_of_line(line: &str) -> (Vec<Part>, Option<Unclear>) {
    match read(line) {
        Ok(commands) => match commands.as_slice() {
            [words] if wrapped(words).is_some() => parts_of_script(wrapped(words).unwrap_or_default()),
            _ => (commands.into_iter().map(Part::Simple).collect(), None),
        },
        Err(unclear) => (vec![Part::Guess(guess(line))], Some(unclear)),
    }
}

/// A shell in a shell is not opened a second time.
fn parts_of_script(line: &str) -> (Vec<Part>, Option<Unclear>) {
    match read(line) {
        Ok(commands) => (commands.into_iter().map(Part::Simple).collect(), None),
        Err(unclear) => (vec![Part::Guess(guess(line))], Some(unclear)),
    }
}

fn parts_of_words(words: &[Value]) -> (Vec<Part>, Option<Unclear>) {
    let texts: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    match texts {
        Some(words) if words.is_empty() => (vec![Part::Guess(vec![])], Some(Unclear::Empty)),
        Some(words) => match wrapped(&words) {
            Some(line) => parts_of_script(line),
            None => (vec![Part::Simple(words)], None),
        },
        None => (vec![Part::Guess(guess(&Value::from(words).to_string()))], Some(Unclear::NoText)),
    }
}
