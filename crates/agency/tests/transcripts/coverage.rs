//! Every command of the program has a transcript of its success and of two errors.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Console;

/// How many errors of a command are shown at least.
const ERRORS: usize = 2;

/// The transcripts of one command.
#[derive(Debug, Default)]
struct Shown {
    successes: usize,
    errors: usize,
}

#[test]
fn every_command_has_a_transcript_of_its_success_and_of_two_errors() {
    let console = Console::new();
    let mut shown: BTreeMap<Vec<String>, Shown> = BTreeMap::new();
    collect_commands(&console, &[], &mut shown);
    assert!(shown.len() > 50, "only {} commands are found", shown.len());
    for transcript in transcripts() {
        count(&transcript, &mut shown);
    }
    let missing: Vec<String> = shown
        .iter()
        .filter(|(_, shown)| shown.successes == 0 || shown.errors < ERRORS)
        .map(|(words, shown)| format!("agency {}: {shown:?}", words.join(" ")))
        .collect();
    assert!(missing.is_empty(), "transcripts are missing:\n{}", missing.join("\n"));
}

/// Finds the commands below one, by their help. A command that needs a subcommand does nothing itself.
fn collect_commands(console: &Console, words: &[String], found: &mut BTreeMap<Vec<String>, Shown>) {
    let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = console.world.ok(&arguments).stdout;
    let is_group = help.lines().any(|line| line.starts_with("Usage: ") && line.ends_with("<COMMAND>"));
    if !words.is_empty() && !is_group {
        found.insert(words.to_vec(), Shown::default());
    }
    let entries = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for entry in entries.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let name = entry.split_whitespace().next().unwrap_or_default();
        if name != "help" {
            collect_commands(console, &[words, &[name.to_owned()]].concat(), found);
        }
    }
}

/// All transcripts in the files of this test. Each begins with `$ agency` and ends with its string literal.
fn transcripts() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut transcripts = vec![];
    for entry in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut transcript: Option<String> = None;
        for line in text.lines().map(str::trim) {
            if line.starts_with("$ agency ") {
                transcript = Some(String::new());
            } else if line.starts_with('"') && line.trim_start_matches(['"', '#']) == ");" {
                transcripts.extend(transcript.take());
            }
            if let Some(transcript) = &mut transcript {
                transcript.push_str(line);
                transcript.push('\n');
            }
        }
    }
    transcripts
}

/// Counts a transcript for the longest command that it begins with.
fn count(transcript: &str, shown: &mut BTreeMap<Vec<String>, Shown>) {
    let line = transcript.lines().next().unwrap_or_default().trim_start_matches("$ agency ");
    let line = line.strip_prefix("--config nothing.toml ").unwrap_or(line);
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let length = (1..=words.len()).rev().find(|length| shown.contains_key(&words[..*length]));
    let Some(command) = length.and_then(|length| shown.get_mut(&words[..length])) else { return };
    if transcript.contains("[exit status: ") {
        command.errors += 1;
    } else {
        command.successes += 1;
    }
}
