//! Every command has a transcript.

use super::Console;

/// The files of this test.
const FILES: [&str; 8] = [
    include_str!("agents.rs"),
    include_str!("conversation.rs"),
    include_str!("ending.rs"),
    include_str!("reading.rs"),
    include_str!("setup.rs"),
    include_str!("sources.rs"),
    include_str!("starting.rs"),
    include_str!("workflows.rs"),
];

#[test]
fn every_command_has_a_transcript() {
    let console = Console::new();
    let help = console.world.ok(&["--help"]).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> =
        names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 30, "{help}");
    let files = [FILES.as_slice(), &[include_str!("upkeep.rs")]].concat().concat();
    for name in names {
        assert!(files.contains(&format!("[\"{name}\"")), "agency {name} has no transcript");
    }
}
