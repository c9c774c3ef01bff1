//! The agent gets the environment of who asked for it.

use std::fs;

use agency_testkit::{Agent, World};

use super::fixture::{HOSTS, MODES, clear_away, how, world};

/// Starts a tmux server that knows other values, as one that is days old does.
fn old_tmux_server(world: &World) {
    let mut tmux = world.program("tmux");
    tmux.arg("-S").arg(world.socket()).args(["-f", "/dev/null"]);
    tmux.args(["new-session", "-d", "-s", "old", "--", "sleep", "3600"]);
    let started = world.run(tmux.env("FRESH", "stale").env("ONLY_OLD", "yes"));
    assert!(started.status.success(), "{started}");
}

#[test]
fn the_environment_of_the_caller_reaches_the_agent_although_the_tmux_server_is_older() {
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        old_tmux_server(&world);
        world.agent("speaking", "echo \"$FRESH|$FROM_FILE|$BOTH|${ONLY_OLD:-absent}|$AGENCY_RUN_ID|$AGENCY_RUN_DIR\"");
        let file = world.root().join("variables");
        fs::write(&file, "FROM_FILE='a file'\nBOTH=file\n").unwrap();
        let mut command = world.run_command(&repo, "speaking", &how(host, mode));
        command.args(["--json", "--env-file"]).arg(&file);
        let answer = world.run(command.env("FRESH", "new\nline").env("BOTH", "caller")).object();
        let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
        assert_eq!(world.ended(&run)["state"], "completed");
        let said = String::from_utf8(run.log("runner.stdout.log")).unwrap();
        let directory = run.directory.display();
        assert_eq!(said, format!("new\nline|a file|file|absent|{}|{directory}\n", run.id), "{host} {mode}");
        clear_away(&world, &repo, &[&run]);
    }
}

#[test]
fn the_prompt_reaches_an_agent_that_reads_it_and_an_agent_that_does_not_is_not_held_up() {
    for mode in MODES {
        let (world, repo) = world();
        world.agent("reading", Agent::new("cat; echo; echo over").prompt("stdin"));
        world.agent("deaf", Agent::new("exec <&-; echo over").prompt("stdin"));
        let reading = world.begin(&repo, "reading", &how("detached", mode));
        let deaf = world.begin(&repo, "deaf", &how("detached", mode));
        assert_eq!(world.ended(&reading)["state"], "completed");
        assert_eq!(world.ended(&deaf)["state"], "completed");
        assert_eq!(reading.log("runner.stdout.log"), b"do it\nover\n");
        assert_eq!(deaf.log("runner.stdout.log"), b"over\n");
        clear_away(&world, &repo, &[&reading, &deaf]);
    }
}
