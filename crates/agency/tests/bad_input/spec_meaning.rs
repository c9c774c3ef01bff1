//! What a spec means: what is stored, what flags change about it, and that its paths are checked.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};
use serde_json::{Value, json};

use super::refusal::{hints, path, refused, run_prompted, says, world};

/// A spec with every field.
fn whole(repo: &Repo) -> Value {
    json!({
        "repo": path(repo),
        "base_ref": "main",
        "runner": { "kind": "quiet", "args": ["--one"] },
        "prompt": { "path": "README.md" },
        "new_branch": "from-the-spec",
        "inputs": [{ "path": "src/lib.rs", "mode": "read" }],
        "limits": { "max_minutes": 7, "unknown_minutes": 5 },
        "name": "label",
        "host": "detached",
        "mode": "headless",
        "commands": { "test": ["make", 1, null, { "deep": true }] },
        "artifacts_out": ["a", "b"],
        "patch_policy": "strict",
        "approval_policy": [{ "name": "look", "action": "allow", "tool": ["Read", "Grep"], "path": "inside" }],
        "context_pack": 5,
    })
}

/// Writes a spec file and returns its path.
fn written(world: &World, text: &str) -> String {
    let file = world.root().join("spec.json");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Runs a spec with flags, waits for the end and returns the run and its `spec.json`.
fn run_spec(world: &World, spec: &Value, flags: &[&str]) -> (Value, Value) {
    let file = written(world, &spec.to_string());
    let mut run = world.json(&[&["run", "--spec", &file, "--wait"], flags].concat());
    assert_eq!(run["data"]["state"], "completed", "{run:#}");
    let directory = run["data"]["run_dir"].as_str().unwrap();
    let stored = fs::read_to_string(format!("{directory}/spec.json")).unwrap();
    (run["data"].take(), serde_json::from_str(&stored).unwrap())
}

// proves L2, L3
#[test]
fn every_field_is_used_and_the_reserved_ones_are_stored() {
    let (world, repo) = world();
    let given = whole(&repo);
    let (run, stored) = run_spec(&world, &given, &[]);
    for (field, value) in given.as_object().unwrap() {
        assert_eq!(&stored[field], value, "{field}");
    }
    assert_eq!((&stored["workspace"], &stored["restart"]), (&json!("worktree"), &json!("never")));
    assert_eq!((&run["new_branch"], &run["name"]), (&json!("from-the-spec"), &json!("label")));
    assert_eq!((&run["runner"], &run["mode"]), (&json!("quiet"), &json!("headless")));
    assert_eq!(run["runner_args"], json!(["--one"]));
    assert_eq!(world.json(&["show", "label"])["data"]["spec"], stored);
}

// proves L3
#[test]
fn every_flag_overrides_its_field_of_the_spec() {
    let (world, repo) = world();
    let other = world.repo("other");
    other.git(&["tag", "v1"]);
    other.write("task.md", "another task\n");
    world.agent("second", "exit 0");
    let flags = [
        ["--repo", path(&other)],
        ["--base", "v1"],
        ["--branch", "from-the-flag"],
        ["--runner", "second"],
        ["--prompt-file", "task.md"],
        ["--input", "README.md"],
        ["--name", "renamed"],
        ["--max-minutes", "9"],
        ["--unknown-minutes", "6"],
        ["--mode", "interactive"],
    ];
    let (run, stored) = run_spec(&world, &whole(&repo), flags.as_flattened());
    let expected = json!({
        "repo": path(&other),
        "base_ref": "v1",
        "runner": { "kind": "second", "args": ["--one"] },
        "prompt": { "path": "task.md" },
        "new_branch": "from-the-flag",
        "inputs": [{ "path": "src/lib.rs", "mode": "read" }, { "path": "README.md", "mode": "read" }],
        "limits": { "max_minutes": 9, "unknown_minutes": 6 },
        "name": "renamed",
        "mode": "interactive",
        "host": "detached",
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&stored[field], value, "{field}");
    }
    assert_eq!(stored["patch_policy"], "strict", "what no flag names stays as the spec has it");
    assert_eq!((&run["repo"], &run["new_branch"]), (&json!(path(&other)), &json!("from-the-flag")));
}

// proves L3, L15
#[test]
fn a_prompt_as_text_overrides_the_file_of_the_spec() {
    let (world, repo) = world();
    let (run, stored) = run_spec(&world, &whole(&repo), &["--prompt", "the flag's task"]);
    assert_eq!(stored["prompt"]["path"], "./.agency/prompt.md");
    let read = |directory: &Value, name: &str| fs::read_to_string(format!("{}/{name}", directory.as_str().unwrap()));
    assert_eq!(read(&run["run_dir"], "prompt.md").unwrap(), "the flag's task");
    assert_eq!(read(&run["worktree_path"], ".agency/prompt.md").unwrap(), "the flag's task");
}

// proves L3
#[test]
fn defaults_come_last() {
    let (world, repo) = world();
    world.configure("[limits]\nmax_minutes = 11\n");
    let run = world.json(&run_prompted(&repo, &["--dry-run"]));
    let expected = json!({
        "repo": path(&repo),
        "base_ref": "HEAD",
        "runner": { "kind": "quiet", "args": [] },
        "prompt": { "path": "./.agency/prompt.md" },
        "inputs": [],
        "limits": { "max_minutes": 11, "unknown_minutes": 3 },
        "mode": "interactive",
        "host": "detached",
        "workspace": "worktree",
        "vcs": "git",
        "restart": "never",
        "one_shot": false,
    });
    assert_eq!(run["data"]["spec"], expected);
}

// proves L3
#[test]
fn a_zero_lifts_the_limit_of_the_configuration() {
    let (world, repo) = world();
    world.configure("[limits]\nmax_minutes = 11\n");
    let run = world.json(&run_prompted(&repo, &["--max-minutes", "0", "--unknown-minutes", "0", "--dry-run"]));
    assert_eq!(run["data"]["spec"]["limits"], json!({}));
}

// proves L3, L14
#[test]
fn further_arguments_come_after_those_of_the_spec() {
    let (world, repo) = world();
    world.agent("counting", "printf '%s\\n' \"$@\" > arguments");
    let spec = json!({
        "repo": path(&repo), "base_ref": "main", "prompt": { "path": "README.md" }, "host": "detached",
        "runner": { "kind": "counting", "args": ["--one"] },
    });
    let (run, stored) = run_spec(&world, &spec, &["--", "--two", "-3"]);
    assert_eq!(stored["runner"]["args"], json!(["--one", "--two", "-3"]));
    let arguments = fs::read_to_string(format!("{}/arguments", run["worktree_path"].as_str().unwrap())).unwrap();
    assert!(arguments.starts_with("--one\n--two\n-3\n# Sample"), "{arguments}");
}

// proves L2, L3
#[test]
fn a_relative_repository_in_a_spec_is_refused() {
    let (world, repo) = world();
    let content =
        r#"{"repo": "project", "base_ref": "main", "runner": {"kind": "quiet"}, "prompt": {"path": "README.md"}}"#;
    let file = written(&world, content);
    let error = refused(&world, &repo, &["run", "--spec", &file], ErrorCode::InvalidPath);
    says(&error, &["the repository 'project'", "`repo` in a spec file is an absolute path"]);
    hints(&error, "--repo");
}

// proves L2, L4
#[test]
fn a_file_that_only_the_spec_names_is_checked_too() {
    let (world, repo) = world();
    let path = path(&repo);
    let with = |rest: &str| {
        let fixed = r#""base_ref": "main", "runner": {"kind": "quiet"}, "host": "detached""#;
        written(&world, &format!(r#"{{"repo": "{path}", {fixed}, {rest}}}"#))
    };
    let file = with(r#""prompt": {"path": "nowhere.md"}"#);
    let error = refused(&world, &repo, &["run", "--spec", &file], ErrorCode::InvalidPath);
    says(&error, &["the prompt 'nowhere.md'"]);
    let file = with(r#""prompt": {"path": "README.md"}, "inputs": [{"path": "/etc/hostname", "mode": "read"}]"#);
    let error = refused(&world, &repo, &["run", "--spec", &file], ErrorCode::InvalidPath);
    says(&error, &["the input '/etc/hostname'", "outside"]);
}
