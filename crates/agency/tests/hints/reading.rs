//! Commands that only read: they exist, end well and change nothing.

use std::path::Path;

use agency_testkit::{World, agent};

use super::table::{Safe, TABLE};

/// What each reading command is given; those that need a terminal or an open question are shown their help.
fn arguments<'a>(command: &'a str, run: &'a str) -> Vec<&'a str> {
    let mut words: Vec<&str> = command.split(' ').skip(1).collect();
    match command {
        "agency checkpoint diff"
        | "agency checkpoint ls"
        | "agency diff"
        | "agency events"
        | "agency logs"
        | "agency show"
        | "agency wait"
        | "agency why" => {
            words.push(run);
        }
        "agency completions" => words.push("bash"),
        "agency adapters"
        | "agency agent ls"
        | "agency agent orphans"
        | "agency config path"
        | "agency config show"
        | "agency inbox"
        | "agency ls"
        | "agency schema"
        | "agency source ls"
        | "agency workflow ls" => {}
        _ => words.push("--help"),
    }
    words
}

#[test]
fn every_command_that_only_reads_exists_and_ends_well() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    let before = repo.git(&["for-each-ref"]);
    for (command, _) in TABLE.iter().filter(|(command, safe)| *safe == Safe::Reads && command.starts_with("agency ")) {
        let output = world.agency(&arguments(command, &run.id));
        // The doctor may find something; that is an answer too.
        assert!(output.status.success() || *command == "agency doctor", "{command}: {output}");
    }
    assert_eq!(repo.git(&["for-each-ref"]), before);
    assert_eq!(world.json(&["show", &run.id])["data"]["state"], "completed");
}
