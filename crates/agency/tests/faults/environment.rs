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

/// Git sets these variables for hooks and aliases; they would lead every git command of an agent to the user's checkout.
#[test]
fn a_caller_that_git_started_does_not_lead_agents_or_us_to_another_repository() {
    let (world, repo) = world();
    let other = world.repo("other");
    let git_dir = other.path.join(".git");
    let variables = [
        ("GIT_DIR", git_dir.clone()),
        ("GIT_COMMON_DIR", git_dir.clone()),
        ("GIT_WORK_TREE", other.path.clone()),
        ("GIT_INDEX_FILE", git_dir.join("index")),
        ("GIT_OBJECT_DIRECTORY", git_dir.join("objects")),
        ("GIT_PREFIX", "src/".into()),
    ];
    let run_here = |arguments: &[&str]| {
        let mut command = world.command(&[&["--json"], arguments].concat());
        world.run(command.envs(variables.clone()).current_dir(&repo.path)).object()["data"].take()
    };
    let before = other.git(&["rev-parse", "HEAD"]);
    world.agent("worker", "echo mine > mine.txt; git add --all; git commit -qm mine; echo loose > loose.txt");
    let here = repo.path.to_str().unwrap();
    let started = run_here(&[
        "run", "--repo", here, "--runner", "worker", "--host", "detached", "--mode", "headless", "--prompt", "x",
    ]);
    let run = world.run_with_id(started["id"].as_str().unwrap());
    assert_eq!(world.ended(&run)["state"], "completed");
    let branch = format!("agency/{}", run.id);
    assert_eq!(repo.git(&["show", &format!("{branch}:mine.txt")]).trim(), "mine");
    let files = run_here(&["show", &run.id])["changed_files"].take();
    assert_eq!(files.as_array().unwrap().len(), 2, "{files:#}");
    let saved = run_here(&["rm", &run.id])["saved_ref"].as_str().unwrap().to_owned();
    assert_eq!(repo.git(&["show", &format!("{saved}:loose.txt")]).trim(), "loose");
    // Commands of workflows, too.
    let file = world.root().join("flow.yaml");
    let step = "echo step > step.txt; git add --all; git commit -qm step";
    fs::write(&file, format!("name: w\nsteps:\n  - {{ name: a, type: script, command: '{step}' }}\n")).unwrap();
    let session = run_here(&["workflow", "run", file.to_str().unwrap(), "--repo", here]);
    let branch = session["branch"].as_str().unwrap_or_else(|| panic!("{session:#}"));
    assert_eq!(repo.git(&["show", &format!("{branch}:step.txt")]).trim(), "step");
    // The other repository is as it was.
    assert_eq!(other.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(other.git(&["status", "--porcelain"]), "");
}
