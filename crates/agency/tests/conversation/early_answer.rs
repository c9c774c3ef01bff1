//! An agent that ignores keys for a moment after it has drawn a dialog, as Claude Code does.

use std::fs;

use agency_testkit::{Agent, Repo, Run, World, wait_for};

use super::fixture::{LIMIT, events, rows, shown, text, wait_for_question, world};

/// Asks for permission, loses a key that comes within 0.9 seconds, then takes one.
const GUARDED: &str = "stty -icanon -echo min 0 time 9\n\
    printf '== Permission ==\\n  touch made.txt\\nMay I?\\n  1. Yes\\n  2. No\\n'\n\
    early=$(dd bs=1 count=1 2>/dev/null)\n\
    stty min 1 time 0\n\
    key=$(dd bs=1 count=1 2>/dev/null)\n\
    printf '\\nearly:[%s] taken:[%s]\\nready> ' \"$early\" \"$key\"\n\
    until [ -e \"$0.release\" ]; do sleep 0.05; done";

/// Asks one thing, then, when it is released, another in its place.
const REPLACED: &str = "stty -icanon -echo min 0 time 0\n\
    printf '== Permission ==\\n  touch one.txt\\nMay I?\\n  1. Yes\\n  2. No\\n'\n\
    until [ -e \"$0.release\" ]; do sleep 0.05; done\n\
    printf '\\033[2J\\033[H== Permission ==\\n  touch two.txt\\nMay I?\\n  1. Yes\\n  2. No\\n'\n\
    until [ -e \"${0%/*}/second.release\" ]; do sleep 0.05; done\n\
    printf '\\ntaken:[%s]\\nready> ' \"$(dd bs=100 count=1 2>/dev/null)\"\n\
    while :; do sleep 0.05; done";

const RULES: &str = r#"
[[rules]]
name = "permission"
activity = "waiting_for_user"
when = [{ where = { below = "May I?" }, all = ['/^ *1\. Yes/'], none = ['/^ready>/'] }]

[rules.question]
kind = "permission"
where = { below = '/^== Permission ==$/' }
title = { from_last = "May I?" }
detail = { above_last = "May I?" }
tools = [{ seen = "touch", name = "shell" }]
options = { style = "numbered" }
answers = { pick = "number", allow = ['/^Yes$/'], deny = ['/^No$/'] }

[[rules]]
name = "prompt"
activity = "idle"
when = [{ where = { last = 1 }, all = ['/^ready>/'] }]
"#;

fn place(agent: &str, answer_after_ms: u16) -> (World, Repo) {
    let (world, repo) = world(Agent::from(agent));
    let rules = format!("version = \"1\"\nanswer_after_ms = {answer_after_ms}\n{RULES}");
    fs::write(world.root().join("home/rules.toml"), rules).unwrap();
    world.configure("screen = \"rules.toml\"\n");
    (world, repo)
}

fn begin(world: &World, repo: &Repo) -> Run {
    world.begin(repo, "agent", &["--host", "detached", "--mode", "interactive"])
}

// proves I3
#[test]
fn an_answer_waits_until_the_agent_takes_keys_for_the_dialog() {
    let (world, repo) = place(GUARDED, 1500);
    // A rule answers at once.
    world.configure("\n[[approval_policy]]\naction = \"allow\"\n");
    let run = begin(&world, &repo);
    run.wait_for_output("early:[] taken:[1]");
    let answered = wait_for("the outcome of the answer", LIMIT, || events(&run, "answer").into_iter().next());
    assert_eq!(answered["delivered"], true, "{answered:#}");
    world.ok(&["stop", &run.id]);
}

// proves I3, I5
#[test]
fn an_answer_that_waits_is_not_typed_into_another_dialog() {
    let (world, repo) = place(REPLACED, u16::MAX);
    let run = begin(&world, &repo);
    let first = wait_for_question(&world, &run);
    let answering = world.spawn(&["answer", &first, "allow"]);
    wait_for("the answer in the database", LIMIT, || (shown(&world, &first)["state"] == "answered").then_some(()));
    world.release("agent");
    let told = answering.wait();
    assert_eq!(told.status.code(), Some(4), "{told:?}");
    let second = wait_for_question(&world, &run);
    assert!(text(&shown(&world, &second), "detail").contains("touch two.txt"));
    let (state, outcome) = rows(&world, &run).remove(0);
    assert_eq!((state.as_str(), outcome.as_str()), ("expired", "the dialog was gone before the answer could be typed"));
    world.release("second");
    run.wait_for_output("taken:[]");
    world.ok(&["stop", &run.id]);
}
