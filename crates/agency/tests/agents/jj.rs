//! Agents in jj workspaces.

use std::fs;
use std::path::Path;

use agency_testkit::{JjKind, World, conversation, wait_for};
use rustix::process::{Signal, kill_process};

use super::fixture::{LIMIT, prepared, said, shown, spawn, wait_for_events, wait_for_state};

/// Writes what it is told into a file of its workspace.
const WRITING: &str =
    "while hear_message; do printf '%s\\n' \"$(message)\" >>told.txt; tell \"wrote: $(message)\"; finish done; done";

// proves P9, P10, P11
#[test]
fn a_named_agent_lives_in_a_jj_workspace_comes_back_there_and_leaves_its_work_in_a_bookmark() {
    for kind in JjKind::ALL {
        let world = prepared(World::with_jj(env!("CARGO_BIN_EXE_agency")), conversation::speaking(WRITING));
        let repo = world.jj_repo("project", kind);
        fs::write(repo.path.join("mine.txt"), "mine\n").unwrap();
        let run = spawn(&world, &repo, "alice", &["--prompt", "first"]);
        wait_for_state(&world, "alice", "idle");
        let row = shown(&world, "alice")["run"].take();
        assert_eq!((&row["vcs"], &row["kind"]), (&"jj".into(), &"agent".into()), "{row:#}");
        let workspace = Path::new(row["worktree_path"].as_str().unwrap()).to_owned();
        assert_eq!(
            fs::read_to_string(workspace.join("mine.txt")).unwrap(),
            "mine\n",
            "it begins with what the user has"
        );

        // The user goes on below it, which makes its workspace stale; then it crashes.
        fs::write(repo.path.join("mine.txt"), "mine, and more\n").unwrap();
        repo.jj(&["status"]);
        kill_process(run.agent(), Signal::KILL).unwrap();
        wait_for_events(&run, "attempt", 2);
        wait_for_state(&world, "alice", "idle");
        world.ok(&["send", "alice", "second"]);
        wait_for("the answer", LIMIT, || said(&run).contains(&"wrote: second".to_owned()).then_some(()));
        wait_for_state(&world, "alice", "idle");
        assert_eq!(fs::read_to_string(workspace.join("told.txt")).unwrap(), "first\nsecond\n");

        world.ok(&["agent", "stop", "alice"]);
        world.ok(&["rm", "alice"]);
        assert!(!workspace.exists());
        assert_eq!(fs::read_to_string(repo.path.join("mine.txt")).unwrap(), "mine, and more\n");
        let bookmark = format!("agency/{}", run.id);
        assert_eq!(repo.jj_file(&format!("\"{bookmark}\""), "told.txt"), "first\nsecond");
    }
}

// proves P10
#[test]
fn git_can_be_chosen_where_jj_would_be_taken() {
    let world = prepared(World::with_jj(env!("CARGO_BIN_EXE_agency")), conversation::staying());
    let repo = world.jj_repo("project", JjKind::Colocated);
    let run = spawn(&world, &repo, "alice", &["--vcs", "git"]);
    assert_eq!(world.show(&run)["vcs"], "git");
}
