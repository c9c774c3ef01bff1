//! What the program says about itself.

use agency_testkit::World;
use serde_json::Value;

/// A world for the program under test.
pub(super) fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_agency"))
}

/// A command as its help describes it.
pub(super) struct Help {
    /// The words after `agency`; none for the program itself.
    pub(super) words: Vec<String>,
    /// The whole help.
    pub(super) text: String,
}

impl Help {
    /// How the command is called.
    pub(super) fn name(&self) -> String {
        [&["agency".to_owned()], self.words.as_slice()].concat().join(" ")
    }

    /// The long options, without those that every command has.
    pub(super) fn own_flags(&self) -> Vec<String> {
        let mut flags = self.flags();
        flags.retain(|flag| {
            !["--json", "--config", "--verbose", "--quiet", "--color", "--help", "--version"].contains(&flag.as_str())
        });
        flags
    }

    /// The long options.
    pub(super) fn flags(&self) -> Vec<String> {
        let lines = self.entries("Options:").into_iter();
        lines.filter_map(|(head, _)| long_flag(&head)).collect()
    }

    /// The commands below this one.
    pub(super) fn subcommands(&self) -> Vec<String> {
        let entries = self.entries("Commands:").into_iter().map(|(head, _)| head);
        entries.filter(|name| name != "help" || self.words.is_empty()).collect()
    }

    /// What a part of the help lists: the words of each entry, and its description.
    pub(super) fn entries(&self, part: &str) -> Vec<(String, String)> {
        let lines = self.text.lines().skip_while(|line| *line != part).skip(1);
        let mut entries: Vec<(String, String)> = vec![];
        for line in lines.take_while(|line| !line.is_empty()) {
            let indent = line.len() - line.trim_start().len();
            match entries.last_mut() {
                Some((_, description)) if indent > 8 => {
                    description.push(' ');
                    description.push_str(line.trim());
                }
                Some(_) | None => {
                    let line = line.trim_start();
                    let (head, description) = line.split_once("  ").unwrap_or((line, ""));
                    entries.push((head.to_owned(), description.trim().to_owned()));
                }
            }
        }
        entries
    }
}

fn long_flag(head: &str) -> Option<String> {
    let start = head.find("--")?;
    let flag = head[start..].split([' ', '=', '.', '[']).next()?;
    Some(flag.to_owned())
}

/// The help of the program and of every command, also of commands of commands.
pub(super) fn every_help(world: &World) -> Vec<Help> {
    let mut helps = vec![];
    let mut left = vec![vec![]];
    while let Some(words) = left.pop() {
        let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        arguments.push("--help");
        let text = world.ok(&arguments).stdout;
        let help = Help { words, text };
        for name in help.subcommands() {
            left.push([help.words.as_slice(), &[name]].concat());
        }
        helps.push(help);
    }
    helps
}

/// A JSON Schema that the program prints.
#[track_caller]
pub(super) fn schema(world: &World, name: &str) -> Value {
    serde_json::from_str(&world.ok(&["schema", name]).stdout).unwrap()
}

/// The names of the fields that a schema describes, at its top.
pub(super) fn fields(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object();
    properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}
