//! Commands that landing, checkpoints, reviews and races print, followed where they are printed.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World};
use serde_json::Value;

use super::work::{Work, follow};

fn world() -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    (world, repo)
}

/// A finished run of an agent that executes this script.
fn finished(world: &World, repo: &Repo, name: &str, script: &str) -> (Run, PathBuf) {
    world.agent(name, script);
    let run = world.begin(repo, name, &["--host", "detached", "--mode", "headless", "--name", name]);
    let worktree = PathBuf::from(world.ended(&run)["worktree_path"].as_str().unwrap());
    (run, worktree)
}

/// The command in a text that begins with some words.
#[track_caller]
fn command_in(text: &str, first: &str) -> String {
    let begin = text.find(first).unwrap_or_else(|| panic!("no {first} in {text}"));
    text[begin..].lines().next().unwrap().to_owned()
}

/// The first words of a hint, before what it says about them.
fn words(text: &str, count: usize) -> String {
    text.split(' ').take(count).collect::<Vec<_>>().join(" ")
}

fn hint(error: &Value) -> &str {
    error["hint"].as_str().unwrap()
}

#[test]
fn changes_in_the_way_of_a_landing_are_saved_and_come_back_by_the_printed_commands() {
    let (world, repo) = world();
    repo.commit_file("both/file.txt", "one\n");
    let (_, worktree) = finished(&world, &repo, "worker", "echo agent > both/file.txt; echo loose > loose.txt");
    repo.write("both/file.txt", "of the user\n");
    repo.write("both/untracked.txt", "of the user, too\n");
    let both = repo.path.join("both");
    let (users, agents) = (Work::of(&repo, &both), Work::of(&repo, &worktree));
    let error = world.error(&["land", "worker"], ErrorCode::CheckoutDirty);
    assert!(hint(&error).contains("--save-changes"), "{error:#}");
    let landed = follow(&world, &repo, "agency land worker --save-changes").stdout;
    users.is_nowhere_lost(&world, &repo, &both);
    agents.is_nowhere_lost(&world, &repo, &worktree);
    assert_eq!(fs::read_to_string(both.join("file.txt")).unwrap(), "agent\n");
    // Both sides changed the file, so git leaves its conflict to the user; the saved changes stay.
    let back = command_in(&landed, "git -C");
    let merged = world.run(world.program("sh").args(["-c", &back]).current_dir(&repo.path));
    assert!(!merged.stderr.contains("fatal"), "{merged}");
    users.is_nowhere_lost(&world, &repo, &both);
    agents.is_nowhere_lost(&world, &repo, &worktree);
    follow(&world, &repo, "agency rm worker");
    agents.is_nowhere_lost(&world, &repo, &worktree);
}

#[test]
fn a_conflict_is_resolved_outside_of_the_worktree_in_which_an_agent_writes() {
    let (world, repo) = world();
    let (run, worktree) = finished(&world, &repo, "worker", "echo agent > README.md; echo loose > loose.txt");
    repo.commit_file("README.md", "of the user\n");
    let work = Work::of(&repo, &worktree);
    let error = world.error(&["land", "worker"], ErrorCode::MergeConflict);
    assert!(!hint(&error).contains("in the worktree"), "git would obey what the agent wrote there: {error:#}");
    assert!(hint(&error).contains("agency land --on-conflict agent"), "{error:#}");
    // The other way that is named: everything is on the branch by now.
    let branch = world.show(&run)["new_branch"].as_str().unwrap().to_owned();
    follow(&world, &repo, &format!("git merge -q --no-edit -X theirs {branch}"));
    work.is_nowhere_lost(&world, &repo, &worktree);
    follow(&world, &repo, "agency land worker");
    follow(&world, &repo, "agency rm worker");
    work.is_nowhere_lost(&world, &repo, &worktree);
    assert_eq!(repo.git(&["show", "main:loose.txt"]).trim(), "loose");
}

#[test]
fn commands_of_a_project_are_shown_and_approved_by_the_printed_command() {
    let (world, repo) = world();
    repo.commit_file(".agency/project.toml", "[land]\ncheck = [\"test -e new.txt\"]\nrequire_approval = true\n");
    let (run, worktree) = finished(&world, &repo, "worker", "echo new > new.txt");
    let work = Work::of(&repo, &worktree);
    let error = world.error(&["land", "worker"], ErrorCode::NotTrusted);
    // Without a terminal it shows the commands, and approves nothing without --yes.
    let shown = world.run(world.command(&["trust"]).current_dir(&repo.path));
    assert!(hint(&error).starts_with("agency trust "), "{error:#}");
    assert!(shown.to_string().contains("test -e new.txt"), "{shown}");
    world.error(&["land", "worker"], ErrorCode::NotTrusted);
    follow(&world, &repo, "agency trust --yes");
    let error = world.error(&["land", "worker"], ErrorCode::NotReady);
    let approve = command_in(error["message"].as_str().unwrap(), "agency review --approve");
    follow(&world, &repo, &approve);
    work.is_nowhere_lost(&world, &repo, &worktree);
    follow(&world, &repo, "agency land worker");
    assert_eq!(repo.git(&["show", "main:new.txt"]).trim(), "new");
    // What was removed is restored.
    follow(&world, &repo, "agency rm worker");
    let error = world.error(&["land", &run.id], ErrorCode::InvalidState);
    assert_eq!(words(hint(&error), 3), format!("agency restore {}", run.id), "{error:#}");
    work.is_nowhere_lost(&world, &repo, &worktree);
}

