//! Claude Code and Codex in one workflow.

use std::path::Path;

use agency_testkit::{Form, ModelServer, RealAgent, Script, Turn, World, wait_for};
use serde_json::Value;

use super::scene::LIMIT;

/// How an agent has to end.
const DONE: &str = "All is done.\n\n```json\n{\"success\": true, \"summary\": \"did it\"}\n```\n";

// proves W2 W8 W10 W12 I4
#[test]
fn three_stages_of_four_tasks_a_question_a_loop_of_two_rounds_and_a_reviewed_merge() {
    let (claude, codex) = (RealAgent::Claude, RealAgent::Codex);
    let mut world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    let does = |turn: Turn| ModelServer::start(Script::new().turn(turn).say(DONE));
    // Codex is told to ask nobody, so its model may not want a permission either.
    let of_claude = does(claude.run_command_if_allowed("mktemp touched-by-claude-XXXXXX"));
    let of_codex = does(codex.run_command("mktemp touched-by-codex-XXXXXX"));
    world.asking_agent(claude, &repo, &of_claude);
    world.real_agent(codex, &repo, &of_codex);
    let file = world.root().join("workflow.yaml");
    std::fs::write(&file, text()).unwrap();
    let workflow = |words: &[&str]| {
        let mut command = world.command(&[&["--json", "workflow"], words].concat());
        let mut answer = world.run(command.current_dir(&repo.path)).object();
        assert_eq!(answer["ok"], true, "{answer:#}");
        answer["data"].take()
    };
    let begun = workflow(&["run", file.to_str().unwrap(), "--title", "Both at work", "--detach"]);
    let session = begun["session"].as_str().unwrap();
    let wait_for_session = |what: &str, enough: &dyn Fn(&Value) -> bool| {
        wait_for(what, LIMIT, || Some(workflow(&["show", session])).filter(|shown| enough(shown)))
    };
    let step = |shown: &Value, name: &str| -> Value {
        shown["steps"].as_array().unwrap().iter().find(|step| step["name"] == name).unwrap().clone()
    };
    let shown = wait_for_session("a task asks", &|shown| {
        assert_ne!(shown["state"], "blocked", "{shown:#}");
        step(shown, "s2t3")["state"] == "waiting"
    });
    let inbox = world.json(&["inbox"]);
    let question = &inbox["data"]["questions"][0];
    assert_eq!(question["run_id"], step(&shown, "s2t3")["run_id"], "{inbox:#}");
    world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    wait_for_session("the review", &|shown| {
        assert_ne!(shown["state"], "blocked", "{shown:#}");
        shown["state"] == "pending_merge"
    });
    workflow(&["approve", session]);
    let shown = wait_for_session("the end", &|shown| shown["state"] == "completed" && shown["driven"] == false);
    assert_eq!(step(&shown, "tests")["attempts"], 2, "{shown:#}");
    assert_eq!(step(&shown, "s1t1")["summary"], "did it");
    let files = repo.git(&["ls-tree", "--name-only", "main"]);
    let touched = |by: &str| files.lines().filter(|name| name.starts_with(&format!("touched-by-{by}-"))).count();
    assert_eq!((touched("claude"), touched("codex")), (6, 7), "six tasks each, and the fix: {files}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main"]).trim(), "Both at work");
}

/// Claude Code and Codex by turns; one of them may do nothing without being asked.
fn text() -> String {
    let mut text = "name: both\ntimeout: 30m\ndefaults: { mode: headless, host: detached }\nsteps:\n".to_owned();
    let step = |name: &str, agent: RealAgent, args: &[&str]| {
        let (adapter, args) = (agent.runner(), Value::from(args.to_vec()));
        format!("{{ name: {name}, type: agent, adapter: {adapter}, extra_args: {args}, spell: \"Do\\nit.\" }}\n")
    };
    for stage in 1..=3 {
        text.push_str(&format!("  - name: stage-{stage}\n    type: parallel\n    max_parallel: 2\n    steps:\n"));
        for task in 1..=4 {
            let agent = if task % 2 == 1 { RealAgent::Claude } else { RealAgent::Codex };
            let asks = (stage, task) == (2, 3);
            let args = if asks { agent.asking() } else { agent.permissive(Form::Conversation) };
            text.push_str(&format!("      - {}", step(&format!("s{stage}t{task}"), agent, args)));
        }
    }
    text.push_str("  - name: until-green\n    type: loop\n    steps:\n");
    text.push_str(
        "      - name: tests\n        type: script\n        on_fail: continue\n        on_success: exit_loop\n",
    );
    text.push_str("        command: test -e ../.tested-once || { touch ../.tested-once; exit 1; }\n");
    let fix = step("fix", RealAgent::Codex, RealAgent::Codex.permissive(Form::Conversation));
    text.push_str(&format!("      - {fix}  - {{ name: bring, type: merge }}\n"));
    text
}
