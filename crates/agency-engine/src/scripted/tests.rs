use super::{ScriptError, execute, git, parse};
use crate::scripted::bare_environment::in_bare_environment;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a script did: exit code, stdout, stderr.
fn run(directory: &Path, directives: &str) -> Result<(u8, String, String), ScriptError> {
    let script = parse(&format!("```agency\n{directives}\n```\n"))?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = execute(&script, directory, &mut out, &mut err)?;
    Ok((code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap()))
}

fn ask(directory: &Path, arguments: &[&str]) -> String {
    git(directory, arguments).unwrap().into_success().unwrap()
}

fn repository() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    ask(directory.path(), &["init", "--quiet", "--initial-branch", "main"]);
    directory
}

#[test]
fn words_go_to_their_streams_and_exit_ends_the_script() {
    let directory = tempfile::tempdir().unwrap();
    let ran = run(directory.path(), "say one\nwarn two\nexit 3\nsay never").unwrap();
    assert_eq!(ran, (3, "one\n".into(), "two\n".into()));
}

#[test]
fn a_prompt_without_directives_is_echoed() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let script = parse("Fix it.\n\nPlease.\n").unwrap();
    assert_eq!(execute(&script, Path::new("/"), &mut out, &mut err).unwrap(), 0);
    assert_eq!((out.as_slice(), err.as_slice()), (b"Fix it.\nPlease.\n".as_slice(), b"".as_slice()));
}

#[test]
fn a_wait_lasts_as_long_as_it_says() {
    let start = Instant::now();
    run(Path::new("/"), "wait 30ms").unwrap();
    assert!(start.elapsed() >= Duration::from_millis(30));
}

#[test]
fn files_are_written_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    run(directory.path(), "write a/b one\\ntwo\nappend a/b three").unwrap();
    assert_eq!(fs::read_to_string(directory.path().join("a/b")).unwrap(), "one\ntwo\nthree\n");
}

#[test]
fn a_link_out_of_the_directory_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/", directory.path().join("out")).unwrap();
    let error = run(directory.path(), "say hello\nwrite out/x y").unwrap_err();
    assert_eq!(error.to_string(), "line 3: `out/x` leaves the agent's directory");
}

#[test]
fn a_command_runs_in_the_directory_and_its_failure_ends_the_script() {
    let directory = tempfile::tempdir().unwrap();
    let ran = run(directory.path(), "run touch 'a b'\nrun ls\nrun sh -c 'exit 7'\nsay never").unwrap();
    assert_eq!(ran, (7, "a b\n".into(), "`sh` failed with exit code 7\n".into()));
}

#[test]
fn a_commit_holds_everything_and_uses_the_configured_identity() {
    let directory = repository();
    ask(directory.path(), &["config", "user.name", "Ada"]);
    ask(directory.path(), &["config", "user.email", "ada@example.com"]);
    let (code, out, err) = run(directory.path(), "write a b\ncommit Add a file\ncommit Again").unwrap();
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("Committed ") && out.ends_with(" Add a file\nNothing to commit\n"), "{out}");
    assert_eq!(ask(directory.path(), &["status", "--porcelain"]), "");
    let log = ask(directory.path(), &["log", "--format=%an <%ae> %cn %s"]);
    assert_eq!(log, "Ada <ada@example.com> Ada Add a file");
}

#[test]
fn a_commit_needs_no_identity() {
    in_bare_environment("scripted::tests::a_commit_needs_no_identity", || {
        let directory = repository();
        run(directory.path(), "write a b\ncommit Add a file").unwrap();
        let log = ask(directory.path(), &["log", "--format=%an <%ae> %cn %s"]);
        assert_eq!(log, "agency <agency@localhost> agency Add a file");
    });
}

#[test]
fn a_commit_outside_a_repository_is_an_error_with_gits_words() {
    let directory = tempfile::tempdir().unwrap();
    let error = run(directory.path(), "commit x").unwrap_err().to_string();
    assert!(error.starts_with("line 2: git did not commit: fatal: not a git repository"), "{error}");
}

/// Has a conversation in which each question gets this answer.
fn conversation(prompt: &str, behaviour: &str, directory: &std::path::Path) -> (u8, String) {
    use serde_json::json;
    let user =
        json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "text", "text": prompt }] } });
    let line = prompt.lines().position(|line| line.starts_with("ask ")).map_or(0, |index| index + 1);
    let answer = json!({ "type": "control_response", "response": {
        "subtype": "success", "request_id": format!("ask-{line}"), "response": { "behavior": behaviour } } });
    let input = format!("not JSON\n{user}\n{answer}\n");
    let (mut out, mut err) = (vec![], vec![]);
    let code = super::converse(directory, &mut input.as_bytes(), &mut out, &mut err).unwrap();
    (code, String::from_utf8(out).unwrap())
}

#[test]
fn a_conversation_asks_and_does_only_what_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let prompt = "```agency\nsay I begin\nask touch done\nsay I end\n```\n";
    let (code, out) = conversation(prompt, "deny", directory.path());
    assert_eq!(code, 0);
    assert!(!directory.path().join("done").exists());
    assert!(out.contains("Not allowed, so it is left out: touch done"), "{out}");
    let (_, out) = conversation(prompt, "allow", directory.path());
    assert!(directory.path().join("done").exists());
    let types: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(types, ["system", "assistant", "control_request", "assistant", "result"]);
    // Without an answer nothing is done.
    std::fs::remove_file(directory.path().join("done")).unwrap();
    let other = prompt.replace("ask touch done", "say one\nask touch done");
    let (_, out) = conversation(&other, "nonsense", directory.path());
    assert!(!directory.path().join("done").exists(), "{out}");
}
