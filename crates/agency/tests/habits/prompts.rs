//! Where a prompt can come from, how an agent can be named, and what a run begins with.

use std::fs;
use std::process::Stdio;

use agency_testkit::{Agent, Repo, World};

use super::{data, here, world};

/// The prompt that a run was started with.
fn prompt_of(world: &World, run: &serde_json::Value) -> String {
    let directory = world.agency_home().join("runs").join(run["id"].as_str().unwrap());
    fs::read_to_string(directory.join("prompt.md")).unwrap()
}

/// The answer of a command that reads a text.
fn with_input(world: &World, repo: &Repo, arguments: &[&str], input: &str) -> serde_json::Value {
    let file = world.root().join("input");
    fs::write(&file, input).unwrap();
    let mut command = here(world, repo, arguments);
    let output = command.arg("--json").stdin(fs::File::open(file).unwrap()).output().unwrap();
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["data"].clone()
}

#[test]
fn a_prompt_is_an_argument_standard_input_or_a_file_anywhere() {
    let (world, repo) = world();
    assert_eq!(prompt_of(&world, &data(&world, &repo, &["run", "Do one thing"])), "Do one thing");
    assert_eq!(prompt_of(&world, &data(&world, &repo, &["run", "-p", "-two"])), "-two");
    for arguments in [&["run", "-"][..], &["run", "-p", "-"], &["run", "--prompt-file", "-"]] {
        assert_eq!(prompt_of(&world, &with_input(&world, &repo, arguments, "From a pipe\n")), "From a pipe\n");
    }
    let outside = world.root().join("task.md");
    fs::write(&outside, "From elsewhere").unwrap();
    let run = data(&world, &repo, &["run", "--prompt-file", outside.to_str().unwrap()]);
    assert_eq!((prompt_of(&world, &run).as_str(), run["name"].as_str()), ("From elsewhere", Some("from-elsewhere")));
    let below = repo.path.join("below");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("near.md"), "From here").unwrap();
    let output = world.run(here(&world, &repo, &["run", "--json", "--prompt-file", "near.md"]).current_dir(&below));
    let run: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(prompt_of(&world, &run["data"]), "From here");
    let spec = format!(
        r#"{{"repo": "{}", "base_ref": "HEAD", "runner": {{"kind": "quick"}}, "prompt": {{"path": "src/lib.rs"}}}}"#,
        repo.path.display()
    );
    assert_eq!(with_input(&world, &repo, &["run", "--spec", "-"], &spec)["runner"], "quick");
}

