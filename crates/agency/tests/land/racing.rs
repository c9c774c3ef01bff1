//! Several runs with one prompt: verified in the same way, compared, and one of them lands.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::{Agent, Repo, World, agent, conversation, wait_for};
use rustix::process::Signal;
use serde_json::Value;

use super::{events, on, world};

const LIMIT: Duration = Duration::from_secs(30);

/// An agent that runs this script and reports what it cost.
fn costing(script: &str, dollars: &str) -> Agent {
    conversation::speaking(&format!(
        "hear_message\n{script}\nsay '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\
         \"usage\":{{\"input_tokens\":1,\"output_tokens\":1}},\"total_cost_usd\":{dollars}}}'\nhear_the_end"
    ))
}

/// The arguments of a race of these agents.
fn racing<'a>(repo: &'a Repo, agents: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["race", "do it", "--repo", repo.path.to_str().unwrap(), "--agents", agents];
    arguments.extend(options);
    arguments
}

#[track_caller]
fn race(world: &World, arguments: &[&str]) -> Value {
    let mut answer = world.json(arguments);
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["data"].take()
}

/// The agents of the table, the best first.
fn order(race: &Value) -> Vec<String> {
    race["runs"].as_array().unwrap().iter().map(|run| run["agent"].as_str().unwrap().to_owned()).collect()
}

fn run_of<'a>(race: &'a Value, agent: &str) -> &'a Value {
    race["runs"].as_array().unwrap().iter().find(|run| run["agent"] == agent).unwrap()
}

#[test]
fn the_cheapest_run_that_passes_lands_and_the_others_stay_until_they_are_removed() {
    let (world, repo) = world();
    world.agent("cheap", costing("echo wrong >answer.txt", "0.1"));
    world.agent("middle", costing("printf 'right\\nmore\\n' >answer.txt", "0.5"));
    world.agent("dear", costing("echo right >answer.txt", "0.9"));
    let shown = race(&world, &racing(&repo, "dear,cheap,middle", &["--verify", "grep -q right answer.txt"]));
    assert_eq!(order(&shown), ["middle", "dear", "cheap"], "{shown:#}");
    let (middle, cheap) = (run_of(&shown, "middle"), run_of(&shown, "cheap"));
    assert_eq!(
        (&middle["verified"]["outcome"], &middle["cost_usd"], &middle["files"]),
        (&"passed".into(), &0.5.into(), &1.into())
    );
    assert_eq!((&middle["lines_added"], &middle["conflicts"]), (&2.into(), &serde_json::json!([])));
    assert_eq!(cheap["verified"]["outcome"], "failed with code 1");
    assert_eq!(shown["winner"], middle["id"]);
    let bases: Vec<Value> = world.runs().iter().map(|run| world.show(run)["base_commit"].clone()).collect();
    assert!(bases.iter().all(|base| *base == shown["base_commit"]), "{bases:?}");
    let id = shown["id"].as_str().unwrap();
    let landed = race(&world, &["race", "show", id, "--land"]);
    assert_eq!((&landed["landed"]["id"], &landed["landed"]["target"]), (&middle["id"], &"main".into()), "{landed:#}");
    assert_eq!(on(&repo, "main", "answer.txt").trim(), "right\nmore");
    let text = world.ok(&["race", "show", "last"]).stdout;
    assert!(text.contains("landed") && text.contains("failed with code 1"), "{text}");
    assert_eq!(repo.worktrees().len(), 4);
    world.ok(&["rm", "--race", id]);
    assert_eq!(repo.worktrees().len(), 1);
    assert_eq!(race(&world, &["race", "ls"])["races"][0]["id"], id);
}

