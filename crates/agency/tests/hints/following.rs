//! Commands that end or remove something, followed where they are printed.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use agency_testkit::{Repo, World, agent, wait_for};
use serde_json::Value;

use super::work::{Work, follow};

/// A finished run with work that is not committed.
struct Place {
    world: World,
    repo: Repo,
    id: String,
    worktree: PathBuf,
}

impl Place {
    fn new() -> Self {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        let repo = world.repo("project");
        world.agent(
            "worker",
            "echo committed > a.txt; git add .; git commit -qm a; echo loose > b.txt; echo x >> README.md",
        );
        let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
        let ended = world.ended(&run);
        let worktree = PathBuf::from(ended["worktree_path"].as_str().unwrap());
        Self { world, repo, id: run.id, worktree }
    }

    /// Follows the command that a refused `agency rm` prints: nothing is lost, and the run is removed.
    #[track_caller]
    fn refused_then_followed(&self) {
        let work = Work::of(&self.repo, &self.worktree);
        let error = self.world.error(&["rm", &self.id], ErrorCode::CleanupFailed);
        work.is_nowhere_lost(&self.world, &self.repo, &self.worktree);
        let remaining = error["details"]["remaining"].as_array().unwrap();
        assert!(!remaining.is_empty(), "{error:#}");
        for left in remaining {
            follow(&self.world, &self.repo, left["command"].as_str().unwrap());
            work.is_nowhere_lost(&self.world, &self.repo, &self.worktree);
        }
        self.is_removed();
    }

    #[track_caller]
    fn is_removed(&self) {
        assert!(self.world.json(&["show", &self.id])["data"]["removed_at"].is_string());
        assert!(!self.worktree.exists());
        assert_eq!(self.repo.worktrees().len(), 1);
    }
}

/// The command in a message, from its first word to the end of the line.
fn command_in(message: &str, first: &str) -> String {
    let begin = message.find(first).unwrap_or_else(|| panic!("no {first} in {message}"));
    message[begin..].lines().next().unwrap().to_owned()
}

#[test]
fn a_nested_repository_is_moved_by_the_printed_command() {
    let place = Place::new();
    let inner = place.worktree.join("vendor/inner");
    place.repo.git(&["init", "-q", inner.to_str().unwrap()]);
    fs::write(inner.join("file.txt"), "not committed anywhere\n").unwrap();
    place.repo.git(&["-C", inner.to_str().unwrap(), "add", "."]);
    place.refused_then_followed();
}

#[test]
fn a_git_directory_that_the_agent_made_is_moved_by_the_printed_command() {
    let place = Place::new();
    fs::remove_file(place.worktree.join(".git")).unwrap();
    let directory = place.worktree.to_str().unwrap();
    place.repo.git(&["init", "-q", directory]);
    place.repo.git(&["-C", directory, "add", "."]);
    place.repo.git(&["-C", directory, "commit", "-qm", "of the agent"]);
    place.refused_then_followed();
}

#[test]
fn a_deleted_git_file_or_entry_needs_no_command_at_all() {
    for entry in [false, true] {
        let place = Place::new();
        let work = Work::of(&place.repo, &place.worktree);
        if entry {
            fs::remove_dir_all(place.repo.path.join(".git/worktrees").join(&place.id)).unwrap();
        } else {
            fs::remove_file(place.worktree.join(".git")).unwrap();
        }
        place.world.ok(&["rm", &place.id]);
        work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
        place.is_removed();
    }
}

#[test]
fn a_locked_worktree_is_unlocked() {
    let place = Place::new();
    place.repo.git(&["worktree", "lock", place.worktree.to_str().unwrap()]);
    let work = Work::of(&place.repo, &place.worktree);
    let error = place.world.error(&["rm", &place.id], ErrorCode::CleanupFailed);
    let message = error["message"].as_str().unwrap();
    follow(&place.world, &place.repo, &command_in(message, "git -C"));
    place.world.ok(&["rm", &place.id]);
    work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
    place.is_removed();
}

