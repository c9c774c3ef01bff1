//! Agents do not answer questions of agents; people and their own programs do, and every answer records who gave it.

use std::fs;
use std::path::PathBuf;

use agency_testkit::{Agent, Repo, Run, World, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, TALK, begin, open, shown, text, wait_for_question, world};

const AGENCY: &str = env!("CARGO_BIN_EXE_agency");

/// An agent that asks for a permission and then runs `attempt`, which finds the id of the question in `$question` and
/// the program in `$agency`. What came of it is in `attempt.json` and `attempt.code` of its run directory.
fn answering_itself(attempt: &str) -> Agent {
    conversation::speaking(&format!(
        "hear_message\npermission 1\nagency='{AGENCY}'\n\
         until question=$($agency inbox --json | grep -o 'q_[0-9A-Z]*' | head -1); [ -n \"$question\" ]; do sleep 0.02; done\n\
         export agency question\n\
         (\n{attempt}\n) >\"$AGENCY_RUN_DIR/attempt.json\" 2>/dev/null\n\
         hear_reply ask-1\nfinish done\nhear_the_end"
    ))
}

/// The command that answers and notes its exit code, as one argument of `sh -c`.
const ANSWER: &str =
    r#"'"$agency" answer "$question" allow --json >"$0/attempt.json"; echo $? >"$0/attempt.code"' "$AGENCY_RUN_DIR""#;

fn attempt_of(run: &Run) -> (String, Value) {
    let code = wait_for("the end of the agent's attempt", LIMIT, || {
        fs::read_to_string(run.file("attempt.code")).ok().filter(|code| code.ends_with('\n'))
    });
    let answer = fs::read(run.file("attempt.json")).unwrap();
    (code.trim().to_owned(), serde_json::from_slice(&answer).unwrap())
}

#[track_caller]
fn assert_refused(world: &World, repo: &Repo) {
    let run = begin(world, repo);
    let question = wait_for_question(world, &run);
    let (code, answer) = attempt_of(&run);
    assert_eq!((code.as_str(), &answer["error"]["code"]), ("8", &Value::from("E_NOT_ALLOWED")), "{answer:#}");
    assert_eq!(answer["error"]["details"]["run_id"], run.id.as_str(), "{answer:#}");
    assert_eq!(open(world, &run).len(), 1, "the question still waits");
    assert_eq!(world.json(&["answer", &question, "allow"])["ok"], true);
    assert_eq!(world.ended(&run)["state"], "completed");
}

// section 2: an agent that calls `agency answer` for its own question
#[test]
fn an_agent_that_answers_its_own_question_is_refused() {
    let (world, repo) = world(answering_itself(&format!("sh -c {ANSWER}")));
    assert_refused(&world, &repo);
}

// without the variable, its parents give it away
#[test]
fn an_agent_is_refused_although_it_hides_the_run_in_its_environment() {
    let (world, repo) = world(answering_itself(&format!("env -u AGENCY_RUN_ID sh -c {ANSWER}")));
    assert_refused(&world, &repo);
}

// without its parents, the variable gives it away
#[test]
fn a_daemon_of_an_agent_is_refused() {
    let (world, repo) = world(answering_itself(&format!("setsid -f sh -c {ANSWER} </dev/null >/dev/null 2>&1")));
    assert_refused(&world, &repo);
}

// without both, that the supervisor adopted it gives it away
#[test]
fn a_daemon_of_an_agent_is_refused_although_it_hides_the_run_in_its_environment() {
    let (world, repo) =
        world(answering_itself(&format!("env -u AGENCY_RUN_ID setsid -f sh -c {ANSWER} </dev/null >/dev/null 2>&1")));
    assert_refused(&world, &repo);
}

