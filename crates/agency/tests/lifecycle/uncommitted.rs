//! Files that are not committed, and that a run therefore does not get, are named in a warning.

use std::fs;

use agency_testkit::{World, agent, wait_for};
use serde_json::Value;

use super::{end, start, text, world};

const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

/// What a run was warned of, in its answer or later in an event.
#[track_caller]
fn warned(world: &World, run: &Value, words: &str) -> String {
    let events = world.agency_home().join("runs").join(text(run, "id")).join("events.ndjson");
    wait_for(&format!("a warning of {words}"), LIMIT, || {
        let told = fs::read_to_string(&events).unwrap_or_default();
        let notices = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_default());
        let mut messages = notices.filter_map(|event| event["message"].as_str().map(str::to_owned));
        messages.find(|message| message.contains(words))
    })
}

fn detached<'a>(further: &[&'a str]) -> Vec<&'a str> {
    [&["--host", "detached"], further].concat()
}

// section 4: an untracked or modified --input
#[test]
fn inputs_that_are_not_committed_are_named() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    fs::write(repo.path.join("known.txt"), "one\n").unwrap();
    repo.git(&["add", "known.txt"]);
    repo.git(&["commit", "-qm", "known"]);
    fs::write(repo.path.join("known.txt"), "two\n").unwrap();
    fs::write(repo.path.join("new.txt"), "new\n").unwrap();
    let run = start(&world, &repo, "waiting", &detached(&["--input", "known.txt", "--input", "new.txt"]));
    assert!(warned(&world, &run, "does not have it").contains("new.txt"));
    assert!(warned(&world, &run, "whose version the worktree has").contains("known.txt"));
    // What was in time is in the answer too, and then it is all of it.
    let warnings = run["warnings"].as_array().unwrap();
    assert!(warnings.is_empty() || warnings.len() == 2, "{run:#}");
    world.release("waiting");
    end(&world, &run);
}

// section 4: a --prompt-file, and a dirty base with more files than are named
#[test]
fn a_prompt_file_and_a_dirty_base_are_named_with_a_count() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    fs::write(repo.path.join("task.md"), "Do it\n").unwrap();
    for number in 0..9 {
        fs::write(repo.path.join(format!("file-{number}\n.txt")), "x\n").unwrap();
    }
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "--runner", "waiting", "--prompt-file", "task.md", "--host", "detached"];
    let run = world.json(&words)["data"].take();
    assert!(warned(&world, &run, "prompt file").contains("task.md"));
    let dirty = warned(&world, &run, "uncommitted changes");
    assert!(dirty.contains("file-0\\n.txt") && dirty.ends_with("and 4 more"), "{dirty}");
    assert!(!dirty.contains("task.md"), "{dirty}");
    world.release("waiting");
    end(&world, &run);
    let dry = world.json(&[&words[..], &["--dry-run"]].concat());
    assert_eq!(dry["data"]["warnings"].as_array().unwrap().len(), 2, "{dry:#}");
}

// a slow look does not hold up the run: it becomes an event
#[test]
fn a_look_that_takes_long_becomes_an_event() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    fs::write(repo.path.join("new.txt"), "new\n").unwrap();
    // A clean filter of the user's that waits: git needs it to compare a tracked file.
    fs::write(repo.path.join(".gitattributes"), "slow.txt filter=slow\n").unwrap();
    fs::write(repo.path.join("slow.txt"), "a\n").unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "slow"]);
    let gate = world.root().join("gate");
    let filter = format!("while [ ! -e '{}' ]; do sleep 0.02; done; cat", gate.display());
    repo.git(&["config", "filter.slow.clean", &filter]);
    fs::write(repo.path.join("slow.txt"), "b\n").unwrap();
    let run = start(&world, &repo, "waiting", &detached(&[]));
    assert_eq!(run["warnings"], Value::Array(vec![]), "{run:#}");
    fs::write(&gate, "").unwrap();
    assert!(warned(&world, &run, "uncommitted changes").contains("slow.txt"));
    world.release("waiting");
    end(&world, &run);
}

#[test]
fn a_clean_checkout_and_another_base_give_no_warning() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    repo.git(&["branch", "old"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "newer"]);
    fs::write(repo.path.join("new.txt"), "new\n").unwrap();
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--host", "detached", "--dry-run"];
    let other = world.json(&[&words[..], &["--base", "old"]].concat());
    assert_eq!(other["data"]["warnings"], Value::Array(vec![]), "{other:#}");
    let here = world.json(&words);
    assert_eq!(here["data"]["warnings"].as_array().unwrap().len(), 1, "{here:#}");
}

// what is committed elsewhere is not called uncommitted
#[test]
fn a_file_that_only_the_base_lacks_is_said_to_be_missing_there() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    repo.git(&["branch", "old"]);
    repo.commit_file("newer.txt", "newer\n");
    let path = repo.path.to_str().unwrap();
    let words = ["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--dry-run", "--input", "newer.txt"];
    let here = world.json(&words);
    assert_eq!(here["data"]["warnings"], Value::Array(vec![]), "{here:#}");
    let old = world.json(&[&words[..], &["--base", "old"]].concat());
    let warning = "not in the base commit, so the worktree does not have it: newer.txt";
    assert_eq!(old["data"]["warnings"], serde_json::json!([warning]), "{old:#}");
}

// section 4: edits of an --input or a --prompt-file that the index hides
#[test]
fn edits_that_the_index_hides_are_named() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    for name in ["assumed.txt", "skipped.txt", "same.txt", "task.md"] {
        repo.commit_file(name, "one\n");
    }
    repo.git(&["update-index", "--assume-unchanged", "assumed.txt", "same.txt", "task.md"]);
    repo.git(&["update-index", "--skip-worktree", "skipped.txt"]);
    for name in ["assumed.txt", "skipped.txt", "task.md"] {
        fs::write(repo.path.join(name), "two\n").unwrap();
    }
    let path = repo.path.to_str().unwrap();
    let inputs = ["--input", "assumed.txt", "--input", "skipped.txt", "--input", "same.txt"];
    let words = ["run", "--repo", path, "--runner", "quiet", "--prompt-file", "task.md", "--dry-run"];
    let dry = world.json(&[&words[..], &inputs].concat());
    let warnings = serde_json::json!([
        "different in the base commit, whose version the worktree has: assumed.txt, skipped.txt",
        "the base commit does not have the prompt file as it is now, so the agent gets a copy of it: task.md"
    ]);
    assert_eq!(dry["data"]["warnings"], warnings, "{dry:#}");
}
