//! Secrets of the environment stay in the environment.

use std::fs;
use std::path::{Path, PathBuf};

use agency_testkit::{ProcessTable, agent};

use super::fixture::{HOSTS, MODES, clear_away, how, world};

#[test]
fn no_secret_of_the_environment_is_in_a_file_or_on_a_command_line() {
    let secret = "hunter2-never-to-be-written-anywhere";
    let from_file = "swordfish-which-the-user-wrote-down";
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let variables = world.root().join("variables");
        fs::write(&variables, format!("OTHER_TOKEN={from_file}\n")).unwrap();
        let mut command = world.run_command(&repo, "waiting", &how(host, mode));
        command.args(["--json", "--env-file"]).arg(&variables);
        let answer = world.run(command.env("API_TOKEN", secret)).object();
        let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
        run.wait_for_output("ready");
        let environment = fs::read(format!("/proc/{}/environ", run.agent().as_raw_nonzero())).unwrap();
        for known in [secret, from_file] {
            assert!(holds(&environment, known), "the agent has it");
            let lines = ProcessTable::read().command_lines();
            assert!(lines.iter().all(|line| !line.contains(known)), "{host} {mode}");
        }
        world.release("waiting");
        world.ended(&run);
        for path in files_below(world.root()).iter().filter(|path| **path != variables) {
            let content = fs::read(path).unwrap_or_default();
            for known in [secret, from_file] {
                assert!(!holds(&content, known), "{} holds a secret", path.display());
            }
        }
        clear_away(&world, &repo, &[&run]);
    }
}

fn holds(content: &[u8], secret: &str) -> bool {
    content.windows(secret.len()).any(|window| window == secret.as_bytes())
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut files = vec![];
    for entry in entries {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files.extend(files_below(&entry.path()));
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files
}
