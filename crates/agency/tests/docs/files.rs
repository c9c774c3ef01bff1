//! `docs/files.md` against what a run leaves on disk.

use std::fs;

use agency_testkit::agent;
use serde_json::Value;

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::{fields, schema, world};

#[test]
fn every_file_in_a_run_directory_is_described() {
    let world = world();
    let repo = world.repo("project");
    let path = repo.path.to_str().unwrap();
    let section = section(&read("docs/files.md"), "A run directory");
    let described: Vec<String> = rows(&section).iter().flat_map(|row| code_words(&row[0])).collect();
    for (host, name) in [("tmux", "in-tmux"), ("detached", "alone")] {
        world.agent(name, agent::waiting());
        let run = ["run", "--repo", path, "--runner", name, "--host", host, "--name", name, "--prompt", "x"];
        let answer = world.json(&run);
        let directory = answer["data"]["run_dir"].as_str().unwrap().to_owned();
        let check = |when: &str| {
            for folder in ["", "logs/"] {
                for entry in fs::read_dir(format!("{directory}/{folder}")).unwrap() {
                    let entry = entry.unwrap();
                    let file = format!("{folder}{}", entry.file_name().to_str().unwrap());
                    // A file that is replaced just now may be listed and be gone at once.
                    let described_as = if file.starts_with(".new-") { ".new-*".to_owned() } else { file.clone() };
                    let known = entry.path().is_dir() || described.contains(&described_as);
                    assert!(known, "{file} of a run in {host} is not described ({when})");
                }
            }
        };
        check("while it runs");
        world.release(name);
        world.ok(&["wait", name]);
        check("when it is over");
    }
}

#[test]
fn the_example_of_done_json_has_every_field() {
    has_every_field(&example("done.json"), &schema(&world(), "done"));
}

#[test]
fn the_example_of_a_pid_file_has_every_field_and_each_of_its_process_is_described() {
    let (example, schema) = (example("Pid files"), schema(&world(), "pid-file"));
    has_every_field(&example, &schema);
    has_every_field(&example["process"], &schema["$defs"]["Identity"]);
    let rows = rows(&section(&read("docs/files.md"), "Pid files"));
    for field in fields(&schema["$defs"]["Identity"]) {
        assert!(rows.iter().any(|row| row[0] == format!("`{field}`")), "`{field}` is not described");
    }
}

#[test]
fn what_the_section_on_disaster_recovery_says_recovers_every_run() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run =
        ["run", "--repo", repo.path.to_str().unwrap(), "--runner", "quiet", "--host", "detached", "--prompt", "x"];
    let first = world.json(&run)["data"]["id"].as_str().unwrap().to_owned();
    world.ok(&["wait", &first]);
    let home = world.agency_home();
    rusqlite::Connection::open(home.join("agency.db"))
        .unwrap()
        .execute("VACUUM INTO ?1", [home.join("backup.db").to_str().unwrap()])
        .unwrap();
    let second = world.json(&run)["data"]["id"].as_str().unwrap().to_owned();
    world.ok(&["wait", &second]);
    world.run_with_id(&second).wait_until_unsupervised();
    let before = world.json(&["ls", "--all"]);
    let bin = world.root().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(world.command(&[]).get_program(), bin.join("agency")).unwrap();
    let commands = blocks(&section(&read("docs/files.md"), "Disaster recovery"), "sh");
    assert_eq!(commands.len(), 2);
    for command in commands {
        // The rest of the database's life: it is damaged.
        fs::write(home.join("agency.db"), "rubbish").unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let mut program = world.program("sh");
        program.args(["-e", "-c", &command]).env("PATH", path);
        let output = world.run(&mut program);
        assert!(output.status.success(), "{command}: {output}");
        assert_eq!(world.json(&["ls", "--all"]), before, "{command}");
    }
}

/// The JSON that a section shows first.
#[track_caller]
fn example(heading: &str) -> Value {
    let section = section(&read("docs/files.md"), heading);
    serde_json::from_str(&blocks(&section, "json")[0]).unwrap()
}

#[track_caller]
fn has_every_field(example: &Value, schema: &Value) {
    let mut shown: Vec<&String> = example.as_object().unwrap().keys().collect();
    let known = fields(schema);
    let mut known: Vec<&String> = known.iter().collect();
    shown.sort();
    known.sort();
    assert_eq!(shown, known);
}

#[test]
fn every_kind_of_event_is_described_with_its_fields() {
    let rows = rows(&section(&read("docs/files.md"), "events.ndjson"));
    let schema = schema(&world(), "event");
    let kinds = schema["oneOf"].as_array().unwrap();
    assert!(kinds.len() > 5, "{schema:#}");
    for kind in kinds {
        let name = kind["properties"]["type"]["const"].as_str().unwrap();
        if name == "unknown" {
            continue;
        }
        let row = rows.iter().find(|row| row[0] == format!("`{name}`"));
        let row = row.unwrap_or_else(|| panic!("the event {name} is not described"));
        for field in fields(kind).iter().filter(|field| *field != "type") {
            assert!(row[1].contains(&format!("`{field}`")), "{name}: `{field}` is not named");
        }
    }
}
