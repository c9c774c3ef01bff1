//! Creating runs.

use std::path::Path;

use agency_testkit::{World, agent};

fn world() -> World {
    World::new(Path::new(env!("CARGO_BIN_EXE_agency")))
}

// proves L1, L8, L9, L11
#[test]
fn a_run_has_one_worktree_one_branch_and_one_session() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let path = repo.path.to_str().unwrap();
    let answer = world.json(&["run", "--repo", path, "--runner", "quiet", "--prompt", "do nothing"]);
    let run = &answer["data"];
    let id = run["id"].as_str().unwrap();
    assert!(id.starts_with("r_"), "{id}");
    assert_eq!(run["new_branch"], format!("agency/{id}"));
    assert_eq!(run["tmux_session"], format!("agency_{id}"));
    assert_eq!(repo.worktrees().len(), 2, "the repository's own and the run's");
    let ended = world.json(&["wait", id]);
    assert_eq!(ended["data"]["state"], "completed");
}