#[test]
fn a_locked_worktree_is_removed_by_force() {
    let place = Place::new();
    place.repo.git(&["worktree", "lock", place.worktree.to_str().unwrap()]);
    place.refused_then_followed();
}

#[test]
fn a_moved_repository_is_repaired() {
    let mut place = Place::new();
    let work = Work::of(&place.repo, &place.worktree);
    let moved = place.repo.path.with_file_name("moved");
    fs::rename(&place.repo.path, &moved).unwrap();
    let error = place.world.error(&["rm", &place.id], ErrorCode::CleanupFailed);
    let command = command_in(error["details"]["remaining"][0]["why"].as_str().unwrap(), "git -C");
    let command = command.replace("<new place>", moved.to_str().unwrap());
    place.repo.path = moved;
    follow(&place.world, &place.repo, &command);
    place.world.ok(&["rm", &place.id]);
    work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
    assert!(!place.worktree.exists());
}

#[test]
fn a_live_run_is_stopped_and_then_removed() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &["--host", "detached"]);
    run.wait_for_output("ready");
    let worktree = PathBuf::from(world.json(&["show", &run.id])["data"]["worktree_path"].as_str().unwrap());
    fs::write(worktree.join("loose.txt"), "loose\n").unwrap();
    let work = Work::of(&repo, &worktree);
    let error = world.error(&["rm", &run.id], ErrorCode::InvalidState);
    follow(&world, &repo, error["hint"].as_str().unwrap());
    work.is_nowhere_lost(&world, &repo, &worktree);
    world.ok(&["rm", &run.id]);
    work.is_nowhere_lost(&world, &repo, &worktree);
}

#[test]
fn a_run_that_a_session_needs_is_given_up_and_removed() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.set("host", "\"detached\"");
    let repo = world.repo("project");
    let file = world.root().join("workflow.yaml");
    fs::write(&file, "name: w\nsteps:\n  - { name: a, type: script, command: 'echo x > x.txt; false' }\n").unwrap();
    let mut begin = world.command(&["--json", "workflow", "run", file.to_str().unwrap(), "--detach"]);
    let session = world.run(begin.current_dir(&repo.path)).object()["data"]["session"].as_str().unwrap().to_owned();
    let shown = wait_for("the session is blocked", std::time::Duration::from_secs(60), || {
        let shown = world.json(&["workflow", "show", &session])["data"].take();
        (shown["state"] == "blocked" && shown["driven"] == false).then_some(shown)
    });
    let worktree = PathBuf::from(shown["worktree_path"].as_str().unwrap());
    let work = Work::of(&repo, &worktree);
    let id = shown["driver"].as_str().unwrap();
    let error = world.error(&["rm", id], ErrorCode::InvalidState);
    let hint = error["hint"].as_str().unwrap();
    let cancel = format!("agency workflow cancel {session}");
    assert!(hint.contains(&cancel), "{hint}");
    follow(&world, &repo, &cancel);
    follow(&world, &repo, &format!("agency rm {id}"));
    work.is_nowhere_lost(&world, &repo, &worktree);
    assert!(!worktree.exists());
}

