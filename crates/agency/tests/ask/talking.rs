//! The scenarios of the document about chatting, by their names.

use std::fs;

use agency_model::ErrorCode;
use rustix::process::Signal;

use super::fixture::{LIMIT, command, empty, left, mine, scratch, wait_until_clean, world};
use agency_testkit::{World, wait_for};

fn talker(script: &str) -> World {
    let world = empty();
    let path = mine(&world, script);
    command(&world, "mine", "chat", path.to_str().unwrap());
    world
}

// proves A8
#[test]
fn spawn_interactive_agent() {
    let world = talker(r#"tty; cat docs/a.txt; echo "in $PWD"; read line; echo "heard $line""#);
    let terminal = world.terminal(&["chat", "-s", "docs"]);
    let screen = terminal.wait_for_text("in ");
    assert!(screen.contains("/dev/pts/") && screen.contains("the timeout is 42"), "{screen}");
    assert!(screen.contains("/scratch/lctx-"), "{screen}");
    terminal.type_text("hello");
    terminal.send_keys(&["Enter"]);
    terminal.wait_for_text("heard hello");
    assert_eq!(terminal.wait_for_exit(), 0);
    wait_until_clean(&world);
}

// proves A8
#[test]
fn wait_for_interactive_session() {
    let world = talker(r#"echo here; until [ -e "$0.release" ]; do sleep 0.01; done; exit 5"#);
    let chat = world.spawn(&["chat", "-s", "docs"]);
    wait_for("the agent", LIMIT, || chat.stdout().contains("here").then_some(()));
    assert!(chat.is_running() && scratch(&world).is_dir());
    world.release("mine");
    assert_eq!(chat.wait().status.code(), Some(5));
    assert!(left(&world).is_empty());
}

// proves A8
#[test]
fn no_prompt_file_for_chat() {
    let world = talker("ls -A");
    let said = world.ok(&["chat", "-s", "docs,note"]);
    assert_eq!(said.stdout, ".cursor\n.gemini\n.git\n.lctx.lock\n.mcp.json\ndocs\nnote\nopencode.json\n");
    assert!(!world.root().join("home/prompt_template.md").exists(), "a chat needs no template");
    assert!(world.runs().is_empty(), "a chat is no run");
}

// proves A7, A8
#[test]
fn a_chat_that_is_asked_to_end_ends_its_agent() {
    let world = talker("trap '' TERM; echo here; while :; do sleep 0.1; done");
    let chat = world.spawn(&["chat", "-s", "docs"]);
    wait_for("the agent", LIMIT, || chat.stdout().contains("here").then_some(()));
    chat.signal(Signal::TERM);
    assert_eq!(chat.wait().status.code(), Some(137));
    assert!(left(&world).is_empty());
}

// proves A7, A8
#[test]
fn ctrl_c_in_a_chat_is_the_agents() {
    let world = talker("trap 'echo caught; exit 3' INT; echo here; while :; do sleep 0.1; done");
    let terminal = world.terminal(&["chat", "-s", "docs"]);
    terminal.wait_for_text("here");
    terminal.send_keys(&["C-c"]);
    terminal.wait_for_text("caught");
    assert_eq!(terminal.wait_for_exit(), 3);
    wait_until_clean(&world);
}

// proves A7
#[test]
fn a_chat_whose_agency_was_killed_keeps_its_directory_as_long_as_its_agent_lives() {
    let world = talker(r#"echo here; until [ -e "$0.release" ]; do sleep 0.01; done; cat docs/a.txt > "$0.read""#);
    let quick = world.agent("quick", "true");
    command(&world, "quick", "ask", quick.to_str().unwrap());
    let chat = world.spawn(&["chat", "-s", "docs"]);
    wait_for("the agent", LIMIT, || chat.stdout().contains("here").then_some(()));
    let path = scratch(&world);
    chat.signal(Signal::KILL);
    world.ok(&["ask", "-s", "docs", "--runner", "quick", "What?"]);
    assert!(path.is_dir(), "its agent is running");
    world.release("mine");
    let read = world.root().join("agents/mine.read");
    wait_for("the agent's end", LIMIT, || fs::read_to_string(&read).ok().filter(|text| text.contains("42")));
    chat.wait();
    wait_for("the sweep", LIMIT, || {
        world.ok(&["ask", "-s", "docs", "--runner", "quick", "What?"]);
        (!path.exists()).then_some(())
    });
    wait_until_clean(&world);
}

#[test]
fn a_chat_has_no_json() {
    let world = world("true");
    world.error(&["chat", "-s", "docs"], ErrorCode::Usage);
}
