//! Repositories that cannot be used, and ones that only look so.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::World;

use super::refusal::{Traces, hints, path, refused, refused_command, run_prompted, says, world};

// proves L4
#[test]
fn a_directory_without_a_repository_is_refused() {
    let (world, repo) = world();
    let plain = world.root().join("plain");
    fs::create_dir(&plain).unwrap();
    let plain = plain.to_str().unwrap();
    let arguments = ["run", "--repo", plain, "--runner", "quiet", "--prompt", "x"];
    let error = refused(&world, &repo, &arguments, ErrorCode::NotGitRepo);
    says(&error, &[plain, "not in a git repository"]);
    hints(&error, "--repo");
    assert_eq!(error["details"]["path"], plain);
}

// proves L3, L4
#[test]
fn the_repository_of_the_current_directory_is_missed_where_there_is_none() {
    let (world, repo) = world();
    let home = world.root().join("home");
    let arguments = ["run", "--runner", "quiet", "--prompt", "x"];
    let error = refused(&world, &repo, &arguments, ErrorCode::NotGitRepo);
    says(&error, &[home.to_str().unwrap()]);
}

// proves L4
#[test]
fn a_missing_path_and_a_file_are_refused() {
    let (world, repo) = world();
    let file = format!("{}/README.md", path(&repo));
    for (given, words) in [("/nowhere/at all", "does not exist"), (&file, "is not a directory")] {
        let arguments = ["run", "--repo", given, "--runner", "quiet", "--prompt", "x"];
        let error = refused(&world, &repo, &arguments, ErrorCode::NotGitRepo);
        says(&error, &[given, words]);
    }
}

// proves L4
#[test]
fn a_bare_repository_and_gits_own_directory_are_refused() {
    let (world, repo) = world();
    let bare = world.root().join("repos/bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    for given in [bare, repo.path.join(".git")] {
        let given = given.to_str().unwrap();
        let arguments = ["run", "--repo", given, "--runner", "quiet", "--prompt", "x"];
        let error = refused(&world, &repo, &arguments, ErrorCode::NotGitRepo);
        says(&error, &[given, "no working tree"]);
    }
}

// proves L4
#[test]
fn a_repository_without_a_commit_is_refused_with_the_way_to_a_first_one() {
    let (world, repo) = world();
    let empty = world.root().join("repos/empty");
    repo.git(&["init", "--quiet", empty.to_str().unwrap()]);
    let empty = empty.to_str().unwrap();
    let arguments = ["run", "--repo", empty, "--runner", "quiet", "--prompt", "x"];
    let error = refused(&world, &repo, &arguments, ErrorCode::BadRef);
    says(&error, &[empty, "no commit yet"]);
    hints(&error, "commit --allow-empty");
    assert_eq!(error["details"]["repo"], empty);
}

// proves L4
#[test]
fn a_repository_path_that_looks_like_an_option_is_taken_as_a_path() {
    let (world, repo) = world();
    let command = || {
        let mut command = world.command(&["run", "--repo=--help", "--runner", "quiet", "--prompt", "x"]);
        command.current_dir(world.root());
        command
    };
    let error = refused_command(&world, &repo, command, ErrorCode::NotGitRepo);
    says(&error, &["--help", "does not exist"]);
}

/// Runs, looks at and removes a run in a repository of that name.
#[track_caller]
fn lives_a_whole_life(name: &str, host: &str) {
    let (world, _) = world();
    world.agent("worker", "echo work > made.txt; git add made.txt; git commit --quiet -m made; echo more > left.txt");
    let repo = world.repo(name);
    let before = Traces::of(&world, &repo);
    let arguments = ["run", "--repo", path(&repo), "--runner", "worker", "--host", host, "--prompt", "x", "--wait"];
    let run = world.json(&arguments);
    let id = run["data"]["id"].as_str().unwrap().to_owned();
    assert_eq!(run["data"]["state"], "completed", "{run:#}");
    assert_eq!(run["data"]["repo"], path(&repo));
    assert_eq!(repo.worktrees().len(), 2);
    assert_eq!(world.json(&["ls", "--repo", path(&repo)])["data"]["runs"][0]["id"], id.as_str());
    let diff = world.json(&["diff", &id]);
    assert!(diff["data"]["diff"].as_str().unwrap().contains("left.txt"), "{diff:#}");
    let removed = world.json(&["rm", &id]);
    assert_eq!(removed["data"]["removed"], true);
    assert_eq!(repo.worktrees().len(), 1);
    let saved = repo.git(&["show", "--name-only", "--format=", &format!("refs/agency/saved/{id}")]);
    assert!(saved.contains("left.txt"), "{saved}");
    let restored = world.json(&["restore", &id]);
    assert_eq!(restored["data"]["repo"], path(&repo));
    only_work_remains(&world, &repo, &before, &id);
}

/// After its removal a run has left its branches, its saved work and its record, and nothing else.
#[track_caller]
fn only_work_remains(world: &World, repo: &agency_testkit::Repo, before: &Traces, id: &str) {
    repo.git(&["update-ref", "-d", &format!("refs/agency/saved/{id}")]);
    for branch in [format!("agency/{id}"), format!("agency/restored-{id}")] {
        repo.git(&["branch", "--quiet", "-D", &branch]);
    }
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.git(&["for-each-ref", "refs/agency"]), "");
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]), "");
    before.differs_only_in_records_from(&Traces::of(world, repo));
}

// proves L1, L4, L17
#[test]
fn a_repository_path_with_a_space_works_from_run_to_removal() {
    lives_a_whole_life("two words", "detached");
}

// proves L1, L4, L17
#[test]
fn a_repository_path_with_quotes_works_from_run_to_removal() {
    lives_a_whole_life("it's \"quoted\" `and` $HOME", "detached");
}

// proves L1, L4, L11, L17
#[test]
fn a_repository_path_with_a_newline_works_from_run_to_removal() {
    lives_a_whole_life("two\nlines", "tmux");
}

// proves L1, L4, L17
#[test]
fn a_repository_path_in_unicode_works_from_run_to_removal() {
    lives_a_whole_life("größe-名前-🦀", "detached");
}

// proves L1, L4, L17
#[test]
fn a_repository_path_with_a_leading_dash_works_from_run_to_removal() {
    lives_a_whole_life("-rf", "detached");
}

// proves L3
#[test]
fn a_relative_repository_path_with_a_leading_dash_works() {
    let (world, _) = world();
    let repo = world.repo("-rf");
    let mut command = world.command(&["run", "--repo=-rf", "--host", "detached", "--json", "--wait"]);
    command.args(["--runner", "quiet", "--prompt", "x"]).current_dir(world.root().join("repos"));
    let run = world.run(&mut command).object();
    assert_eq!(run["data"]["repo"], path(&repo), "{run:#}");
}

// proves L4
#[test]
fn a_name_for_people_is_one_short_line() {
    let (world, repo) = world();
    let long = "x".repeat(201);
    for name in ["", "  ", "two\nlines", &long] {
        let error = refused(&world, &repo, &run_prompted(&repo, &["--name", name]), ErrorCode::InvalidSpec);
        says(&error, &["`name`"]);
        assert_eq!(error["details"]["field"], "name");
    }
}
