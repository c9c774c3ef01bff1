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

/// What the book calls the use and the contracts of agency is for users; the rest is about its source.
#[test]
fn every_page_for_users_is_a_topic_of_help() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let summary = std::fs::read_to_string(root.join("SUMMARY.md")).unwrap();
    let (for_users, _) = summary.split_once("# Source").unwrap();
    let names: Vec<&str> =
        for_users.split("](").skip(1).filter_map(|rest| rest.split_once(".md)")).map(|(name, _)| name).collect();
    let world = world();
    let topics = world.ok(&["help", "topics"]).stdout;
    let pages: Vec<&&str> = names.iter().filter(|name| !name.contains('/')).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for name in pages {
        assert!(topics.contains(&format!("\n  {name} ")), "{name} is not in {topics}");
        let shown = world.ok(&["help", &format!("{name}.md")]).stdout;
        assert_eq!(shown, std::fs::read_to_string(root.join(format!("{name}.md"))).unwrap());
    }
}
