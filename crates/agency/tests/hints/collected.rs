//! Finds the commands in the texts of the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where messages are written.
const SOURCES: &[&str] =
    &["agency/src", "agency-engine/src", "agency-workspace/src", "agency-adapters/src", "agency-system/src"];
/// Subcommands of git and jj that a message may name; other words after `git` are prose.
const GIT: &[&str] = &[
    "apply",
    "branch",
    "checkout",
    "clean",
    "commit",
    "config",
    "diff",
    "log",
    "merge",
    "reset",
    "stash",
    "switch",
    "update-ref",
    "worktree",
];
const JJ: &[&str] = &["abandon", "bookmark", "diff", "show", "undo", "workspace"];
/// Those with a second word that matters.
const GROUPS: &[&str] =
    &["agent", "checkpoint", "config", "policy", "source", "workflow", "worktree", "stash", "bookmark", "workspace"];

/// The commands, and a text that each is in.
pub(super) fn collected() -> BTreeMap<String, String> {
    let verbs = verbs();
    let mut found = BTreeMap::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for file in SOURCES.iter().flat_map(|source| files_below(&crates.join(source))) {
        let source = fs::read_to_string(&file).unwrap();
        for text in texts(source.split("#[cfg(test)]").next().unwrap_or_default()) {
            for command in commands(&text, &verbs) {
                found.entry(command).or_insert_with(|| format!("{}: {text}", file.display()));
            }
        }
    }
    found
}

/// The texts that start git in a directory of their own choice, each with its file.
pub(super) fn git_places() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = vec![];
    for file in SOURCES.iter().flat_map(|source| files_below(&crates.join(source))) {
        let source = fs::read_to_string(&file).unwrap();
        let file = file.strip_prefix(crates).unwrap().display().to_string();
        for text in texts(source.split("#[cfg(test)]").next().unwrap_or_default()) {
            if starts_git_elsewhere(&text) {
                found.push((file.clone(), text));
            }
        }
    }
    found
}

/// Whether a text goes to a directory for git: there, git obeys what is written in it.
pub(super) fn starts_git_elsewhere(text: &str) -> bool {
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || "`(),;:&".contains(letter)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let after = |index: usize| words.get(index + 1..).unwrap_or_default();
    words.iter().enumerate().any(|(index, word)| match *word {
        "git" => after(index).first().is_some_and(|next| *next == "-C" || next.starts_with("--work-tree")),
        "cd" | "pushd" => after(index).iter().skip(1).take(1).any(|next| *next == "git"),
        _ => false,
    })
}

/// The subcommands of agency, as its help lists them.
fn verbs() -> Vec<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_agency")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let verb =
        |line: &str| line.strip_prefix("  ")?.split(' ').next().filter(|word| !word.is_empty()).map(str::to_owned);
    help.lines().filter_map(verb).filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

/// The commands in a text.
fn commands(text: &str, verbs: &[String]) -> Vec<String> {
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || "`(),;:".contains(letter)).collect();
    let mut found = vec![];
    for (index, word) in words.iter().enumerate() {
        let mut rest = words[index + 1..].iter().copied().filter(|word| !word.is_empty()).peekable();
        // The directory that a command is for.
        while rest.next_if(|word| ["-C", "-R"].contains(word)).is_some() {
            rest.next();
            while rest.next_if(|word| word.ends_with('>')).is_some() {}
        }
        let Some(sub) = rest.next() else { continue };
        let is_command = match *word {
            "agency" => sub != "agency" && verbs.iter().any(|verb| verb == sub),
            "git" => GIT.contains(&sub),
            "jj" => JJ.contains(&sub),
            _ => false,
        };
        let after_agency = index > 0 && ["agency", "source", "{agency}"].contains(&words[index - 1]);
        if let Some(program) = program_in(word, sub).filter(|_| !after_agency) {
            found.push(program.to_owned());
        } else if is_command {
            let second = rest.next().filter(|_| GROUPS.contains(&sub)).filter(|word| is_plain(word));
            found.push(second.map_or_else(|| format!("{word} {sub}"), |second| format!("{word} {sub} {second}")));
        }
    }
    // Prose such as "a git worktree", and groups without a verb.
    found.retain(|command| !["git worktree", "jj workspace", "jj bookmark"].contains(&command.as_str()));
    found.retain(|command| !GROUPS.iter().any(|group| *command == format!("agency {group}")));
    found.retain(|command| !command.ends_with(" with") && !command.ends_with(" has") && !command.ends_with(" named"));
    found
}

/// Programs of the system, told from prose by what follows them. The words of a tmux command are a text of their own.
fn program_in(word: &str, next: &str) -> Option<&'static str> {
    // A label of a table has its value after it.
    let is_argument = next != "{}" && next.starts_with(['\'', '"', '{', '-', '/', '<', '$', '~']);
    let is_number = next.starts_with(|letter: char| letter.is_ascii_digit());
    match word {
        "chmod" if is_number => Some("chmod"),
        "kill" if next == "-KILL" => Some("kill -KILL"),
        "kill" if is_argument || is_number => Some("kill"),
        "kill-session" if next == "-t" => Some("tmux kill-session"),
        "attach" if next == "-t" => Some("tmux attach"),
        "kill-server" => Some("tmux kill-server"),
        "cp" if is_argument => Some("cp"),
        "dd" if is_argument => Some("dd"),
        "mkdir" if is_argument => Some("mkdir"),
        "mv" if is_argument => Some("mv"),
        "rm" if is_argument => Some("rm"),
        "rmdir" if is_argument => Some("rmdir"),
        "touch" if is_argument => Some("touch"),
        "truncate" if is_argument => Some("truncate"),
        _ => None,
    }
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
}

/// The string literals of a source, without comments; lines that are joined by a backslash are one.
fn texts(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut letters = code.chars().peekable();
    let (mut all, mut current): (Vec<String>, Option<String>) = (vec![], None);
    while let Some(letter) = letters.next() {
        match (letter, &mut current) {
            ('"', None) => current = Some(String::new()),
            ('"', Some(_)) => all.extend(current.take()),
            ('\\', Some(text)) => match letters.next() {
                Some('\n') => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            // A character is no text: '"'.
            ('\'', None) if letters.peek() == Some(&'"') => {
                letters.next();
            }
            (letter, Some(text)) => text.push(letter),
            (_, None) => {}
        }
    }
    all
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] });
    let is_product = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.ends_with(".rs") && !["tests.rs", "fixture.rs", "example.rs"].contains(&name)
    };
    files.filter(is_product).filter(|path| !path.components().any(|part| part.as_os_str() == "tests")).collect()
}
