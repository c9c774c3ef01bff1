//! What an agent is told: text that cannot be used, and text that only looks so.

use std::fs;
use std::os::unix::fs::symlink;

use agency_model::ErrorCode;
use agency_testkit::{Agent, Repo, World};

use super::refusal::{hints, path, refused, run, run_prompted, says, world};

/// Runs the agent `listener`, which copies what it gets to a file, and returns the run and what it got.
fn told(world: &World, repo: &Repo, more: &[&str]) -> (serde_json::Value, String) {
    let fixed = ["run", "--repo", path(repo), "--runner", "listener", "--host", "detached", "--wait"];
    let answer = world.json(&[&fixed, more].concat());
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
    let worktree = answer["data"]["worktree_path"].as_str().unwrap();
    let heard = fs::read_to_string(format!("{worktree}/heard")).unwrap();
    (answer, heard)
}

fn by_argument() -> Agent {
    Agent::new(r#"printf %s "$1" > heard; test $# = 1"#).prompt("argument")
}

fn by_stdin() -> Agent {
    Agent::new("cat > heard").prompt("stdin")
}

// proves L4
#[test]
fn a_run_without_a_prompt_is_refused() {
    let (world, repo) = world();
    let error = refused(&world, &repo, &run(&repo, &[]), ErrorCode::InvalidSpec);
    says(&error, &["No prompt: use agency run \"TEXT\"", "--prompt-file FILE"]);
    assert_eq!(error["details"]["field"], "prompt.path");
    hints(&error, "agency run --help");
}

// proves L4
#[test]
fn an_empty_prompt_is_refused() {
    let (world, repo) = world();
    repo.write("empty.md", "");
    repo.write("blank.md", " \n\t\n");
    for (flag, value) in
        [("--prompt", ""), ("--prompt", " \n"), ("--prompt-file", "empty.md"), ("--prompt-file", "blank.md")]
    {
        let error = refused(&world, &repo, &run(&repo, &[flag, value]), ErrorCode::InvalidSpec);
        let named = if flag == "--prompt" { "prompt" } else { value };
        says(&error, &[named, "is empty"]);
        assert_eq!(error["details"]["field"], "prompt.path");
    }
}

// proves L4
#[test]
fn a_prompt_that_is_no_text_is_refused() {
    let (world, repo) = world();
    fs::write(repo.path.join("broken.md"), b"broken \xff here").unwrap();
    let error = refused(&world, &repo, &run(&repo, &["--prompt-file", "broken.md"]), ErrorCode::InvalidPath);
    says(&error, &["broken.md", "not UTF-8"]);
    fs::write(repo.path.join("nul.md"), b"a\0b").unwrap();
    let error = refused(&world, &repo, &run(&repo, &["--prompt-file", "nul.md"]), ErrorCode::InvalidSpec);
    says(&error, &["nul.md", "NUL"]);
}

/// As many bytes as no argument may have, each line different.
fn long_text() -> String {
    let text: String = (0..20_000).map(|number| format!("line {number:5}\n")).collect();
    assert!(text.len() > 200_000);
    text
}

// proves L4
#[test]
fn a_prompt_too_long_for_an_argument_is_refused_where_the_agent_takes_an_argument() {
    let (world, repo) = world();
    repo.write("long.md", &long_text());
    let arguments = run(&repo, &["--prompt-file", "long.md"]);
    let error = refused(&world, &repo, &arguments, ErrorCode::InvalidSpec);
    says(&error, &["long.md", "220000 bytes", "quiet", "at most 131071"]);
    hints(&error, "stdin");
}

// proves L4
#[test]
fn a_long_prompt_arrives_whole_on_stdin() {
    let (world, repo) = world();
    repo.write("long.md", &long_text());
    world.agent("listener", by_stdin());
    let more = ["--prompt-file", "long.md", "--mode", "headless"];
    let (_, heard) = told(&world, &repo, &more);
    assert!(heard == long_text(), "{} of {} bytes arrived", heard.len(), long_text().len());
}

// proves L15
#[test]
fn a_prompt_that_looks_like_an_option_arrives_as_it_is() {
    let (world, repo) = world();
    world.agent("listener", by_argument());
    for text in ["--help", "-x", "-- not an option", "--prompt"] {
        let (_, heard) = told(&world, &repo, &["--prompt", text]);
        assert_eq!(heard, text);
    }
}

// proves L15
#[test]
fn a_prompt_is_never_read_by_a_shell() {
    let (world, repo) = world();
    world.agent("listener", by_argument());
    let text = "$(touch owned) `touch owned` ; touch owned \n 'quote\" \\ %s é 🦀 ";
    let (run, heard) = told(&world, &repo, &["--prompt", text]);
    assert_eq!(heard, text);
    let worktree = run["data"]["worktree_path"].as_str().unwrap();
    assert!(!fs::exists(format!("{worktree}/owned")).unwrap());
}

// proves L4, L15
#[test]
fn a_repository_that_makes_the_place_of_the_prompt_a_symlink_is_refused() {
    let (world, repo) = world();
    let victim = world.root().join("victim");
    fs::create_dir(&victim).unwrap();
    symlink(&victim, repo.path.join(".agency")).unwrap();
    repo.git(&["add", ".agency"]);
    repo.git(&["commit", "--quiet", "-m", "trap"]);
    let error = refused(&world, &repo, &run_prompted(&repo, &[]), ErrorCode::InvalidPath);
    says(&error, &[".agency", "symlink"]);
    hints(&error, "--prompt-file");
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0, "nothing was written through the symlink");
    // With a prompt of the repository's own, nothing has to be written there.
    let answer = world.json(&run(&repo, &["--prompt-file", "README.md", "--wait"]));
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
}

