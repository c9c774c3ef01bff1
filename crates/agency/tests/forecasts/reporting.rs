//! New conflicts become events, once; agents get a message if that is configured.

use agency_testkit::conversation;
use agency_testkit::wait_for;
use serde_json::Value;

use super::{automatic_world, conflicts, data, finished, here, shown, world};

const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

fn reported(world: &agency_testkit::World, id: &str) -> Vec<Value> {
    let events = world.run_with_id(id).events();
    events.into_iter().filter(|event| event["type"] == "conflict_forecast").collect()
}

#[test]
fn a_new_conflict_is_an_event_of_both_runs_also_after_their_end_and_an_old_one_is_not() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    let left = finished(&world, &repo, "left", "echo left > shared.txt");
    let right = finished(&world, &repo, "right", "echo right > shared.txt");
    for _ in 0..2 {
        data(&world, &repo, &["forecast"]);
    }
    for (id, other) in [(&left, &right), (&right, &left)] {
        let events = reported(&world, id);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((&events[0]["run"], &events[0]["files"][0]), (&other.as_str().into(), &"shared.txt".into()));
        let text = shown(&world, &repo, &["events", id]);
        let lines: Vec<&str> = text.lines().collect();
        let position = |what: &str| lines.iter().position(|line| line.contains(what));
        assert!(position("conflicts with") > position("completed"), "it comes after the end: {text}");
    }
    // A conflict that went away and came back is new.
    repo.git(&["branch", "-q", "-f", "kept", "main"]);
    let worktree = data(&world, &repo, &["show", &left])["worktree_path"].as_str().unwrap().to_owned();
    let file = std::path::Path::new(&worktree).join("shared.txt");
    std::fs::write(&file, "one\n").unwrap();
    std::fs::write(file.with_file_name("other"), "x\n").unwrap();
    assert!(conflicts(&data(&world, &repo, &["forecast", "--fresh"])).is_empty());
    std::fs::write(&file, "again\n").unwrap();
    data(&world, &repo, &["forecast", "--fresh"]);
    assert_eq!(reported(&world, &right).len(), 2);
}

#[test]
fn events_that_come_after_the_end_are_followed_with_all_until_the_run_is_removed() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    let left = finished(&world, &repo, "left", "echo left > shared.txt");
    let follower = world.start(&mut here(&world, &repo, &["events", "--follow", "--all", &left]));
    wait_for("the end of the run", LIMIT, || follower.stdout().contains("completed").then_some(()));
    finished(&world, &repo, "right", "echo right > shared.txt");
    data(&world, &repo, &["forecast"]);
    wait_for("the forecast", LIMIT, || follower.stdout().contains("conflicts with").then_some(()));
    assert!(follower.is_running());
    data(&world, &repo, &["rm", &left]);
    assert!(follower.wait().status.success());
    let ended = shown(&world, &repo, &["events", "--follow", "right"]);
    assert!(ended.contains("conflicts with"), "{ended}");
}

#[test]
fn the_agent_of_the_younger_run_gets_a_message_only_if_that_is_configured() {
    let (world, repo) = world();
    world.set("forecast.tell_agents", "true");
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    world.agent("talking", conversation::echoing());
    let run = data(&world, &repo, &["run", "-a", "talking", "--mode", "headless", "--name", "talking", "-p", "work"]);
    let id = run["id"].as_str().unwrap();
    let worktree = data(&world, &repo, &["show", id])["worktree_path"].as_str().unwrap().to_owned();
    std::fs::write(std::path::Path::new(&worktree).join("shared.txt"), "talking\n").unwrap();
    data(&world, &repo, &["forecast", "--fresh"]);
    let run = world.run_with_id(id);
    wait_for("the message", LIMIT, || {
        run.heard().iter().any(|line| line.to_string().contains("- shared.txt (contents)")).then_some(())
    });
    let before = run.heard().len();
    data(&world, &repo, &["forecast", "--fresh"]);
    assert_eq!(run.heard().len(), before, "it is told once");
}

#[test]
fn a_checkpoint_lets_another_process_forecast_and_lists_show_the_conflict() {
    let (world, repo) = automatic_world();
    repo.commit_file("shared.txt", "one\n");
    let left = finished(&world, &repo, "left", "echo left > shared.txt");
    let right = finished(&world, &repo, "right", "echo right > shared.txt");
    let listed = wait_for("the conflict in the list", LIMIT, || {
        let listed = data(&world, &repo, &["ls"]);
        (listed["runs"][0]["forecast"]["conflicts_with"][0] == left.as_str()).then_some(listed)
    });
    assert_eq!(listed["runs"][1]["forecast"]["conflicts_with"][0], right.as_str());
    assert_eq!(listed["runs"][0]["forecast"]["verdict"], "clean");
    let event = wait_for("the event", LIMIT, || reported(&world, &left).pop());
    assert_eq!(event["run"], right.as_str());
    data(&world, &repo, &["rm", &left]);
    let listed = data(&world, &repo, &["ls"]);
    assert_eq!(listed["runs"][0]["forecast"]["conflicts_with"].as_array().unwrap().len(), 0, "one is gone: {listed}");
}

#[test]
fn without_automatic_forecasts_none_is_kept_after_a_checkpoint() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    data(&world, &repo, &["forecast"]);
    let forecasts = world.agency_home().join("forecasts");
    let kept = || {
        let files = std::fs::read_dir(&forecasts).unwrap().map(|file| file.unwrap().path());
        let file = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    let before = kept();
    finished(&world, &repo, "right", "echo right > shared.txt");
    assert_eq!(kept(), before);
}
