//! A worktree that several runs worked in stays until the last of them is removed, and then its work is saved.

use std::fs;
use std::path::{Path, PathBuf};

use agency_testkit::{Repo, Run, World, agent, conversation};
use serde_json::Value;

use super::fixture::{begin, text, wait_for_question, world};

/// A run and one that goes on with it, both over, with work in their worktree that is committed nowhere.
fn parent_and_child(world: &World, repo: &Repo) -> (Run, Run, PathBuf) {
    let parent = begin(world, repo);
    assert_eq!(world.ended(&parent)["state"], "completed");
    let answer = world.json(&["resume", &parent.id, "--prompt", "go on"]);
    let child = world.run_with_id(text(&answer["data"], "id"));
    assert_eq!(world.ended(&child)["state"], "completed");
    let worktree = PathBuf::from(text(&world.show(&child), "worktree_path"));
    fs::write(worktree.join("new.txt"), "precious\n").unwrap();
    for run in [&parent, &child] {
        run.wait_until_unsupervised();
    }
    (parent, child, worktree)
}

/// The worktree is gone, and what it held is kept under the name of the run that was removed last.
#[track_caller]
fn is_saved(world: &World, repo: &Repo, last: &Run, worktree: &Path) {
    assert!(!worktree.exists());
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    let reference = format!("refs/agency/saved/{}", last.id);
    assert_eq!(world.show(last)["saved_ref"], reference.as_str());
    assert_eq!(repo.git(&["cat-file", "-p", &format!("{reference}:new.txt")]), "precious");
    let restored = world.json(&["restore", &last.id]);
    assert_eq!(restored["ok"], true, "{restored:#}");
}

#[test]
fn the_last_one_takes_the_worktree_along_whichever_it_is() {
    for parent_first in [true, false] {
        let (world, repo) = world(conversation::brief());
        let (parent, child, worktree) = parent_and_child(&world, &repo);
        let (first, last) = if parent_first { (&parent, &child) } else { (&child, &parent) };
        let plan = world.json(&["rm", "--dry-run", &first.id]).to_string();
        assert!(plan.contains("keep the worktree") && plan.contains(&last.id), "{plan}");
        let removed = world.json(&["rm", &first.id]).to_string();
        assert!(removed.contains("its worktree stays") && removed.contains(&last.id), "{removed}");
        assert_eq!(fs::read_to_string(worktree.join("new.txt")).unwrap(), "precious\n");
        assert_eq!(world.show(first)["saved_ref"], Value::Null);
        world.ok(&["rm", &last.id]);
        is_saved(&world, &repo, last, &worktree);
    }
}

#[test]
fn of_two_that_are_removed_at_once_one_is_the_last() {
    for _ in 0..5 {
        let (world, repo) = world(conversation::brief());
        let (parent, child, worktree) = parent_and_child(&world, &repo);
        let both = [&parent, &child].map(|run| world.spawn(&["rm", &run.id, "--json"]));
        for process in both {
            let output = process.wait();
            assert_eq!(output.object()["ok"], true, "{output}");
        }
        let saved: Vec<&Run> =
            [&parent, &child].into_iter().filter(|run| !world.show(run)["saved_ref"].is_null()).collect();
        assert_eq!(saved.len(), 1);
        is_saved(&world, &repo, saved[0], &worktree);
    }
}

#[test]
fn a_run_is_removed_while_another_works_in_its_worktree() {
    let (world, repo) = world(conversation::asking(1));
    let parent = begin(&world, &repo);
    wait_for_question(&world, &parent);
    world.ok(&["stop", &parent.id]);
    let answer = world.json(&["resume", &parent.id, "--prompt", "go on"]);
    let child = world.run_with_id(text(&answer["data"], "id"));
    let id = wait_for_question(&world, &child);
    world.ok(&["rm", "--delete-branch", "--force", &parent.id]);
    let worktree = PathBuf::from(text(&world.show(&child), "worktree_path"));
    assert!(worktree.join("README.md").exists());
    assert!(repo.branches().contains(&format!("agency/{}", parent.id)), "the branch is the child's too");
    world.ok(&["answer", &id, "allow"]);
    assert_eq!(world.ended(&child)["state"], "completed");
    world.ok(&["rm", "--delete-branch", &child.id]);
    assert!(!worktree.exists());
    assert_eq!(repo.branches(), ["main"]);
}

#[test]
fn the_trust_in_a_worktree_goes_with_it_and_not_before() {
    let (world, repo) = world(conversation::brief());
    world.set("trust_worktrees", "true");
    let program = world.agent("stand_in", agent::quiet());
    world.configure(&format!("\n[agents.claude_code]\ncommand = {program:?}\n"));
    let on_screen = ["--host", "detached", "--mode", "interactive"];
    let parent = world.begin(&repo, "claude_code", &on_screen);
    assert_eq!(world.ended(&parent)["state"], "completed");
    let answer = world.json(&["resume", &parent.id]);
    let child = world.run_with_id(text(&answer["data"], "id"));
    assert_eq!(world.ended(&child)["state"], "completed");
    let worktree = text(&world.show(&child), "worktree_path").to_owned();
    let trusted = || {
        let settings = fs::read(world.root().join("home/.claude.json")).unwrap();
        serde_json::from_slice::<Value>(&settings).unwrap()["projects"].get(&worktree).is_some()
    };
    assert!(trusted());
    world.ok(&["rm", &parent.id]);
    assert!(trusted(), "the other run is still there");
    world.ok(&["rm", &child.id]);
    assert!(!trusted());
}

/// A file that cannot be changed, since it is damaged: the entry to remove by hand is named, and the rest is removed.
#[test]
fn trust_that_cannot_be_taken_back_is_named_with_its_file_and_entry() {
    let (world, repo) = world(conversation::brief());
    world.set("trust_worktrees", "true");
    let program = world.agent("stand_in", agent::quiet());
    world.configure(&format!("\n[agents.claude_code]\ncommand = {program:?}\n"));
    let run = world.begin(&repo, "claude_code", &["--host", "detached", "--mode", "interactive"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let worktree = text(&world.show(&run), "worktree_path").to_owned();
    let settings = world.root().join("home/.claude.json");
    let good = fs::read(&settings).unwrap();
    fs::write(&settings, "{ damaged").unwrap();
    let error = world.error(&["rm", &run.id], agency_model::ErrorCode::CleanupFailed);
    let command = text(&error["details"]["remaining"][0], "command");
    assert!(command.contains(settings.to_str().unwrap()) && command.contains(&worktree), "{error:#}");
    assert_eq!(fs::read(&settings).unwrap(), b"{ damaged", "it is not overwritten");
    fs::write(&settings, good).unwrap();
    world.ok(&["rm", &run.id]);
    assert!(!String::from_utf8(fs::read(&settings).unwrap()).unwrap().contains(&worktree));
}