// proves L4, L15
#[test]
fn a_repository_that_makes_the_prompt_itself_a_symlink_is_refused() {
    let (world, repo) = world();
    let victim = world.root().join("victim");
    fs::write(&victim, "precious\n").unwrap();
    fs::create_dir(repo.path.join(".agency")).unwrap();
    symlink(&victim, repo.path.join(".agency/prompt.md")).unwrap();
    repo.git(&["add", ".agency"]);
    repo.git(&["commit", "--quiet", "-m", "trap"]);
    let error = refused(&world, &repo, &run_prompted(&repo, &[]), ErrorCode::InvalidPath);
    says(&error, &[".agency/prompt.md"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious\n");
}

// proves L15
#[test]
fn a_symlink_that_only_another_commit_has_does_not_matter() {
    let (world, repo) = world();
    symlink(world.root(), repo.path.join(".agency")).unwrap();
    let answer = world.json(&run_prompted(&repo, &["--wait"]));
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
}

// proves L4, L15
#[test]
fn a_trap_that_is_not_checked_out_is_found_too_late_for_the_row_but_not_for_the_victim() {
    let (world, repo) = world();
    let victim = world.root().join("victim");
    fs::create_dir(&victim).unwrap();
    repo.git(&["checkout", "--quiet", "-b", "trap"]);
    symlink(&victim, repo.path.join(".agency")).unwrap();
    repo.git(&["add", ".agency"]);
    repo.git(&["commit", "--quiet", "-m", "trap"]);
    repo.git(&["checkout", "--quiet", "main"]);
    let error = world.error(&run_prompted(&repo, &["--base", "trap"]), ErrorCode::InvalidPath);
    says(&error, &[".agency"]);
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0, "nothing was written through the symlink");
    assert_eq!((repo.worktrees().len(), repo.branches()), (1, vec!["main".into(), "trap".into()]));
    let id = error["details"]["id"].as_str().unwrap();
    assert_eq!(world.json(&["show", id])["data"]["state"], "failed");
}
