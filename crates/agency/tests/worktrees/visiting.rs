//! `shell`, `cd` and `open`: the user in the directory of a run.

use agency_model::ErrorCode;

use super::{begin, finished, worktree, world};

#[test]
fn a_command_of_the_user_runs_in_the_worktree_and_is_not_the_agents() {
    let (mut world, repo) = world();
    repo.write(".agency/project.toml", "[worktree]\nports = { web = 3000 }\n");
    let run = finished(&world, &repo, "looker");
    let script = "pwd; echo $AGENCY_PORT_WEB $AGENCY_RUN_DIR; echo \"id:$AGENCY_RUN_ID\"; exit 7";
    let output = world.agency(&["shell", &run.id, "--", "sh", "-c", script]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], worktree(&world, &run).to_str().unwrap());
    assert!(lines[1].starts_with('2') && lines[1].ends_with(run.directory.to_str().unwrap()), "{lines:?}");
    assert_eq!((lines[2], output.status.code()), ("id:", Some(7)));
    world.set_variable("SHELL", "/bin/echo");
    assert_eq!(world.ok(&["shell", &run.id]).stdout, "\n");
    world.error(&["shell", "nothing"], ErrorCode::RunNotFound);
    let missing = world.agency(&["shell", &run.id, "--", "no-such-program"]);
    assert_eq!(missing.status.code(), Some(1), "{missing}");
    assert!(missing.stderr.contains("E_IO"), "{missing}");
}

// proves I5: an answer in the shell of a user is the user's.
#[test]
fn what_is_answered_in_a_shell_is_answered_by_the_user() {
    let (world, repo) = world();
    world.agent("asking", agency_testkit::conversation::asking(1));
    let run = begin(&world, &repo, "asking");
    let question = agency_testkit::wait_for("a question", std::time::Duration::from_secs(30), || {
        let inbox = world.json(&["inbox"]);
        inbox["data"]["questions"][0]["id"].as_str().map(str::to_owned)
    });
    let binary = env!("CARGO_BIN_EXE_agency");
    world.ok(&["shell", &run.id, "--", binary, "answer", &question, "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
}

#[test]
fn the_directory_is_printed_and_the_functions_of_shells_change_to_it() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    let text = worktree.to_str().unwrap();
    assert_eq!(world.ok(&["cd", &run.id]).stdout, format!("{text}\n"));
    assert_eq!(world.json(&["cd", &run.id])["data"]["directory"], text);
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let script = "PATH=\"$1:$PATH\"; eval \"$(agency completions bash)\"; agency cd \"$2\" && pwd && agency cd --help | \
        head -1; agency cd nothing; echo code $?; pwd; agency cd --json \"$2\" | cut -c 1-10";
    let mut bash = world.program("bash");
    bash.args(["-c", script, "bash", binary.to_str().unwrap(), &run.id]);
    let output = world.run(&mut bash);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], text, "{output}");
    assert!(lines[1].starts_with("Print the directory"), "{output}");
    assert_eq!(lines[2..], ["code 3", text, "{\"ok\":true"], "{output}");
    world.ok(&["rm", &run.id]);
    for command in ["cd", "shell", "open"] {
        world.error(&[command, &run.id], ErrorCode::InvalidState);
    }
}

#[test]
fn an_editor_gets_the_directory() {
    let (mut world, repo) = world();
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    let text = worktree.to_str().unwrap();
    world.set_variable("VISUAL", "");
    world.set_variable("EDITOR", "echo editing");
    assert_eq!(world.ok(&["open", &run.id]).stdout, format!("editing {text}\n"));
    assert_eq!(world.ok(&["open", &run.id, "--editor", "echo zed"]).stdout, format!("zed {text}\n"));
    let answer = world.json(&["open", &run.id, "--editor", "code"])["data"]["command"].take();
    assert_eq!(answer, serde_json::json!(["code", text]));
    let failed = world.agency(&["open", &run.id, "--editor", "false"]);
    assert_eq!(failed.status.code(), Some(1), "{failed}");
    let missing = world.agency(&["open", &run.id, "--editor", "no-such-editor"]);
    assert!(missing.stderr.contains("E_IO") && missing.stderr.contains("--editor"), "{missing}");
}
