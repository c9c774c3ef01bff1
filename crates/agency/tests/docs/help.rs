//! The help of every command.

use super::program::{every_help, world};

#[test]
fn every_command_and_every_option_is_described() {
    for help in every_help(&world()) {
        let name = help.name();
        let first = help.text.lines().next().unwrap_or_default();
        assert!(first.contains(' '), "{name} has no description: {}", help.text);
        for part in ["Commands:", "Arguments:", "Options:"] {
            for (head, description) in help.entries(part) {
                assert!(!description.is_empty(), "{name}: {head} has no description");
            }
        }
    }
}

#[test]
fn every_command_that_takes_something_shows_an_example() {
    for help in every_help(&world()) {
        let takes = !help.own_flags().is_empty() || help.text.contains("\nArguments:\n");
        // A command of a command has its examples one level above.
        if takes && help.words.len() == 1 {
            let name = help.name();
            assert!(help.text.contains(&format!("\n  {name}")), "{name} shows no example: {}", help.text);
        }
    }
}
