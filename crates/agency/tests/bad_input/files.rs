//! Prompt files and inputs that cannot be used, and those that can.

use std::fs;
use std::os::unix::fs::symlink;

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};
use serde_json::{Value, json};

use super::refusal::{hints, path, refused, refused_command, run, run_prompted, says, world};
use super::unprivileged;

/// The SHA-256 of `hello` and a newline.
const HELLO: &str = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

/// A path is refused as a prompt and as an input alike.
#[track_caller]
fn refused_for_both(world: &World, repo: &Repo, given: &str, code: ErrorCode, words: &[&str]) {
    let as_prompt = run(repo, &["--prompt-file", given]);
    let as_input = run_prompted(repo, &["--input", "README.md", "--input", given]);
    for (arguments, what) in [(as_prompt, "the prompt"), (as_input, "the input")] {
        let error = refused(world, repo, &arguments, code);
        says(&error, &[what, given]);
        says(&error, words);
        assert_eq!((&error["details"]["path"], &error["details"]["what"]), (&json!(given), &json!(what)));
    }
}

// proves L4
#[test]
fn a_missing_file_is_refused() {
    let (world, repo) = world();
    for given in ["nowhere.md", "src/nowhere.md", "README.md/below", "--help"] {
        refused_for_both(&world, &repo, given, ErrorCode::InvalidPath, &[]);
    }
    let error = refused(&world, &repo, &run(&repo, &["--prompt-file", "nowhere.md"]), ErrorCode::InvalidPath);
    says(&error, &["does not exist in the repository"]);
    hints(&error, "relative to its root");
}

// proves L4
#[test]
fn an_input_relative_to_the_current_directory_is_answered_with_the_right_path() {
    let (world, repo) = world();
    let command = || {
        let mut command = world.command(&["run", "--runner", "quiet", "--prompt", "x", "--input", "lib.rs"]);
        command.current_dir(repo.path.join("src"));
        command
    };
    let error = refused_command(&world, &repo, command, ErrorCode::InvalidPath);
    says(&error, &["does not exist in the repository"]);
}

// proves L4, L18
#[test]
fn a_directory_is_refused() {
    let (world, repo) = world();
    for given in ["src", ".", ""] {
        refused_for_both(&world, &repo, given, ErrorCode::InputNotFile, &["a directory"]);
    }
    let error = refused(&world, &repo, &run_prompted(&repo, &["--input", "src"]), ErrorCode::InputNotFile);
    hints(&error, "single files");
}

// proves L4
#[test]
fn a_file_outside_the_repository_is_refused_however_it_is_named() {
    let (world, repo) = world();
    let outside = world.root().join("outside.md");
    fs::write(&outside, "secret\n").unwrap();
    let other = world.repo("project-2");
    let neighbour = format!("{}/README.md", path(&other));
    let absolute = outside.to_str().unwrap();
    for given in [absolute, "../../outside.md", "src/../../../outside.md", &neighbour] {
        let arguments = run_prompted(&repo, &["--input", given]);
        says(&refused(&world, &repo, &arguments, ErrorCode::InvalidPath), &["outside the repository"]);
    }
    // A prompt that an option names may be anywhere, one that a spec names may not.
    let spec = world.root().join("spec.json");
    let text = format!(
        r#"{{"repo": "{}", "base_ref": "HEAD", "runner": {{"kind": "quiet"}}, "prompt": {{"path": "{absolute}"}}}}"#,
        path(&repo)
    );
    fs::write(&spec, text).unwrap();
    let arguments = ["run", "--spec", spec.to_str().unwrap()];
    says(&refused(&world, &repo, &arguments, ErrorCode::InvalidPath), &["outside the repository"]);
}

// proves L4
#[test]
fn a_symlink_that_leaves_the_repository_is_refused() {
    let (world, repo) = world();
    fs::write(world.root().join("outside.md"), "secret\n").unwrap();
    symlink(world.root().join("outside.md"), repo.path.join("absolute.md")).unwrap();
    symlink("../../outside.md", repo.path.join("relative.md")).unwrap();
    symlink(world.root(), repo.path.join("door")).unwrap();
    symlink("absolute.md", repo.path.join("twice.md")).unwrap();
    for given in ["absolute.md", "relative.md", "door/outside.md", "twice.md"] {
        refused_for_both(&world, &repo, given, ErrorCode::InvalidPath, &["outside the repository"]);
    }
}

