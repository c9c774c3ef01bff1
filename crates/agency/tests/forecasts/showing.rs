//! What `agency forecast` shows.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::wait_for;

use super::{conflicts, data, finished, here, shown, world};

#[test]
fn the_matrix_shows_which_runs_conflict_with_what_and_changes_nothing() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\ntwo\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    finished(&world, &repo, "right", "echo right > shared.txt; git add -A; git commit -qm right");
    finished(&world, &repo, "apart", "echo apart > apart.txt");
    finished(&world, &repo, "nothing", "true");
    finished(&world, &repo, "readme", "echo mine > README.md");
    repo.commit_file("README.md", "changed on main\n");
    let before = (repo.git(&["for-each-ref"]), repo.git(&["status", "--porcelain"]));
    let forecast = data(&world, &repo, &["forecast"]);
    assert_eq!(conflicts(&forecast), ["readme main README.md", "left right shared.txt"]);
    let names: Vec<&str> =
        forecast["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["left", "right", "apart", "readme"], "a finished run without changes is left out");
    for run in forecast["runs"].as_array().unwrap() {
        assert_eq!(run["tree"].as_str().unwrap().len(), 40, "a verdict names its trees");
    }
    assert_eq!(forecast["targets"][0]["commit"], repo.git(&["rev-parse", "main"]).trim());

    let text = shown(&world, &repo, &["forecast"]);
    let matrix: Vec<String> =
        text.lines().skip(2).take(5).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(matrix, ["RUN TARGET 1 2", "1 left . X", "2 right . X", "3 apart . . .", "4 readme X . ."], "{text}");
    assert!(text.starts_with("4 runs into main ("), "{text}");
    assert!(
        text.contains("  4 readme with main: README.md (contents)\n  1 left with 2 right: shared.txt (contents)\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!((repo.git(&["for-each-ref"]), repo.git(&["status", "--porcelain"])), before);
}

#[test]
fn with_runs_only_what_concerns_them_is_shown_and_a_run_without_work_is_an_error() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    finished(&world, &repo, "right", "echo right > shared.txt");
    finished(&world, &repo, "apart", "echo apart > apart.txt");
    finished(&world, &repo, "nothing", "true");
    let forecast = data(&world, &repo, &["forecast", "left"]);
    assert_eq!(forecast["runs"].as_array().unwrap().len(), 2);
    assert_eq!(conflicts(&forecast), ["left right shared.txt"]);
    assert_eq!(data(&world, &repo, &["forecast", "apart"])["pairs"].as_array().unwrap().len(), 0);
    let refused = world.run(here(&world, &repo, &["forecast", "nothing"]).arg("--json"));
    assert!(refused.stdout.contains(ErrorCode::InvalidState.as_str()), "{refused:?}");
    assert!(refused.stdout.contains("changed nothing"), "{refused:?}");
    let refused = world.run(&mut here(&world, &repo, &["forecast", "--into", "nowhere"]));
    assert!(refused.stderr.contains(ErrorCode::BadRef.as_str()), "{refused:?}");
}

#[test]
fn another_target_may_give_another_verdict() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    repo.git(&["checkout", "-q", "-b", "release"]);
    repo.commit_file("shared.txt", "release\n");
    repo.git(&["checkout", "-q", "main"]);
    assert!(conflicts(&data(&world, &repo, &["forecast"])).is_empty());
    assert_eq!(conflicts(&data(&world, &repo, &["forecast", "--into", "release"])), ["left release shared.txt"]);
    // Only the usual forecast is kept.
    assert!(conflicts(&data(&world, &repo, &["forecast"])).is_empty());
}

#[test]
fn a_live_run_is_compared_as_it_is_and_one_whose_worktree_is_gone_is_not_known() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "echo left > shared.txt");
    let gone = finished(&world, &repo, "gone", "echo gone > shared.txt");
    world.agent("busy", "echo busy > shared.txt; echo written > written; exec sleep 600");
    let busy = data(&world, &repo, &["run", "-a", "busy", "--mode", "headless", "--name", "busy", "-p", "work"]);
    let worktree = std::path::PathBuf::from(
        data(&world, &repo, &["show", busy["id"].as_str().unwrap()])["worktree_path"].as_str().unwrap(),
    );
    wait_for("the work", std::time::Duration::from_secs(30), || worktree.join("written").exists().then_some(()));
    fs::remove_dir_all(data(&world, &repo, &["show", &gone])["worktree_path"].as_str().unwrap()).unwrap();
    let forecast = data(&world, &repo, &["forecast", "--fresh"]);
    assert_eq!(conflicts(&forecast), ["left busy shared.txt"]);
    let unknown = forecast["runs"].as_array().unwrap().iter().find(|run| run["name"] == "gone").unwrap();
    assert_eq!(
        (&unknown["verdict"], &unknown["reason"]),
        (&"unknown".into(), &"its worktree is not there any more".into())
    );
    assert!(
        shown(&world, &repo, &["forecast"])
            .contains("Not known\n  2 gone with main: its worktree is not there any more\n")
    );
}

#[test]
fn names_of_files_are_escaped() {
    let (world, repo) = world();
    repo.commit_file("shared.txt", "one\n");
    finished(&world, &repo, "left", "printf left > \"$(printf 'a\\033[2J')\"");
    finished(&world, &repo, "right", "printf right > \"$(printf 'a\\033[2J')\"");
    let text = shown(&world, &repo, &["forecast"]);
    assert!(text.contains("a\\x1b[2J (contents)"), "{text:?}");
}