#[test]
fn work_beside_the_branch_is_merged_by_the_printed_command() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.set("host", "\"detached\"");
    let repo = world.repo("project");
    let file = world.root().join("workflow.yaml");
    // Following the hint in the worktree would run this.
    let evil = world.root().join("evil");
    let beside = "git commit -q --allow-empty -m on; git switch -q --detach HEAD~1; echo x > x.txt; git add x.txt; git commit -qm beside";
    let script = format!(
        "{beside}; admin=$(git rev-parse --git-dir); mkdir ../e; cp -r \"$(git rev-parse --git-common-dir)\"/. ../e; \
         git config --file ../e/config core.fsmonitor \"touch {}\"; (cd ../e && pwd) > \"$admin/commondir\"",
        evil.display()
    );
    let text = format!(
        "name: w\nsteps:\n  - {{ name: a, type: script, command: '{script}' }}\n  - {{ name: b, type: merge }}\n"
    );
    fs::write(&file, text).unwrap();
    let mut begin = world.command(&["--json", "workflow", "run", file.to_str().unwrap(), "--detach"]);
    let session = world.run(begin.current_dir(&repo.path)).object()["data"]["session"].as_str().unwrap().to_owned();
    let shown = wait_for("the session is blocked", std::time::Duration::from_secs(60), || {
        let shown = world.json(&["workflow", "show", &session])["data"].take();
        (shown["state"] == "blocked" && shown["driven"] == false).then_some(shown)
    });
    let shown = shown.to_string();
    let begin = shown.find("git -C ").unwrap_or_else(|| panic!("{shown}"));
    let command: Vec<&str> = shown[begin..].split([' ', '"', '\\']).take(5).collect();
    assert_eq!(command[3], "merge", "{shown}");
    follow(&world, &repo, &format!("{} --no-edit", command.join(" ")));
    assert_eq!(repo.git(&["show", "main:x.txt"]).trim(), "x");
    let diff = shown.find("agency diff ").unwrap();
    let diff: Vec<&str> = shown[diff..].split([' ', ';', '"']).take(3).collect();
    follow(&world, &repo, &diff.join(" "));
    // The session goes on: nothing is beside the branch that the target does not have.
    let reached = |state: &str| {
        wait_for(&format!("the session is {state}"), std::time::Duration::from_secs(60), || {
            (world.json(&["workflow", "show", &session])["data"]["state"] == state).then_some(())
        });
    };
    follow(&world, &repo, &format!("agency workflow retry {session} --detach"));
    reached("pending_merge");
    follow(&world, &repo, &format!("agency workflow approve {session}"));
    reached("completed");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main^2"]).trim(), "on");
    assert!(!evil.exists(), "a printed command ran what was written into the git directory of the worktree");
}

#[test]
fn a_repository_without_a_commit_gets_one() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let mut empty = world.repo("project");
    let path = empty.path.with_file_name("empty");
    empty.git(&["init", "-q", path.to_str().unwrap()]);
    empty.path = path;
    fs::write(empty.path.join("mine.txt"), "mine\n").unwrap();
    let arguments = ["run", "--repo", empty.path.to_str().unwrap(), "--runner", "scripted", "--prompt", "x"];
    let error = world.error(&arguments, ErrorCode::BadRef);
    follow(&world, &empty, error["hint"].as_str().unwrap());
    assert_eq!(fs::read_to_string(empty.path.join("mine.txt")).unwrap(), "mine\n");
    assert_eq!(empty.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
}

#[test]
fn reconcile_after_a_crash_takes_no_work() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &["--host", "detached"]);
    run.wait_for_output("ready");
    let worktree = PathBuf::from(world.json(&["show", &run.id])["data"]["worktree_path"].as_str().unwrap());
    fs::write(worktree.join("loose.txt"), "loose\n").unwrap();
    let work = Work::of(&repo, &worktree);
    world.kill_everything();
    follow(&world, &repo, "agency reconcile");
    work.is_nowhere_lost(&world, &repo, &worktree);
    assert_eq!(world.json(&["show", &run.id])["data"]["state"], "failed");
}

#[test]
fn restore_is_printed_and_brings_saved_work_back() {
    let place = Place::new();
    let said = place.world.ok(&["rm", &place.id]).stdout;
    follow(&place.world, &place.repo, &command_in(&said, "agency restore"));
    let branch = format!("refs/heads/agency/restored-{}:b.txt", place.id);
    assert_eq!(place.repo.git(&["cat-file", "-p", &branch]).trim(), "loose");
    let error = place.world.error(&["diff", &place.id], ErrorCode::InvalidState);
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("agency restore {} brings back what was not committed", place.id)), "{hint}");
    let diff = follow(&place.world, &place.repo, &command_in(hint, "git -C"));
    assert!(diff.stdout.contains("a.txt"), "{diff}");
    assert_eq!(place.world.json(&["ls", "--all"])["data"]["runs"][0]["id"], Value::from(place.id.clone()));
}
