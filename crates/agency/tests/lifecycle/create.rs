//! Creating runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use agency_testkit::agent::{self, Agent};
use agency_testkit::wait_for;
use serde_json::Value;

use super::{end, start, text, world};

// proves L1, L8, L11
#[test]
fn a_run_has_one_worktree_one_branch_and_one_session_with_one_pane_in_the_worktree() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &[]);
    let id = text(&run, "id");
    assert!(id.starts_with("r_") && id.len() == 28, "{id}");
    assert_eq!(run["state"], "running");
    assert_eq!(run["new_branch"], format!("agency/{id}"));
    assert_eq!(run["tmux_session"], format!("agency_{id}"));
    let worktree = Path::new(text(&run, "worktree_path"));
    assert!(worktree.starts_with(world.agency_home().join("worktrees")) && worktree.ends_with(id), "{worktree:?}");
    assert_eq!(repo.worktrees().len(), 2, "the repository's own and the run's");
    assert_eq!(repo.git(&["rev-parse", &format!("refs/heads/agency/{id}")]), repo.git(&["rev-parse", "main"]));
    let panes = world.tmux(&["list-panes", "-s", "-t", &format!("=agency_{id}"), "-F", "#{pane_current_path}"]);
    assert_eq!(panes.trim(), worktree.to_str().unwrap());
    world.release("waiting");
    assert_eq!(end(&world, &run)["state"], "completed");
    wait_for("the session to stay without its runner", Duration::from_secs(20), || {
        let target = format!("=agency_{id}");
        let panes = world.tmux(&["list-panes", "-s", "-t", &target, "-F", "#{pane_dead}"]);
        (panes.trim() == "1").then_some(())
    });
}

// proves L9
#[test]
fn the_run_directory_has_every_file_and_nobody_else_may_look() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    repo.commit_file("notes.txt", "hello\n");
    let run = start(&world, &repo, "quiet", &["--input", "notes.txt"]);
    end(&world, &run);
    let directory = Path::new(text(&run, "run_dir"));
    for name in [
        "meta.json",
        "spec.json",
        "prompt.md",
        "inputs.json",
        "logs/runner.stdout.log",
        "logs/runner.stderr.log",
        "logs/runner.log",
        "exit_code.txt",
        "done.json",
        "worktree_path.txt",
        "tmux_session.txt",
        "events.ndjson",
    ] {
        let file = directory.join(name);
        let mode = fs::metadata(&file).unwrap_or_else(|error| panic!("{name}: {error}")).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
    let meta: Value = serde_json::from_slice(&fs::read(directory.join("meta.json")).unwrap()).unwrap();
    assert_eq!((&meta["id"], &meta["state"]), (&run["id"], &Value::from("completed")));
    assert_eq!(fs::read_to_string(directory.join("exit_code.txt")).unwrap(), "0\n");
}

// proves L15
#[test]
fn a_prompt_given_as_text_is_in_the_worktree_and_in_no_commit() {
    let world = world();
    let repo = world.repo("project");
    world.agent(
        "committing",
        Agent::new("cat \"$1\"; echo more > more.txt; git add -A; git commit -qm all").prompt("file"),
    );
    let run = start(&world, &repo, "committing", &["--mode", "headless"]);
    assert_eq!(end(&world, &run)["state"], "completed");
    let worktree = Path::new(text(&run, "worktree_path"));
    assert_eq!(fs::read_to_string(worktree.join(".agency/prompt.md")).unwrap(), "do it");
    assert_eq!(world.ok(&["logs", text(&run, "id")]).stdout, "do it");
    let branch = format!("refs/heads/{}", text(&run, "new_branch"));
    let committed = repo.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(committed.contains("more.txt") && !committed.contains(".agency"), "{committed}");
    let spec: Value =
        serde_json::from_slice(&fs::read(Path::new(text(&run, "run_dir")).join("spec.json")).unwrap()).unwrap();
    assert_eq!(spec["prompt"]["path"], "./.agency/prompt.md");
}

