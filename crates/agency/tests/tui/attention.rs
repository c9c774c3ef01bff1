//! What needs the user is on top, and stays there until it was seen, also by the next screen.

use agency_testkit::{agent, wait_for};

use super::fixture::{LIMIT, finished, screen, waiting, world};

#[test]
fn a_failure_is_visible_until_it_was_seen_and_the_next_screen_remembers_it() {
    let (world, repo) = world();
    waiting(&world, &repo, "attic");
    let first = screen(&world, "attic");
    first.send_keys(&["q"]);
    assert_eq!(first.wait_for_exit(), 0);
    world.agent("failing", agent::failing(3));
    let run = world.begin(&repo, "failing", &["--host", "detached", "--mode", "headless", "--name", "cellar"]);
    world.ended(&run);
    finished(&world, &repo, "roof");
    let terminal = screen(&world, "failed since you last looked");
    let shown = terminal.wait_for_text("cellar");
    let line = |text: &str| shown.lines().position(|line| line.contains(text)).unwrap();
    assert!(line("cellar") < line("attic"), "{shown}");
    assert!(!shown.contains("roof"), "what completed is folded: {shown}");
    // The cursor is on it already.
    terminal.send_keys(&["v"]);
    terminal.wait_until("no failures", |screen| !screen.contains("failed since"));
    terminal.send_keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let again = screen(&world, "attic");
    let shown = again.wait_for_text("2 finished");
    assert!(!shown.contains("failed since"), "{shown}");
}

/// A session that is blocked needs a decision, also where no agent of it failed.
#[test]
fn a_blocked_session_is_among_the_failures_until_it_was_seen() {
    let (world, repo) = world();
    waiting(&world, &repo, "attic");
    let first = screen(&world, "attic");
    first.send_keys(&["q"]);
    assert_eq!(first.wait_for_exit(), 0);
    let file = world.root().join("workflow.yaml");
    std::fs::write(&file, "name: tidy-up\nsteps:\n  - { name: lint, type: script, command: exit 3 }\n").unwrap();
    let mut begin = world.command(&["--json", "workflow", "run", file.to_str().unwrap(), "--detach"]);
    let begun = world.run(begin.current_dir(&repo.path)).object();
    let session = begun["data"]["session"].as_str().unwrap().to_owned();
    wait_for("the session is blocked", LIMIT, || {
        let shown = world.json(&["workflow", "show", &session])["data"].take();
        (shown["state"] == "blocked" && shown["driven"] == false).then_some(())
    });
    let terminal = screen(&world, "failed since you last looked");
    let shown = terminal.wait_for_text("tidy-up");
    let line = |text: &str| shown.lines().position(|line| line.contains(text)).unwrap();
    assert!(line("failed since") < line("tidy-up") && line("tidy-up") < line("attic"), "{shown}");
    terminal.send_keys(&["v"]);
    terminal.wait_until("no failures", |screen| !screen.contains("failed since"));
}

#[test]
fn a_text_is_found_in_the_tabs_of_a_run_on_a_real_terminal() {
    let (world, repo) = world();
    world.agent("printing", agency_testkit::Agent::new("seq -f 'line %g' 1 300; sleep 3600"));
    world.begin(&repo, "printing", &["--host", "detached", "--mode", "headless", "--name", "talker"]);
    let terminal = screen(&world, "line 300");
    terminal.send_keys(&["Enter", "/"]);
    terminal.type_text("LINE 17");
    terminal.send_keys(&["Enter"]);
    terminal.wait_for_text("'LINE 17' was not found");
    terminal.send_keys(&["/", "C-u"]);
    terminal.type_text("line 17");
    terminal.send_keys(&["Enter"]);
    terminal.wait_until("line 17", |screen| {
        screen.lines().any(|line| line.trim_end_matches(['│', ' ']).ends_with("line 17"))
    });
    terminal.send_keys(&["n"]);
    terminal.wait_until("the next match", |screen| screen.contains("line 170"));
}
