//! Every command of agency that a page shows exists, with the options that it is shown with.

use std::fs;

use super::markdown::{code_words, pages, root};
use super::program::{Help, every_help, world};

/// The commands that a page shows: what begins with `agency` between backticks, and in the lines of blocks.
fn shown(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    let mut shown = code_words(text);
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            if ["```sh", "```sh run", "```bash", "```console", "```"].contains(&line) {
                shown.extend(block.iter().map(|line| line.trim_start_matches("$ ").to_owned()));
            }
        }
    }
    shown.retain(|command| command.starts_with("agency "));
    shown
}

/// What is wrong with a command.
fn mistake(command: &str, helps: &[Help]) -> Option<String> {
    let Ok(words) = shell_words::split(command) else { return Some("it cannot be split into words".to_owned()) };
    let mut words = words.iter().map(String::as_str).skip(1).take_while(|word| !is_end(word)).peekable();
    let mut help = helps.iter().find(|help| help.words.is_empty())?;
    let mut next = |help: &Help| {
        let name = words.next_if(|word| help.subcommands().iter().any(|known| known == word))?;
        Some([help.words.as_slice(), &[name.to_owned()]].concat())
    };
    while let Some(path) = next(help) {
        help = helps.iter().find(|help| help.words == path)?;
        if help.words == ["help"] {
            return None;
        }
    }
    let has_place_for_words = help.subcommands().is_empty();
    for word in words {
        if let Some(flag) = word.strip_prefix("--") {
            let flag = format!("--{}", flag.split('=').next().unwrap_or_default());
            if !help.flags().contains(&flag) {
                return Some(format!("{} has no {flag}", help.name()));
            }
        } else if is_short_flag(word) {
            let flag = format!("{word},");
            if !help.entries("Options:").iter().any(|(head, _)| head.starts_with(&flag)) {
                return Some(format!("{} has no {word}", help.name()));
            }
        } else if !has_place_for_words && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-') {
            return Some(format!("{} has no {word}", help.name()));
        }
    }
    None
}

/// Behind it stands another command, a comment, or what is passed on to the agent.
fn is_end(word: &str) -> bool {
    ["--", "#", "|", "||", "&&", ">", ">>", "&", ";"].contains(&word)
}

fn is_short_flag(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next().is_none()
}

#[test]
fn every_command_of_the_pages_parses() {
    let helps = every_help(&world());
    let mut checked = 0;
    let mut wrong = vec![];
    // What was decided and what has changed names commands as they were.
    let is_current =
        |page: &std::path::Path| !page.starts_with(root().join("docs/decisions")) && !page.ends_with("CHANGELOG.md");
    for page in pages().iter().filter(|page| is_current(page)) {
        for command in shown(&fs::read_to_string(page).unwrap()) {
            checked += 1;
            let mistake = mistake(&command, &helps);
            wrong.extend(mistake.map(|mistake| format!("{}: `{command}`: {mistake}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 200, "only {checked} commands were found");
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let helps = every_help(&world());
    for (wrong, said) in [
        ("agency list", "agency has no list"),
        ("agency ls --colour", "agency ls has no --colour"),
        ("agency run -z x", "agency run has no -z"),
        ("agency agent kill alice", "agency agent has no kill"),
    ] {
        assert_eq!(mistake(wrong, &helps).as_deref(), Some(said), "{wrong}");
    }
    for right in
        ["agency", "agency run -a claude \"x y\" -- --model opus", "agency resume -1 | cat", "agency stop --all"]
    {
        assert_eq!(mistake(right, &helps), None, "{right}");
    }
}