#[test]
fn an_agent_is_not_shown_the_dialog_that_answers() {
    let attempt = r#"script -qec "'$agency' inbox --interactive" /dev/null </dev/null >"$AGENCY_RUN_DIR/shown.txt"
echo $? >"$AGENCY_RUN_DIR/attempt.code""#;
    let (world, repo) = world(answering_itself(attempt));
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    let code = wait_for("the end of the agent's attempt", LIMIT, || {
        fs::read_to_string(run.file("attempt.code")).ok().filter(|code| code.ends_with('\n'))
    });
    let shown = fs::read_to_string(run.file("shown.txt")).unwrap();
    assert!(code.trim() == "8" && shown.contains("E_NOT_ALLOWED") && !shown.contains(&question), "{code}: {shown}");
    world.ok(&["answer", &question, "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
}

#[test]
fn an_agent_does_not_answer_for_another_run_either() {
    let (world, repo) = world(conversation::asking(1));
    let other = begin(&world, &repo);
    let question = wait_for_question(&world, &other);
    let script = format!(
        "'{AGENCY}' answer {question} allow --json >\"$AGENCY_RUN_DIR/attempt.json\"\n\
         echo $? >\"$AGENCY_RUN_DIR/attempt.code\""
    );
    world.agent("helpful", script.as_str());
    let run = world.begin(&repo, "helpful", &TALK);
    let (code, answer) = attempt_of(&run);
    assert_eq!((code.as_str(), &answer["error"]["code"]), ("8", &Value::from("E_NOT_ALLOWED")), "{answer:#}");
    assert_eq!(answer["error"]["details"]["run_id"], run.id.as_str());
    assert_eq!(open(&world, &other).len(), 1);
}

#[test]
fn with_allow_self_answer_an_agent_is_obeyed_and_recorded() {
    let (world, repo) = world(answering_itself(&format!("sh -c {ANSWER}")));
    world.set("allow_self_answer", "true");
    let run = begin(&world, &repo);
    let (code, answer) = attempt_of(&run);
    assert_eq!(code, "0", "{answer:#}");
    assert_eq!(world.ended(&run)["state"], "completed");
    let question = shown(&world, text(&answer["data"], "id"));
    assert_eq!(question["answered_by"], format!("the agent of {}", run.id));
    assert_eq!(question["answered_from"]["run"], run.id.as_str());
}

#[test]
fn every_answer_records_the_user_the_process_and_the_terminal() {
    let (world, repo) = world(conversation::asking(2));
    let run = begin(&world, &repo);
    let first = wait_for_question(&world, &run);
    assert!(shown(&world, &first)["answered_from"].is_null());
    let answering = world.spawn(&["answer", &first, "allow"]);
    let pid = answering.id();
    assert!(answering.wait().status.success());
    let from = shown(&world, &first)["answered_from"].clone();
    assert_eq!(from["uid"], rustix::process::getuid().as_raw());
    assert_eq!(from["pid"], pid);
    assert!(from["terminal"].is_null() && from["run"].is_null(), "{from:#}");

    let second = wait_for_question(&world, &run);
    assert_eq!(world.terminal(&["answer", &second, "allow"]).wait_for_exit(), 0);
    let from = shown(&world, &second)["answered_from"].clone();
    assert!(text(&from, "terminal").starts_with("/dev/pts/"), "{from:#}");
    assert_eq!(world.ended(&run)["state"], "completed");
}

/// A `notify.command` that answers what it is told of.
fn answering_command(world: &World, around: &str) -> PathBuf {
    let script = format!(
        "question=$(grep -o 'q_[0-9A-Z]*' | head -1)\n[ -n \"$question\" ] || exit 0\n\
         {around} '{AGENCY}' answer \"$question\" allow --json >\"$0.said\" 2>&1"
    );
    let path = world.agent("answerer", script.as_str());
    world.configure(&format!("\n[notify]\ndesktop = false\nalways = true\ncommand = [{:?}]\n", path.display()));
    path
}

#[test]
fn the_notify_command_is_the_users_and_may_answer() {
    for (host, around) in [("detached", ""), ("tmux", ""), ("detached", "setsid -f")] {
        let (world, repo) = world(conversation::asking(1));
        answering_command(&world, around);
        let run = world.begin(&repo, "agent", &["--host", host, "--mode", "headless"]);
        assert_eq!(world.ended(&run)["state"], "completed", "{host} {around}");
    }
}

// what a run notifies is its starter's choice: an agent could give it a command of its own
#[test]
fn the_notify_command_of_a_run_that_an_agent_started_is_not_the_users() {
    let (world, repo) = world(conversation::asking(1));
    let path = answering_command(&world, "");
    let script = format!("'{AGENCY}' run --runner agent --mode headless --host detached --prompt x --wait --json");
    world.agent("starter", script.as_str());
    let run = world.begin(&repo, "starter", &TALK);
    let said = wait_for("what the notify.command was told", LIMIT, || {
        fs::read_to_string(path.with_file_name("answerer.said")).ok().filter(|said| said.ends_with('\n'))
    });
    assert!(said.contains("E_NOT_ALLOWED"), "{said}");
    let inbox = world.json(&["inbox"]);
    let question = text(&inbox["data"]["questions"][0], "id");
    world.ok(&["answer", question, "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
}

// the shell that the screen opens in a worktree is the user's
#[test]
fn a_shell_in_a_worktree_may_answer() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    let mut shell = world.program("sh");
    shell.arg("-c").arg(format!("'{AGENCY}' answer {question} allow"));
    shell.current_dir(text(&world.json(&["show", &run.id])["data"], "worktree_path"));
    assert!(world.run(&mut shell).status.success());
    assert_eq!(world.ended(&run)["state"], "completed");
}
