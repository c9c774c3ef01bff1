//! Nothing of a project file is done before its user approved exactly its content.

use agency_model::ErrorCode;

use super::{finished, propose, worktree, world};

const HOSTILE: &str = "[worktree]\ncopy = [\".env\"]\nlink = [\"data\"]\nsetup = [\"touch \\\"$HOME/ran\\\"\"]\n";

#[test]
fn a_file_that_is_not_approved_refuses_the_run_and_nothing_of_it_happens() {
    let (world, repo) = world();
    repo.write(".env", "secret");
    repo.write("data/file", "mine");
    repo.write(".agency/project.toml", HOSTILE);
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "-a", "looker", "-p", "x", "--mode", "headless", "--host", "detached"];
    let error = world.error(&words, ErrorCode::NotTrusted);
    assert_eq!(error["details"]["commands"][0], "touch \"$HOME/ran\"");
    assert_eq!(error["details"]["paths"], serde_json::json!([".env", "data"]));
    assert!(world.runs().is_empty() && repo.branches() == ["main"]);
    let refused = world.agency(&words);
    assert!(refused.stderr.contains("agency trust") && refused.stderr.contains("--no-setup"), "{}", refused.stderr);
    let plan = world.json(&["worktree", "plan", "--repo", path])["data"].take();
    assert_eq!((&plan["needs_approval"], &plan["copy"][0]["path"]), (&true.into(), &".env".into()));
    assert!(!world.root().join("home/ran").exists());
    let run = world.begin(&repo, "looker", &["--host", "detached", "--mode", "headless", "--no-setup"]);
    world.ended(&run);
    let worktree = worktree(&world, &run);
    for name in [".env", "data"] {
        assert!(worktree.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert!(!run.file("setup.log").exists() && !run.file("setup.json").exists());
}

#[test]
fn a_changed_command_and_a_changed_list_ask_again() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nsetup = [\"touch built\"]\n");
    let run = finished(&world, &repo, "looker");
    assert!(worktree(&world, &run).join("built").exists());
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "-a", "looker", "-p", "x", "--mode", "headless", "--host", "detached"];
    repo.write(".agency/project.toml", "[worktree]\nsetup = [\"touch built \"]\n");
    world.error(&words, ErrorCode::NotTrusted);
    repo.write(".agency/project.toml", "[worktree]\nsetup = [\"touch built\"]\n");
    finished(&world, &repo, "looker");
    repo.write(".worktreeinclude", "# nothing yet\n\n");
    finished(&world, &repo, "looker");
    repo.write(".worktreeinclude", "*.secret\n");
    let error = world.error(&words, ErrorCode::NotTrusted);
    assert_eq!(error["details"]["paths"], serde_json::json!(["*.secret"]));
}

#[test]
fn on_a_terminal_the_run_asks_and_enter_is_no() {
    let (world, repo) = world();
    repo.write(".agency/project.toml", "[worktree]\nsetup = [\"touch built\"]\n");
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "-a", "looker", "-p", "x", "--mode", "headless", "--host", "detached"];
    let terminal = world.terminal(&words);
    let screen = terminal.wait_for_text("[y/N]");
    assert!(screen.contains("worktree.setup: touch built"), "{screen}");
    terminal.type_text("\r");
    assert_eq!(terminal.wait_for_exit(), 8);
    assert!(world.runs().is_empty());
    let terminal = world.terminal(&words);
    terminal.wait_for_text("[y/N]");
    terminal.type_text("y\r");
    assert_eq!(terminal.wait_for_exit(), 0);
    let run = world.runs().remove(0);
    world.ended(&run);
    assert!(worktree(&world, &run).join("built").exists());
}

#[test]
fn what_an_agent_writes_into_its_own_copy_has_no_effect() {
    let (world, repo) = world();
    repo.write(".agency/project.toml", "[worktree]\nteardown = [\"echo mine >\\\"$AGENCY_RUN_DIR/torn\\\"\"]\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "project"]);
    world.ok(&["trust", "--yes", "--repo", repo.path.to_str().unwrap()]);
    world.agent("sly", "echo '[worktree]\nteardown = [\"touch \\\"$HOME/ran\\\"\"]' >.agency/project.toml");
    let run = finished(&world, &repo, "sly");
    world.ok(&["rm", &run.id]);
    assert_eq!(std::fs::read_to_string(run.file("torn")).unwrap(), "mine\n");
    assert!(!world.root().join("home/ran").exists());
}

#[test]
fn a_path_that_leaves_the_repository_is_a_mistake_at_its_place() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    for path in ["../.ssh/id", "/etc/passwd", "a/../../b", ".git/config", "a\\nb"] {
        for key in ["copy", "link"] {
            repo.write(".agency/project.toml", &format!("[worktree]\n{key} = [\"ok\", \"{path}\"]\n"));
            let error = world.error(&["trust", "--yes", at[0], at[1]], ErrorCode::InvalidConfig);
            assert!(error["message"].as_str().unwrap().contains("project.toml:2:"), "{error}");
        }
    }
    for ports in ["{ Web = 1 }", "{ web = 0 }", "{ web = 70000 }", "{ \"a-b\" = 1 }"] {
        repo.write(".agency/project.toml", &format!("[worktree]\nports = {ports}\n"));
        world.error(&["trust", "--yes", at[0], at[1]], ErrorCode::InvalidConfig);
    }
}