// proves L4
#[test]
fn a_symlink_that_leads_nowhere_or_in_a_circle_is_refused() {
    let (world, repo) = world();
    symlink("nowhere.md", repo.path.join("dangling.md")).unwrap();
    symlink("circle.md", repo.path.join("circle.md")).unwrap();
    for given in ["dangling.md", "circle.md"] {
        refused_for_both(&world, &repo, given, ErrorCode::InvalidPath, &[]);
    }
}

// proves L4, L5
#[test]
fn a_symlink_that_stays_inside_works() {
    let (world, repo) = world();
    repo.write("tasks/real.md", "hello\n");
    symlink("real.md", repo.path.join("tasks/link.md")).unwrap();
    let arguments = run(&repo, &["--prompt-file", "tasks/link.md", "--input", "tasks/link.md", "--wait"]);
    let answer = world.json(&arguments);
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
    assert_eq!(inputs(&answer), json!([{ "path": "tasks/real.md", "size": 6, "sha256": HELLO }]));
}

// proves L4, L18
#[test]
fn a_file_that_may_not_be_read_is_refused() {
    let (world, repo) = unprivileged::world();
    repo.write("secret.md", "secret\n");
    unprivileged::forbid(&repo.path.join("secret.md"));
    let as_prompt = run(&repo, &["--prompt-file", "secret.md"]);
    let as_input = run_prompted(&repo, &["--input", "secret.md"]);
    for arguments in [as_prompt, as_input] {
        let command = || unprivileged::user(&world, &world.command(&arguments));
        let error = refused_command(&world, &repo, command, ErrorCode::PermissionDenied);
        says(&error, &["secret.md", "Permission denied"]);
        hints(&error, "chmod");
    }
}

/// The fingerprints that a run stored.
fn inputs(answer: &Value) -> Value {
    let directory = answer["data"]["run_dir"].as_str().unwrap();
    let text = fs::read_to_string(format!("{directory}/inputs.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

// proves L5
#[test]
fn inputs_are_stored_with_path_size_and_hash() {
    let (world, repo) = world();
    repo.write("docs/hello.txt", "hello\n");
    repo.write("docs/empty.txt", "");
    let absolute = format!("{}/docs/hello.txt", path(&repo));
    let given = ["--input", "docs/../docs/empty.txt", "--input", &absolute, "--wait"];
    let answer = world.json(&run_prompted(&repo, &given));
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let expected = json!([
        { "path": "docs/empty.txt", "size": 0, "sha256": nothing },
        { "path": "docs/hello.txt", "size": 6, "sha256": HELLO },
    ]);
    assert_eq!(inputs(&answer), expected);
    let id = answer["data"]["id"].as_str().unwrap();
    assert_eq!(world.json(&["show", id])["data"]["inputs"], expected);
}

// proves L5
#[test]
fn a_run_without_inputs_stores_an_empty_list() {
    let (world, repo) = world();
    let answer = world.json(&run_prompted(&repo, &["--wait"]));
    assert_eq!(inputs(&answer), json!([]));
}

// proves L3
#[test]
fn an_environment_file_is_checked_before_anything_is_created() {
    let (world, repo) = world();
    let file = world.root().join("variables");
    fs::write(&file, "GOOD=1\nhunter2\n").unwrap();
    let good = file.to_str().unwrap();
    let error = refused(&world, &repo, &run_prompted(&repo, &["--env-file", good]), ErrorCode::InvalidSpec);
    says(&error, &[":2: expected NAME=value"]);
    assert!(!error.to_string().contains("hunter2"), "a secret is not repeated: {error}");
    let missing = run_prompted(&repo, &["--env-file", "/nowhere"]);
    let error = refused(&world, &repo, &missing, ErrorCode::InvalidPath);
    says(&error, &["the environment file", "/nowhere"]);
    hints(&error, "--env-file");
}