// proves L14
#[test]
fn the_prompt_reaches_the_agent_as_its_configuration_says() {
    let world = world();
    let repo = world.repo("project");
    let script = "printf '%s|' \"$@\"; if ! test -t 0; then cat; fi";
    for (name, delivery, expected) in [
        ("by_argument", "argument", "extra|do it|"),
        ("by_flag", "flag:--task", "extra|--task|do it|"),
        ("by_file", "file", "extra|./.agency/prompt.md|"),
        ("by_stdin", "stdin", "extra|do it"),
    ] {
        world.agent(name, Agent::new(script).prompt(delivery));
        for mode in ["headless", "interactive"] {
            let run = start(&world, &repo, name, &["--mode", mode, "--host", "detached", "--", "extra"]);
            assert_eq!(end(&world, &run)["state"], "completed");
            assert_eq!(world.ok(&["logs", "--stdout", text(&run, "id")]).stdout, expected, "{name} {mode}");
        }
    }
}

#[test]
fn an_uncommitted_prompt_file_reaches_the_agent_as_the_user_sees_it() {
    let world = world();
    let repo = world.repo("project");
    repo.commit_file("task.md", "old\n");
    repo.write("task.md", "new\n");
    world.agent("reading", Agent::new("cat \"$1\"").prompt("file"));
    let path = repo.path.to_str().unwrap();
    let arguments = [
        "run",
        "--repo",
        path,
        "--runner",
        "reading",
        "--prompt-file",
        "task.md",
        "--host",
        "detached",
        "--mode",
        "headless",
    ];
    let run = world.json(&arguments)["data"].take();
    end(&world, &run);
    assert_eq!(world.ok(&["logs", text(&run, "id")]).stdout, "new\n");
}

#[test]
fn a_run_without_a_workspace_of_its_own_works_in_the_repository_and_says_so_loudly() {
    let world = world();
    let repo = world.repo("project");
    world.agent("touching", Agent::new("pwd > here.txt"));
    let path = repo.path.to_str().unwrap();
    let arguments = [
        "run",
        "--repo",
        path,
        "--runner",
        "touching",
        "--prompt",
        "x",
        "--workspace",
        "none",
        "--host",
        "detached",
        "--wait",
    ];
    let output = world.ok(&arguments);
    assert!(output.stderr.contains("warning: --workspace none"), "{}", output.stderr);
    assert_eq!(fs::read_to_string(repo.path.join("here.txt")).unwrap().trim(), path);
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.worktrees().len(), 1);
}

#[test]
fn show_of_a_run_without_a_workspace_names_no_files_and_diff_does() {
    let world = world();
    let repo = world.repo("project");
    world.agent("touching", Agent::new("pwd > here.txt"));
    let run = start(&world, &repo, "touching", &["--workspace", "none", "--host", "detached"]);
    end(&world, &run);
    let id = text(&run, "id");
    assert_eq!(world.json(&["show", id])["data"]["changed_files"], Value::Null);
    assert!(world.ok(&["diff", id]).stdout.contains("here.txt"));
}

#[test]
fn wait_exits_as_the_agent_did() {
    let world = world();
    let repo = world.repo("project");
    world.agent("failing", agent::failing(7));
    let path = repo.path.to_str().unwrap();
    let arguments =
        ["run", "--repo", path, "--runner", "failing", "--prompt", "x", "--host", "detached", "--wait", "--json"];
    let output = world.agency(&arguments);
    assert_eq!(output.status.code(), Some(7));
    let run = output.object()["data"].take();
    assert_eq!((&run["state"], &run["exit_code"]), (&Value::from("failed"), &Value::from(7)));
    assert_eq!(run["error"], "E_RUN_FAILED: the agent exited with code 7");
}

// proves L10
#[test]
fn a_crashing_agent_is_started_again_only_if_the_policy_says_so() {
    let world = world();
    let repo = world.repo("project");
    // Crashes once, then succeeds.
    world.agent("shaky", Agent::new("echo try; if test -e tried; then exit 0; fi; touch tried; exit 3"));
    let run = start(&world, &repo, "shaky", &["--host", "detached", "--mode", "headless", "--restart", "on-crash"]);
    let ended = end(&world, &run);
    assert_eq!((&ended["state"], &ended["attempt"]), (&Value::from("completed"), &Value::from(2)));
    assert_eq!(world.ok(&["logs", text(&run, "id")]).stdout, "try\ntry\n");
    let once = start(&world, &repo, "shaky", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(end(&world, &once)["state"], "failed");
}
