//! `--dry-run`: everything is checked and shown, nothing is created.

use agency_model::ErrorCode;
use serde_json::json;

use super::refusal::{Traces, path, refused, run_prompted, world};

// proves L3, L4
#[test]
fn a_dry_run_shows_the_spec_and_what_would_be_created_and_creates_nothing() {
    let (world, repo) = world();
    let before = Traces::of(&world, &repo);
    let arguments = ["run", "--repo", path(&repo), "--runner", "quiet", "--prompt", "x", "--input", "README.md"];
    let answer = world.json(&[&arguments[..], &["--dry-run"]].concat());
    let data = &answer["data"];
    let id = data["would_create"]["id"].as_str().unwrap();
    assert_eq!(data["dry_run"], true);
    assert_eq!(data["spec"]["runner"]["kind"], "quiet");
    assert_eq!(data["inputs"][0]["path"], "README.md");
    assert!(data["program"].as_str().unwrap().ends_with("/agents/quiet"));
    let expected = json!({
        "id": id,
        "name": "x",
        "new_branch": format!("agency/{id}"),
        "base_commit": repo.git(&["rev-parse", "HEAD"]),
        "worktree_path": data["would_create"]["worktree_path"],
        "tmux_session": format!("agency_{id}"),
        "run_dir": world.agency_home().join("runs").join(id),
    });
    assert_eq!(data["would_create"], expected);
    let worktree = data["would_create"]["worktree_path"].as_str().unwrap();
    assert!(worktree.starts_with(world.agency_home().join("worktrees").to_str().unwrap()) && worktree.ends_with(id));
    assert_eq!(before, Traces::of(&world, &repo));
}

// proves L3
#[test]
fn a_dry_run_is_readable_too() {
    let (world, repo) = world();
    let before = Traces::of(&world, &repo);
    let output = world.ok(&run_prompted(&repo, &["--branch", "mine", "--dry-run"]));
    let words =
        ["\"kind\": \"quiet\"", "Would create:", "branch    mine at ", "worktree  /", "session   none", "agents/quiet"];
    for words in words {
        assert!(output.stdout.contains(words), "`{words}` is not in:\n{}", output.stdout);
    }
    assert_eq!(before, Traces::of(&world, &repo));
}

// proves L4
#[test]
fn a_dry_run_refuses_what_a_run_would_refuse() {
    let (world, repo) = world();
    let refuse = |more: &[&str], code| refused(&world, &repo, &run_prompted(&repo, more), code);
    refuse(&["--dry-run", "--base", "nowhere"], ErrorCode::BadRef);
    refuse(&["--dry-run", "--branch", "main"], ErrorCode::BranchExists);
    refuse(&["--dry-run", "--input", "nowhere"], ErrorCode::InvalidPath);
}