#[test]
fn protected_files_are_those_of_the_base_and_a_run_that_changes_them_does_not_win() {
    let (world, repo) = world();
    repo.commit_file("tests/check.sh", "grep -q right answer.txt\n");
    world.agent("cheater", costing("echo exit 0 >tests/check.sh; echo wrong >answer.txt", "0.1"));
    world.agent("meddler", costing("echo '# fine' >>tests/check.sh; echo right >answer.txt", "0.2"));
    world.agent("honest", costing("echo right >answer.txt", "0.9"));
    let options = ["--verify", "sh tests/check.sh", "--protect", "tests/**", "--land"];
    let shown = race(&world, &racing(&repo, "cheater,meddler,honest", &options));
    assert_eq!(order(&shown)[..2], ["honest", "meddler"], "{shown:#}");
    assert_eq!(run_of(&shown, "cheater")["verified"]["succeeded"], false);
    assert_eq!(run_of(&shown, "meddler")["verified"]["protected"], serde_json::json!(["tests/check.sh"]));
    assert_eq!(shown["landed"]["id"], run_of(&shown, "honest")["id"]);
    // The work of the agents is as they left it.
    let cheater = world.run_with_id(run_of(&shown, "cheater")["id"].as_str().unwrap());
    let worktree = world.show(&cheater)["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(fs::read_to_string(format!("{worktree}/tests/check.sh")).unwrap(), "exit 0\n");
}

#[test]
fn ignored_files_help_no_run_and_nothing_is_left_for_the_next() {
    let (world, repo) = world();
    world.agent("first", "mkdir -p target; touch target/planted; echo 1 >work");
    world.agent("second", "echo 2 >work");
    let verify = "test ! -e target && mkdir target && touch target/left other";
    let shown = race(&world, &racing(&repo, "first,second", &["--verify", verify]));
    assert_eq!(run_of(&shown, "first")["verified"]["outcome"], "passed", "{shown:#}");
    assert_eq!(run_of(&shown, "second")["verified"]["outcome"], "passed", "{shown:#}");
    let trials = world.agency_home().join("trials").join(shown["id"].as_str().unwrap());
    assert!(!trials.join("tree").exists(), "the tree is cleared afterwards");
}

#[test]
fn a_command_that_hangs_is_ended_with_everything_that_it_started() {
    let (world, repo) = world();
    world.agent("a", "echo 1 >work");
    world.agent("b", "echo 2 >work");
    let options = ["--verify", "setsid sleep 600 & sleep 600", "--verify-timeout", "1s"];
    let shown = race(&world, &racing(&repo, "a,b", &options));
    for run in shown["runs"].as_array().unwrap() {
        assert_eq!(run["verified"]["outcome"], "took longer than 1 s", "{shown:#}");
    }
    assert_eq!(shown["winner"], Value::Null);
    let error = world.error(&["race", "show", "last", "--land"], ErrorCode::NotReady);
    assert_eq!(error["details"]["race"], shown["id"]);
}

#[test]
fn an_interrupt_leaves_the_runs_running_and_says_how_to_continue() {
    let (world, repo) = world();
    world.agent("a", "echo 1 >work; until [ -e \"$0.release\" ]; do sleep 0.01; done");
    world.agent("b", "echo 2 >work");
    let process = world.start(&mut world.command(&racing(&repo, "a,b", &["--verify", "true"])));
    wait_for("both runs", LIMIT, || process.stderr().contains("waiting for the runs").then_some(()));
    process.signal(Signal::INT);
    let output = process.wait();
    assert_eq!(output.status.code(), Some(130), "{output}");
    let id = race(&world, &["race", "show", "last"])["id"].as_str().unwrap().to_owned();
    assert!(output.stderr.contains(&format!("agency race show {id} --wait continues")), "{output}");
    world.release("a");
    let shown = race(&world, &["race", "show", &id, "--wait"]);
    assert!(shown["runs"].as_array().unwrap().iter().all(|run| run["verified"]["succeeded"] == true), "{shown:#}");
}

#[test]
fn a_race_whose_command_was_killed_is_continued() {
    for point in ["race.stored", "race.created", "race.verified", "race.saved"] {
        let (world, repo) = world();
        world.agent("a", "echo 1 >work");
        world.agent("b", "echo 2 >work");
        let arguments = racing(&repo, "a,b", &["--verify", "test -s work"]);
        let output = world.run(world.command(&arguments).env("AGENCY_FAULT_POINT", point));
        assert_eq!(output.status.signal(), Some(9), "{point}: {output}");
        let shown = race(&world, &["race", "show", "last", "--wait"]);
        let runs = shown["runs"].as_array().unwrap();
        let expected = match point {
            "race.stored" => 0,
            "race.created" => 1,
            _ => 2,
        };
        assert_eq!(runs.len(), expected, "{point}");
        assert!(runs.iter().all(|run| run["verified"]["succeeded"] == true), "{point}: {shown:#}");
        assert_eq!(
            race(&world, &["race", "show", "last", "--wait"])["runs"],
            shown["runs"],
            "{point}: nothing is verified twice"
        );
        for run in world.runs() {
            // The event of a result that was stored by a killed process is missing, and none is there twice.
            assert!(events(&run, &["checked"]).len() <= 1, "{point}");
        }
    }
}

#[test]
fn a_run_that_conflicts_with_its_target_does_not_win_and_later_work_is_not_what_was_verified() {
    let (world, repo) = world();
    world.agent("clashing", costing("echo agent >README.md", "0.1"));
    world.agent("clean", costing("echo agent >other.txt", "0.9"));
    let shown = race(&world, &racing(&repo, "clashing,clean", &["--verify", "true"]));
    assert_eq!(order(&shown), ["clashing", "clean"]);
    repo.commit_file("README.md", "user\n");
    let shown = race(&world, &["race", "show", "last"]);
    assert_eq!(order(&shown), ["clean", "clashing"], "{shown:#}");
    assert_eq!(run_of(&shown, "clashing")["conflicts"], serde_json::json!(["README.md"]));
    let clean = world.run_with_id(run_of(&shown, "clean")["id"].as_str().unwrap());
    let worktree = world.show(&clean)["worktree_path"].as_str().unwrap().to_owned();
    fs::write(format!("{worktree}/more.txt"), "later\n").unwrap();
    let shown = race(&world, &["race", "show", "last"]);
    assert_eq!((&run_of(&shown, "clean")["changed_since"], &shown["winner"]), (&true.into(), &Value::Null));
    let shown = race(&world, &["race", "show", "last", "--wait"]);
    assert_eq!(
        (&run_of(&shown, "clean")["changed_since"], &shown["winner"]),
        (&false.into(), &clean.id.as_str().into())
    );
}

#[test]
fn the_same_agent_races_with_several_models_and_mistakes_start_nothing() {
    let (world, repo) = world();
    world.agent("worker", agent::quiet());
    let shown = race(&world, &racing(&repo, "worker:one,worker@two", &[]));
    let mut args: Vec<String> = shown["runs"].as_array().unwrap().iter().map(|run| run["args"].to_string()).collect();
    args.sort();
    assert_eq!(args, [r#"["--model","one"]"#, r#"["--model","two"]"#]);
    assert_eq!(shown["winner"], Value::Null, "no run changed anything");
    let before = world.runs().len();
    world.error(&racing(&repo, "worker", &[]), ErrorCode::InvalidSpec);
    world.error(&racing(&repo, "worker,nobody", &[]), ErrorCode::RunnerNotConfigured);
    world.error(&racing(&repo, "worker,worker:", &[]), ErrorCode::Usage);
    world.error(&["race", "--agents", "worker,worker"], ErrorCode::Usage);
    world.error(&["race", "show", "race_nothing"], ErrorCode::RunNotFound);
    assert_eq!(world.runs().len(), before);
}