#[test]
fn an_editor_writes_the_prompt_on_a_terminal() {
    let (mut world, repo) = world();
    let editor = world.root().join("editor");
    fs::write(&editor, "#!/bin/sh\necho 'Written in the editor' >> \"$2\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&editor, mode).unwrap();
    world.set_variable("EDITOR", &format!("{} --wait", editor.display()));
    let terminal = world.terminal_with(&here(&world, &repo, &["run", "--edit", "-p", "Begun. "]));
    terminal.wait_for_text("agency logs -f");
    terminal.wait_for_exit();
    let run = data(&world, &repo, &["show", "last"]);
    assert_eq!(prompt_of(&world, &run), "Begun. Written in the editor\n");
    let refused = world.run(here(&world, &repo, &["run", "--edit"]).stdin(Stdio::null()));
    assert!(refused.stderr.contains("--edit needs a terminal"), "{}", refused.stderr);
}

#[test]
fn without_a_prompt_a_form_opens_on_a_terminal_and_elsewhere_the_ways_are_named() {
    let (world, repo) = world();
    let refused = world.run(here(&world, &repo, &["run"]).stdin(Stdio::null()));
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("No prompt: use agency run \"TEXT\""), "{}", refused.stderr);
    let empty = world.run(here(&world, &repo, &["run", " "]).stdin(Stdio::null()));
    assert!(empty.stderr.contains("The prompt is empty"), "{}", empty.stderr);
    let terminal = world.terminal_with(&here(&world, &repo, &["run"]));
    terminal.wait_for_text("New run");
    terminal.send_keys(&["Escape"]);
    terminal.wait_until("the form is closed", |screen| !screen.contains("New run"));
    terminal.send_keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn claude_means_claude_code_and_a_misspelt_agent_gets_the_nearest_name() {
    let (world, repo) = world();
    world.configure("\n[agents.claude_code]\ncommand = \"cat\"\nprompt = \"stdin\"\nstream = \"text\"\n");
    let run = data(&world, &repo, &["run", "--agent", "claude", "--mode", "headless", "do it"]);
    assert_eq!(run["runner"], "claude-code");
    let wrong = world.run(&mut here(&world, &repo, &["run", "-a", "qick", "do it"]));
    assert!(wrong.stderr.contains("did you mean quick?"), "{}", wrong.stderr);
    let verb = world.run(&mut here(&world, &repo, &["stpo", "x"]));
    assert!(verb.stderr.contains("'stop'"), "{}", verb.stderr);
    let flag = world.run(&mut here(&world, &repo, &["run", "--promt", "x"]));
    assert!(flag.stderr.contains("'--prompt'"), "{}", flag.stderr);
}

#[test]
fn a_run_begins_with_the_uncommitted_changes_and_the_checkout_stays_as_it_is() {
    let (world, repo) = world();
    world.agent("looking", Agent::new("cat known.txt new.txt staged.txt; ls"));
    repo.commit_file("known.txt", "one\n");
    repo.commit_file(".gitignore", "*.log\n");
    repo.write("known.txt", "two\n");
    repo.write("new.txt", "new\n");
    repo.write("secret.log", "ignored\n");
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    let state =
        || (repo.git(&["status", "--porcelain"]), repo.git(&["rev-parse", "HEAD"]), repo.git(&["stash", "list"]));
    let before = state();
    let run = data(&world, &repo, &["run", "-a", "looking", "--include-changes", "Look"]);
    let id = run["id"].as_str().unwrap();
    world.run(&mut here(&world, &repo, &["wait", id]));
    let logs = world.run(&mut here(&world, &repo, &["logs", id])).stdout;
    for word in ["two", "new", "staged"] {
        assert!(logs.contains(word), "{logs}");
    }
    assert!(!logs.contains("secret.log"), "{logs}");
    assert_eq!(state(), before);
    assert_eq!(repo.git(&["rev-parse", &format!("{}^", run["base_commit"].as_str().unwrap())]), before.1);
    assert_eq!(
        data(&world, &repo, &["show", id])["changed_files"].as_array().unwrap().len(),
        0,
        "only its own changes"
    );
    let planned = data(&world, &repo, &["run", "--include-changes", "--dry-run", "Look"]);
    assert_eq!(planned["would_create"]["base_commit"].as_str().unwrap(), before.1.trim());
    let wrong = world.run(&mut here(&world, &repo, &["run", "--include-changes", "--base", "HEAD", "x"]));
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn without_tmux_runs_are_detached_and_that_is_said_once() {
    let world = World::new(env!("CARGO_BIN_EXE_agency"));
    world.agent("quick", Agent::new("echo done"));
    let repo = world.repo("project");
    let programs = world.root().join("programs");
    fs::create_dir(&programs).unwrap();
    for program in ["git", "sh"] {
        let found =
            String::from_utf8(std::process::Command::new("which").arg(program).output().unwrap().stdout).unwrap();
        std::os::unix::fs::symlink(found.trim(), programs.join(program)).unwrap();
    }
    let run = |prompt: &str| {
        let mut command = here(&world, &repo, &["run", "-a", "quick", prompt]);
        world.run(command.env("PATH", &programs))
    };
    let first = run("One");
    assert!(first.status.success(), "{first:?}");
    assert!(first.stderr.contains("tmux is not installed, so runs are detached"), "{}", first.stderr);
    assert!(!run("Two").stderr.contains("tmux"));
    assert_eq!(data(&world, &repo, &["show", "last"])["host"], "detached");
}
