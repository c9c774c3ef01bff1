//! Who answers may not ask, and slots are not waited for in a circle.

use agency_model::ErrorCode;
use agency_testkit::agent;

use super::fixture::{command, empty, wait_until_clean, world};

// proves A1
#[test]
fn who_answers_a_question_may_not_ask_another() {
    let inner = format!("'{}' ask -s docs 'And now?'; echo \"code $?\"", env!("CARGO_BIN_EXE_agency"));
    let world = world(&inner);
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    assert_eq!(said.stdout, "code 4\n");
    let run = world.runs().remove(0);
    assert!(String::from_utf8(run.log("runner.stderr.log")).unwrap().contains("E_RECURSION"));
    assert_eq!(world.runs().len(), 1);
    // Who loses the one mark still has the other.
    let inner =
        format!("unset AGENCY_ASK; '{}' ask -s docs 'And now?'; echo \"code $?\"", env!("CARGO_BIN_EXE_agency"));
    let sly = world.agent("sly", inner.as_str());
    command(&world, "sly", "ask", sly.to_str().unwrap());
    assert_eq!(world.ok(&["ask", "-s", "docs", "--runner", "sly", "What?"]).stdout, "code 4\n");
    let output = world.run(world.command(&["chat", "-s", "docs", "--json"]).env("AGENCY_ASK", "1"));
    assert_eq!(output.status.code(), Some(2), "{output}");
    let output = world.run(world.command(&["ask", "-s", "docs", "x"]).env("AGENCY_ASK", "1"));
    assert_eq!(output.status.code(), Some(4), "{output}");
    wait_until_clean(&world);
}

/// `run`, `resume`, `demo`, `agent spawn|restart` and `workflow run|resume|retry` from inside an ask.
#[test]
fn an_agent_that_answers_starts_nothing() {
    let world = world("true");
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    world.agent("waiting", agent::waiting());
    let (here, before) = (repo.path.to_str().unwrap(), world.runs().len());
    let detached = ["--host", "detached", "--mode", "headless"];
    let done = world.begin(&repo, "quiet", &detached);
    world.ended(&done);
    let spawn =
        ["agent", "spawn", "alice", "--runner", "waiting", "--repo", here, "--host", "detached", "--prompt", "x"];
    world.ok(&spawn);
    repo.write("one.yaml", "name: one\nsteps:\n  - { name: only, type: script, command: 'false' }\n");
    let flow = repo.path.join("one.yaml");
    let flow = flow.to_str().unwrap();
    let started = world.agency(&["workflow", "run", flow, "--repo", here, "--title", "x", "--json"]);
    let session = started.object();
    let started: Vec<_> = world.runs().into_iter().map(|run| run.id).collect();
    assert!(started.len() > before + 2, "{session:#}");
    let states = |world: &agency_testkit::World| world.json(&["ls", "--all"])["data"]["runs"].take();
    let before = states(&world);
    let refused: &[&[&str]] = &[
        &["run", "--repo", here, "--runner", "quiet", "--prompt", "x"],
        &["run", "--repo", here, "--runner", "quiet", "--prompt", "x", "--dry-run"],
        &["resume", &done.id, "--prompt", "x"],
        &["agent", "spawn", "bob", "--runner", "waiting", "--repo", here, "--prompt", "x"],
        &["agent", "restart", "alice"],
        &["workflow", "run", flow, "--repo", here, "--title", "y", "--detach"],
        &["demo"],
        &["workflow", "resume", "last"],
        &["workflow", "retry", "last"],
    ];
    for arguments in refused {
        let arguments = [*arguments, &["--json"]].concat();
        let output = world.run(world.command(&arguments).env("AGENCY_ASK", "1"));
        assert_eq!(output.object()["error"]["code"], "E_RECURSION", "{arguments:?}: {output}");
    }
    assert_eq!(states(&world), before, "nothing was started, stopped or changed");
    let left = std::fs::read_dir(world.root().join("tmp")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_str().unwrap().starts_with("agency-demo-")).collect();
    assert!(left.is_empty(), "{left:?}");
    // A process that lost the variable still names its run.
    let inner = format!(
        "unset AGENCY_ASK; '{}' run --repo '{here}' --runner quiet --prompt x; echo \"code $?\"",
        env!("CARGO_BIN_EXE_agency")
    );
    let sly = world.agent("sly", inner.as_str());
    command(&world, "sly", "ask", sly.to_str().unwrap());
    assert_eq!(world.ok(&["ask", "-s", "docs", "--runner", "sly", "What?"]).stdout, "code 4\n");
    world.ok(&["agent", "stop", "alice"]);
}

#[test]
fn an_agent_that_asks_does_not_wait_for_the_slot_that_it_holds() {
    let world = world("cat docs/a.txt");
    world.set("max_agents", "1");
    let repo = world.repo("project");
    world.agent("asker", format!("'{}' ask -s docs 'What?'", env!("CARGO_BIN_EXE_agency")).as_str());
    let run = world.begin(&repo, "asker", &["--mode", "headless", "--host", "detached", "--workspace", "none"]);
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert_eq!(run.log("runner.stdout.log"), b"the timeout is 42\n");
}

#[test]
fn an_answer_cannot_make_the_terminal_do_something() {
    let world = empty();
    let result =
        r#"{"type":"result","subtype":"success","is_error":false,"result":"a\u001b]0;evil\u0007b","session_id":"s"}"#;
    let path = world.agent("fake", format!("cat > /dev/null\nprintf '%s\\n' '{result}'").as_str());
    world.configure(&format!("\n[agents.claude_code]\ncommand = {path:?}\n"));
    let said = world.ok(&["ask", "-s", "docs", "--runner", "claude-code", "What?"]);
    assert_eq!(said.stdout, "ab\n");
}

#[test]
fn a_codex_that_does_not_name_its_servers_is_not_started() {
    let world = empty();
    let path = world.agent("fake", "echo nothing");
    world.configure(&format!("\n[agents.codex]\ncommand = {path:?}\n"));
    let error = world.error(&["ask", "-s", "docs", "--runner", "codex", "What?"], ErrorCode::RunnerNotConfigured);
    assert!(error["message"].as_str().unwrap().contains("which MCP servers"), "{error:#}");
    assert!(world.runs().is_empty());
}
