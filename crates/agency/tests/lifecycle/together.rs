//! Several runs at once.

use std::collections::HashSet;
use std::time::Duration;

use agency_testkit::agent::{self, Agent};
use agency_testkit::wait_for;

use super::{end, start, text, world};

// proves L21, L6
#[test]
fn runs_in_one_repository_do_not_interfere() {
    let world = world();
    let repo = world.repo("project");
    world.agent("writing", Agent::new("echo $AGENCY_RUN_ID > own.txt; git add -A; git commit -qm \"$AGENCY_RUN_ID\""));
    let path = repo.path.to_str().unwrap();
    let starters: Vec<_> = (0..6)
        .map(|_| {
            let arguments = [
                "run", "--json", "--repo", path, "--runner", "writing", "--prompt", "x", "--host", "detached",
                "--mode", "headless",
            ];
            world.spawn(&arguments)
        })
        .collect();
    let runs: Vec<_> = starters.into_iter().map(|starter| starter.wait().object()["data"].take()).collect();
    for run in &runs {
        let ended = end(&world, run);
        assert_eq!(ended["state"], "completed", "{ended}");
        let branch = format!("refs/heads/{}", text(run, "new_branch"));
        assert_eq!(repo.git(&["show", &format!("{branch}:own.txt")]).trim(), text(run, "id"));
    }
    let branches: HashSet<&str> = runs.iter().map(|run| text(run, "new_branch")).collect();
    assert_eq!(branches.len(), 6);
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "the user's own files are untouched");
}

// proves L16, L21
#[test]
fn stopping_one_run_leaves_the_rest_and_its_own_worktree() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let runs: Vec<_> = (0..3).map(|_| start(&world, &repo, "waiting", &[])).collect();
    let stopped = world.json(&["stop", text(&runs[1], "id")])["data"].take();
    assert_eq!(stopped["state"], "killed");
    assert!(std::path::Path::new(text(&runs[1], "worktree_path")).exists());
    for other in [&runs[0], &runs[2]] {
        assert_eq!(world.json(&["show", text(other, "id")])["data"]["state"], "running");
        assert!(world.tmux_sessions().contains(&format!("agency_{}", text(other, "id"))));
    }
    wait_for("the stopped session to go", Duration::from_secs(10), || {
        (!world.tmux_sessions().contains(&format!("agency_{}", text(&runs[1], "id")))).then_some(())
    });
}

#[test]
fn a_run_started_by_an_agent_outlives_that_agent() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let inner = format!(
        "'{}' run --repo . --runner waiting --prompt x --host detached --name inner",
        env!("CARGO_BIN_EXE_agency")
    );
    world.agent("delegating", Agent::new(inner));
    let outer = start(&world, &repo, "delegating", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(end(&world, &outer)["state"], "completed");
    assert_eq!(world.json(&["show", "inner"])["data"]["state"], "running");
    world.release("waiting");
    assert_eq!(world.json(&["wait", "inner"])["data"]["state"], "completed");
}
