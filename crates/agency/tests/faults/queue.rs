//! More runs than slots.

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, agent};

use super::fixture::{HOSTS, clear_away, nothing_was_left, until, world};

/// One slot, and agents that can be let go one by one.
fn one_slot() -> (World, Repo) {
    let (world, repo) = world();
    world.set("max_agents", "1");
    for name in ["first", "second", "third"] {
        world.agent(name, agent::waiting());
    }
    (world, repo)
}

fn state(world: &World, run: &Run) -> String {
    world.show(run)["state"].as_str().unwrap().to_owned()
}

#[test]
fn runs_that_wait_for_a_slot_begin_in_the_order_in_which_they_came() {
    for host in HOSTS {
        let (world, repo) = one_slot();
        let names = ["first", "second", "third"];
        let runs = names.map(|name| world.begin(&repo, name, &["--host", host]));
        let states = || runs.each_ref().map(|run| state(&world, run));
        assert_eq!(states(), ["running", "queued", "queued"]);
        world.release("first");
        runs[1].wait_for_output("ready");
        assert_eq!(states(), ["completed", "running", "queued"]);
        world.release("second");
        runs[2].wait_for_output("ready");
        assert_eq!(states(), ["completed", "completed", "running"]);
        world.release("third");
        assert_eq!(world.ended(&runs[2])["state"], "completed");
        clear_away(&world, &repo, &runs.each_ref());
    }
}

#[test]
fn a_run_that_waits_begins_when_the_supervisor_of_the_slot_is_killed() {
    let (world, repo) = one_slot();
    let first = world.begin(&repo, "first", &["--host", "detached"]);
    let second = world.begin(&repo, "second", &["--host", "detached"]);
    first.wait_for_output("ready");
    assert_eq!(state(&world, &second), "queued");
    first.kill_supervisor();
    second.wait_for_output("ready");
    assert_eq!((state(&world, &first), state(&world, &second)), ("failed".into(), "running".into()));
    world.release("second");
    assert_eq!(world.ended(&second)["state"], "completed");
    clear_away(&world, &repo, &[&first, &second]);
}

#[test]
fn a_run_that_waits_does_not_mind_that_tmux_goes_away() {
    let (world, repo) = one_slot();
    let first = world.begin(&repo, "first", &["--host", "detached"]);
    let second = world.begin(&repo, "second", &["--host", "tmux"]);
    world.tmux(&["kill-server"]);
    until("the end of tmux", || world.tmux_sessions().is_empty());
    assert_eq!(state(&world, &second), "queued");
    world.release("first");
    second.wait_for_output("ready");
    world.release("second");
    assert_eq!(world.ended(&second)["state"], "completed");
    clear_away(&world, &repo, &[&first, &second]);
}

// proves L4, L18
#[test]
fn a_run_that_may_not_wait_is_refused_and_leaves_nothing() {
    let (world, repo) = one_slot();
    let first = world.begin(&repo, "first", &["--host", "detached"]);
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "--runner", "second", "--prompt", "x", "--host", "detached"];
    world.error(&[&words[..], &["--no-queue"]].concat(), ErrorCode::MaxAgents);
    assert_eq!(world.runs().len(), 1, "a refused run leaves no directory");
    world.release("first");
    world.ended(&first);
    clear_away(&world, &repo, &[&first]);
}

#[test]
fn of_two_that_want_the_last_slot_one_runs_and_one_waits() {
    for _ in 0..3 {
        let (world, repo) = one_slot();
        let start = |name| world.start(&mut world.run_command(&repo, name, &["--host", "detached", "--json"]));
        let [one, other] = ["first", "second"].map(start).map(|process| {
            let answer = process.wait().object();
            world.run_with_id(answer["data"]["id"].as_str().unwrap())
        });
        let mut states = [state(&world, &one), state(&world, &other)];
        states.sort();
        assert_eq!(states, ["queued", "running"]);
        world.release("first");
        world.release("second");
        for run in [&one, &other] {
            assert_eq!(world.ended(run)["state"], "completed");
        }
        clear_away(&world, &repo, &[&one, &other]);
    }
}

#[test]
fn of_two_that_may_not_wait_at_most_one_gets_the_last_slot() {
    for _ in 0..3 {
        let (world, repo) = one_slot();
        let options = ["--host", "detached", "--json", "--no-queue"];
        let start = |name| world.start(&mut world.run_command(&repo, name, &options));
        let answers = ["first", "second"].map(start).map(|process| process.wait().object());
        let refused = answers.iter().filter(|answer| answer["error"]["code"] == "E_MAX_AGENTS");
        assert_eq!(refused.count(), 1, "{answers:#?}");
        world.release("first");
        world.release("second");
        until("the end", || world.json(&["ls", "--state", "running"])["data"]["runs"] == serde_json::json!([]));
        let started: Vec<&str> = answers.iter().filter_map(|answer| answer["data"]["id"].as_str()).collect();
        world.ok(&["rm", "--delete-branch", started[0]]);
        nothing_was_left(&world, &repo);
    }
}
