//! The codes of commands that come at the wrong time.

use agency_model::ErrorCode;
use agency_testkit::{Repo, World, agent};

use super::refusal::{hints, path, refused, refused_command, run_prompted, says, world};

/// Starts an agent that waits, and returns the run's id.
fn waiting(world: &World, repo: &Repo, more: &[&str]) -> String {
    world.agent("waiting", agent::waiting());
    let fixed = ["run", "--repo", path(repo), "--runner", "waiting", "--prompt", "x"];
    let run = world.json(&[&fixed, more].concat());
    assert_eq!(run["data"]["state"], "running", "{run:#}");
    run["data"]["id"].as_str().unwrap().to_owned()
}

/// Runs to the end, and returns the run's id and its worktree.
fn ended(world: &World, repo: &Repo) -> (String, String) {
    let run = world.json(&run_prompted(repo, &["--wait"]));
    let field = |name: &str| run["data"][name].as_str().unwrap().to_owned();
    (field("id"), field("worktree_path"))
}

// proves L16, L18
#[test]
fn a_run_that_is_over_is_neither_stopped_nor_attached_to() {
    let (world, repo) = world();
    let (id, _) = ended(&world, &repo);
    for verb in ["stop", "attach"] {
        let error = refused(&world, &repo, &[verb, &id], ErrorCode::InvalidState);
        says(&error, &[&id, "is completed"]);
    }
}

// proves L17, L18
#[test]
fn a_run_that_is_not_over_is_not_removed() {
    let (world, repo) = world();
    let id = waiting(&world, &repo, &["--host", "detached"]);
    for more in [&[][..], &["--force"], &["--dry-run"]] {
        let arguments = [&["rm", &id][..], more].concat();
        let error = world.error(&arguments, ErrorCode::InvalidState);
        says(&error, &[&id, "is running"]);
        hints(&error, &format!("agency stop {id}"));
    }
    assert_eq!(repo.worktrees().len(), 2);
    assert_eq!(world.json(&["show", &id])["data"]["state"], "running");
    world.release("waiting");
    assert_eq!(world.json(&["wait", &id])["data"]["state"], "completed");
}

// proves L17, L18
#[test]
fn what_cannot_be_removed_is_listed_with_the_command_that_removes_it() {
    let (world, repo) = world();
    let (id, worktree) = ended(&world, &repo);
    repo.git(&["worktree", "lock", "--reason", "on a stick", &worktree]);
    let error = refused(&world, &repo, &["rm", &id], ErrorCode::CleanupFailed);
    says(&error, &[&worktree, "on a stick", "by hand:"]);
    let remaining = &error["details"]["remaining"][0];
    for field in ["resource", "why", "command"] {
        assert!(remaining[field].as_str().is_some_and(|text| !text.is_empty()), "{error:#}");
    }
    repo.git(&["worktree", "unlock", &worktree]);
    assert_eq!(world.json(&["rm", &id])["data"]["removed"], true);
}

// proves L17, L18
#[test]
fn a_removed_run_has_no_changes_to_show_and_nothing_to_restore() {
    let (world, repo) = world();
    let (id, _) = ended(&world, &repo);
    world.ok(&["rm", &id]);
    let error = refused(&world, &repo, &["diff", &id], ErrorCode::InvalidState);
    says(&error, &[&id, "was removed"]);
    hints(&error, &format!("agency/{id}"));
    let error = refused(&world, &repo, &["restore", &id], ErrorCode::NothingSaved);
    says(&error, &[&id]);
}

// proves L13, L18
#[test]
fn a_session_that_is_gone_is_not_attached_to() {
    let (world, repo) = world();
    let id = waiting(&world, &repo, &[]);
    let mut kill = std::process::Command::new("tmux");
    kill.arg("-S").arg(world.socket()).args(["rename-session", "-t", &format!("=agency_{id}"), "elsewhere"]);
    assert!(world.run(&mut kill).status.success());
    let error = world.error(&["attach", &id], ErrorCode::TmuxSessionNotFound);
    says(&error, &[&id]);
    hints(&error, "agency attach --direct");
}

// proves L18
#[test]
fn a_wait_that_takes_too_long_says_so() {
    let (world, repo) = world();
    let id = waiting(&world, &repo, &["--host", "detached"]);
    let output = world.agency(&["wait", &id, "--timeout", "0s", "--json"]);
    assert_eq!(output.status.code(), Some(124), "{output}");
    assert_eq!(output.object()["error"]["code"], "E_TIMEOUT", "{output}");
    assert_eq!(output.object()["error"]["details"]["state"], "running", "{output}");
}

// proves L18
#[test]
fn more_agents_than_allowed_are_refused_where_nobody_wants_to_wait() {
    let (world, repo) = world();
    let config = world.root().join("one.toml");
    let agent = world.root().join("agents/quiet");
    std::fs::write(&config, format!("max_agents = 1\n[agents.quiet]\ncommand = {agent:?}\n")).unwrap();
    let id = waiting(&world, &repo, &["--host", "detached"]);
    let more = ["--no-queue", "--config", config.to_str().unwrap()];
    let error = refused(&world, &repo, &run_prompted(&repo, &more), ErrorCode::MaxAgents);
    says(&error, &["1 runs are live", "max_agents is 1"]);
    assert_eq!(error["details"]["max_agents"], 1);
    world.release("waiting");
    world.ok(&["wait", &id]);
}

// proves L18
#[test]
fn without_git_nothing_is_created() {
    let (world, repo) = world();
    let command = || {
        let mut command = world.command(&run_prompted(&repo, &[]));
        command.env("PATH", world.root());
        command
    };
    let error = refused_command(&world, &repo, command, ErrorCode::GitNotFound);
    hints(&error, "install git");
}

// proves L18
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let (world, _) = world();
    let shell = r#"exec "$0" ls >/dev/full"#;
    let output = world.run(world.program("sh").args(["-c", shell, env!("CARGO_BIN_EXE_agency")]));
    assert_eq!(output.status.code(), Some(1), "{output}");
    assert!(output.stderr.contains(ErrorCode::Io.as_str()), "{output}");
}
