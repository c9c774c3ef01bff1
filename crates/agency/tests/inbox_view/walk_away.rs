//! Leaving `agency inbox --interactive`: what is left of the questions, and of the terminal.

use agency_testkit::{ProcessTable, Terminal, World, wait_for};
use rustix::process::{Signal, kill_process};

use super::fixture::{LIMIT, asks, heard, offered, open, permission, start, text, world};

/// Walks through the inbox, and shows how the terminal is afterwards.
fn walk(world: &World) -> Terminal {
    let mut command = world.program("sh");
    let script = "trap : INT; \"$1\" inbox --interactive; echo \"exit $?\"; stty -a";
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_agency")]);
    world.terminal_with(&command)
}

/// The terminal is as a shell wants it.
#[track_caller]
fn is_usable(terminal: &Terminal, exit: &str) {
    terminal.wait_for_text(exit);
    let screen = terminal.wait_for_text("echoke");
    for mode in ["-icanon", "-echo ", "-isig", "susp = <undef>"] {
        assert!(!screen.contains(mode), "{mode}:\n{screen}");
    }
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn skipped_questions_stay_and_quitting_leaves_the_terminal_as_it_was() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one"), permission("r2", "touch two")]);
    start(&world, &repo, "asking", &[]);
    open(&world, 2);
    let terminal = walk(&world);
    offered(&terminal, "touch one");
    terminal.send_keys(&["s"]);
    offered(&terminal, "touch two");
    terminal.send_keys(&["s"]);
    terminal.wait_for_text("2 questions are left");
    is_usable(&terminal, "exit 0");
    let terminal = walk(&world);
    offered(&terminal, "touch one");
    terminal.send_keys(&["q"]);
    is_usable(&terminal, "exit 0");
    open(&world, 2);
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was_and_the_question_open() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one")]);
    start(&world, &repo, "asking", &[]);
    open(&world, 1);
    let terminal = walk(&world);
    terminal.wait_for_text("[q] quit");
    terminal.send_keys(&["C-c"]);
    is_usable(&terminal, "exit 130");
    for (signal, exit) in [(Signal::TERM, "exit 143"), (Signal::HUP, "exit 129")] {
        let terminal = walk(&world);
        terminal.wait_for_text("[q] quit");
        let words = ["inbox", "--interactive"];
        let pid = wait_for("the viewer", LIMIT, || {
            let table = ProcessTable::read();
            let ours = table.carrying("AGENCY_HOME", world.agency_home().as_os_str());
            table.started_with(&words).into_iter().find(|pid| ours.contains(pid))
        });
        kill_process(pid, signal).unwrap();
        is_usable(&terminal, exit);
    }
    open(&world, 1);
}

#[test]
fn what_somebody_else_answers_meanwhile_is_said_so_and_passed_over() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one"), permission("r2", "touch two")]);
    let run = start(&world, &repo, "asking", &[]);
    let questions = open(&world, 2);
    let terminal = world.terminal(&["inbox", "--interactive"]);
    offered(&terminal, "touch one");
    world.ok(&["answer", text(&questions[0], "id"), "deny"]);
    terminal.wait_for_text(&format!("meanwhile: {} was answered by ada: deny", text(&questions[0], "id")));
    offered(&terminal, "touch two");
    world.ok(&["stop", &run.id]);
    terminal.wait_for_text("has expired: the process that asked is gone");
    terminal.wait_for_text("No more open questions.");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(heard(&world, "asking").len(), 1);
}