#[test]
fn a_restore_is_taken_back_by_the_printed_command() {
    let (world, repo) = world();
    let script = "echo committed > a.txt; git add .; git commit -qm a; echo loose > b.txt; echo x >> README.md";
    let (run, worktree) = finished(&world, &repo, "worker", script);
    let branch = format!("refs/heads/{}", world.show(&run)["new_branch"].as_str().unwrap());
    for option in ["", " --commits"] {
        let work = Work::of(&repo, &worktree);
        let head = repo.git(&["rev-parse", &branch]);
        let printed = follow(&world, &repo, &format!("agency checkpoint restore{option} worker 0")).stdout;
        work.is_nowhere_lost(&world, &repo, &worktree);
        assert!(!worktree.join("b.txt").exists());
        follow(&world, &repo, &command_in(&printed, "agency checkpoint restore"));
        work.is_nowhere_lost(&world, &repo, &worktree);
        assert_eq!(fs::read_to_string(worktree.join("b.txt")).unwrap(), "loose\n", "the problem is gone");
        assert_eq!(repo.git(&["rev-parse", &branch]), head);
    }
    let error = world.error(&["checkpoint", "restore", "worker", "99"], ErrorCode::CheckpointNotFound);
    assert_eq!(words(hint(&error), 3), "agency checkpoint ls");
    let work = Work::of(&repo, &worktree);
    follow(&world, &repo, "agency rm worker");
    work.is_nowhere_lost(&world, &repo, &worktree);
    let error = world.error(&["checkpoint", "restore", "worker", "1"], ErrorCode::InvalidState);
    follow(&world, &repo, &words(hint(&error), 3));
    work.is_nowhere_lost(&world, &repo, &worktree);
}

#[test]
fn the_best_run_of_a_race_is_looked_at_and_lands_by_the_printed_commands() {
    let (world, repo) = world();
    world.agent("good", "echo right > answer.txt");
    world.agent("bad", "echo wrong > answer.txt");
    let race = ["race", "do it", "--repo", repo.path.to_str().unwrap(), "--agents", "good,bad"];
    let options = ["--verify", "grep -q right answer.txt"];
    let printed = world.ok(&[&race[..], &options].concat()).stdout;
    let runs = world.json(&["race", "show", "last"])["data"]["runs"].take();
    let worktree = |agent: &str| {
        let run = runs.as_array().unwrap().iter().find(|run| run["agent"] == agent).unwrap();
        PathBuf::from(world.json(&["show", run["id"].as_str().unwrap()])["data"]["worktree_path"].as_str().unwrap())
    };
    let places = [worktree("good"), worktree("bad")];
    let works = places.each_ref().map(|place| Work::of(&repo, place));
    let all_there = || works.iter().zip(&places).for_each(|(work, place)| work.is_nowhere_lost(&world, &repo, place));
    let best = command_in(&printed, "best: ");
    for command in best.split("   ").skip(1) {
        follow(&world, &repo, command);
        all_there();
    }
    assert_eq!(repo.git(&["show", "main:answer.txt"]).trim(), "right");
    follow(&world, &repo, "agency rm --race last");
    all_there();
    assert!(places.iter().all(|place| !place.exists()));
}

#[test]
fn comments_that_are_refused_and_sent_by_the_printed_commands_change_no_file() {
    let (world, repo) = world();
    let (run, worktree) = finished(&world, &repo, "worker", "echo one > a.txt");
    let work = Work::of(&repo, &worktree);
    let error = world.error(&["review", "worker", "--send"], ErrorCode::InvalidState);
    assert!(hint(&error).starts_with(&format!("agency review {} --comment", run.id)), "{error:#}");
    follow(&world, &repo, &format!("agency review {} --comment 'a.txt:1:Say more'", run.id));
    let error = world.error(&["review", "worker", "--withdraw", "99"], ErrorCode::InvalidComment);
    follow(&world, &repo, &words(hint(&error), 3));
    work.is_nowhere_lost(&world, &repo, &worktree);
    assert!(worktree.join("a.txt").exists());
}
