//! Attaching, in a real terminal.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::agent::{self, Agent};

use super::{end, start, text, world};

fn talking() -> Agent {
    Agent::new("printf 'who are you? '; read name; echo \"hello $name\"; read again; echo \"bye $again\"")
}

// proves L13
#[test]
fn outside_tmux_the_session_is_attached() {
    let world = world();
    let repo = world.repo("project");
    world.agent("talking", talking());
    let run = start(&world, &repo, "talking", &[]);
    let terminal = world.terminal(&["attach", text(&run, "id")]);
    terminal.wait_for_text("who are you?");
    terminal.type_text("ada");
    terminal.send_keys(&["Enter"]);
    terminal.wait_for_text("hello ada");
    // The prefix and d, as tmux wants it. The outer terminal is a tmux too, but its keys are sent raw.
    terminal.send_keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(world.json(&["show", text(&run, "id")])["data"]["state"], "running", "leaving ends nothing");
}

/// The hint has the prefix of the user's own tmux, twice where it has to pass through another tmux with the same one.
#[test]
fn how_a_session_is_left_is_said_in_the_keys_of_the_users_own_tmux() {
    let world = world();
    fs::write(world.root().join("home/.tmux.conf"), "set -g prefix C-a\nset -g status-interval 1\n").unwrap();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &[]);
    let terminal = world.terminal(&["attach", text(&run, "id")]);
    terminal.wait_for_text("C-a d leaves the agent running");
    terminal.send_keys(&["C-a", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());

    for (prefix, said) in [("C-a", "C-a C-a d leaves"), ("C-q", "C-a d leaves")] {
        let outer = world.root().join(format!("outer-{prefix}"));
        let mut tmux = world.program("tmux");
        tmux.arg("-S").arg(&outer).args(["-f", "/dev/null", "new-session", "-d", ";", "set", "-g", "prefix", prefix]);
        assert!(world.run(&mut tmux).status.success());
        let mut inside = world.program("env");
        inside.arg(format!("TMUX={},1,0", outer.display())).arg(env!("CARGO_BIN_EXE_agency"));
        inside.args(["attach", text(&run, "id")]);
        let terminal = world.terminal_with(&inside);
        terminal.wait_until(said, |screen| screen.lines().any(|line| line.starts_with(said)));
        terminal.send_keys(&["C-a", "d"]);
        assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
        world.run(world.program("tmux").arg("-S").arg(&outer).arg("kill-server"));
    }
}

// proves L13
#[test]
fn inside_tmux_the_client_is_switched() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &[]);
    let mut command = world.command(&["attach", "--json", text(&run, "id")]);
    command.env("TMUX", format!("{},1,0", world.socket().display()));
    let answer = world.run(&mut command).object();
    let command = answer["data"]["command"].to_string();
    assert!(
        command.contains("switch-client") && command.contains(&format!("=agency_{}", text(&run, "id"))),
        "{command}"
    );
    let mut elsewhere = world.command(&["attach", "--json", text(&run, "id")]);
    elsewhere.env("TMUX", "/another/server,1,0");
    let other = world.run(&mut elsewhere).object()["data"]["command"].to_string();
    assert!(other.contains("attach-session"), "a client of another server cannot be switched: {other}");
    let outside = world.json(&["attach", text(&run, "id")])["data"]["command"].to_string();
    assert!(outside.contains("attach-session"), "{outside}");
}

/// In the user's own tmux, `d` would leave tmux altogether. The prefix is the user's own, too.
#[test]
fn inside_tmux_it_is_said_how_to_go_back() {
    let world = world();
    fs::write(world.root().join("home/.tmux.conf"), "set -g prefix C-a\n").unwrap();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &[]);
    let script = format!("{} attach {}; echo back again; cat", env!("CARGO_BIN_EXE_agency"), text(&run, "id"));
    let mut own = world.program("env");
    own.args(["-u", "TMUX", "tmux", "-S"]).arg(world.socket()).args(["new-session", "-s", "own", &script]);
    let terminal = world.terminal_with(&own);
    terminal.wait_for_text("C-a L goes back to your session, and the agent continues");
    terminal.send_keys(&["C-a", "L"]);
    terminal.wait_for_text("back again");
    assert_eq!(world.json(&["show", text(&run, "id")])["data"]["state"], "running");
}

// proves L13
#[test]
fn a_detached_run_is_attached_through_its_own_terminal_and_left_by_a_key() {
    let world = world();
    let repo = world.repo("project");
    world.agent("talking", talking());
    let run = start(&world, &repo, "talking", &["--host", "detached"]);
    let first = world.terminal(&["attach", text(&run, "id")]);
    first.wait_for_text("who are you?");
    first.type_text("ada");
    first.send_keys(&["Enter"]);
    first.wait_for_text("hello ada");
    first.send_keys(&["C-\\"]);
    assert_eq!(first.wait_for_exit(), 0);
    let second = world.terminal(&["attach", text(&run, "id")]);
    second.wait_for_text("hello ada");
    second.type_text("bob");
    second.send_keys(&["Enter"]);
    assert_eq!(second.wait_for_exit(), 0);
    assert_eq!(end(&world, &run)["state"], "completed");
    let log = world.ok(&["logs", "--stdout", text(&run, "id")]).stdout;
    assert!(log.ends_with("bye bob\n"), "{log:?}");
}

/// Agents turn on the mouse, reports of the focus and more, and hide the cursor; they have no chance to take that back.
#[test]
fn leaving_a_detached_run_restores_the_modes_of_the_terminal_and_leaves_the_screen_readable() {
    let world = world();
    let repo = world.repo("project");
    let screen =
        r"\033[?1049h\033[?1003h\033[?1006h\033[?1004h\033[?2004h\033[?25l\033[?1h\033=\033[2J\033[3;9Hdrawn words";
    world.agent("drawing", agency_testkit::Agent::new(format!("printf '{screen}'; cat >/dev/null")));
    let run = start(&world, &repo, "drawing", &["--host", "detached", "--name", "drawer"]);
    let terminal = world.terminal(&["attach", text(&run, "id")]);
    terminal.wait_for_text("drawn words");
    terminal.send_keys(&["C-\\"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let shown = terminal.screen();
    assert!(shown.lines().any(|line| line == "detached from drawer; it is still running"), "{shown}");
    assert_eq!(terminal.modes(), super::terminal_reading::untouched(&world));
}

// proves L13, L18
#[test]
fn a_session_that_is_gone_is_said_so_and_the_agent_can_still_be_reached() {
    let world = world();
    let repo = world.repo("project");
    world.agent("talking", talking());
    let run = start(&world, &repo, "talking", &[]);
    let id = text(&run, "id");
    world.tmux(&["kill-session", "-t", &format!("=agency_{id}")]);
    let error = world.error(&["attach", id], ErrorCode::TmuxSessionNotFound);
    assert_eq!(text(&error, "hint"), format!("its agent is running: agency attach --direct {id}"));
    let terminal = world.terminal(&["attach", "--direct", id]);
    terminal.wait_for_text("who are you?");
    terminal.send_keys(&["C-\\"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_finished_detached_run_has_nothing_to_attach_to() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached"]);
    end(&world, &run);
    world.error(&["attach", text(&run, "id")], ErrorCode::InvalidState);
}
