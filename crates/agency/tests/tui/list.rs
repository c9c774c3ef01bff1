//! The list of runs: what stands in it, and how it is filtered, folded, sorted and grouped.

use super::fixture::{finished, screen, waiting, world};

/// The number of the line of the list with that text.
fn line_of(screen: &str, text: &str) -> usize {
    let listed = |line: &str| {
        line.trim_start_matches(['│', '╭', ' ']).split(['│', '╮']).next().unwrap_or_default().contains(text)
    };
    screen.lines().position(listed).unwrap_or_else(|| panic!("no {text} in\n{screen}"))
}

#[test]
fn the_screen_opens_without_arguments_and_lists_runs_with_their_state_repository_and_agent() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = world.terminal(&[]);
    let shown = terminal.wait_for_text("kitchen");
    let line = shown.lines().nth(line_of(&shown, "kitchen")).unwrap();
    assert!(line.contains("waiting"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("│ project")), "{shown}");
    assert!(shown.contains("1 live"), "{shown}");
    terminal.send_keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn finished_runs_are_folded_until_they_are_asked_for() {
    let (world, repo) = world();
    finished(&world, &repo, "cellar");
    waiting(&world, &repo, "attic");
    let terminal = screen(&world, "attic");
    let folded = terminal.wait_for_text("1 finished");
    assert!(!folded.contains("cellar"), "{folded}");
    terminal.send_keys(&["f"]);
    terminal.wait_for_text("cellar");
    terminal.send_keys(&["f"]);
    terminal.wait_until("no cellar", |screen| !screen.contains("cellar"));
    // The line that stands for them can be opened too.
    terminal.send_keys(&["G", "Enter"]);
    terminal.wait_for_text("cellar");
}

#[test]
fn a_filter_leaves_what_has_all_its_words_folded_or_not() {
    let (world, repo) = world();
    finished(&world, &repo, "red cellar");
    waiting(&world, &repo, "red attic");
    waiting(&world, &repo, "blue attic");
    let terminal = screen(&world, "blue attic");
    terminal.send_keys(&["/"]);
    terminal.type_text("red");
    let shown = terminal.wait_until("the red ones", |screen| screen.contains("red cellar") && !screen.contains("blue"));
    assert!(shown.contains("red attic"), "{shown}");
    terminal.type_text(" completed");
    terminal.wait_until("one run", |screen| screen.contains("red cellar") && !screen.contains("attic"));
    // Letters that are keys elsewhere are only letters here.
    terminal.type_text(" zq");
    terminal.wait_for_text("No run matches the filter");
    terminal.send_keys(&["Escape"]);
    terminal.wait_for_text("blue attic");
}

#[test]
fn runs_are_sorted_and_grouped_as_the_user_likes() {
    let (world, repo) = world();
    waiting(&world, &repo, "bbb");
    waiting(&world, &world.repo("another"), "aaa");
    let terminal = screen(&world, "aaa");
    let shown = terminal.wait_for_text("bbb");
    assert!(line_of(&shown, "another") < line_of(&shown, "aaa"), "{shown}");
    assert!(line_of(&shown, "aaa") < line_of(&shown, "bbb"), "{shown}");
    terminal.send_keys(&["b"]);
    terminal.wait_for_text("without a workflow");
    terminal.send_keys(&["b"]);
    let flat = terminal.wait_until("no groups", |screen| !screen.contains("without a workflow"));
    assert!(line_of(&flat, "aaa") < line_of(&flat, "bbb"), "newest first:\n{flat}");
    terminal.send_keys(&["s", "s"]);
    terminal.wait_for_text("sorted by name");
}

#[test]
fn what_happens_elsewhere_is_seen_without_a_key() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    let terminal = screen(&world, "1 live");
    world.ok(&["stop", &run.id]);
    terminal.wait_for_text("0 live");
    waiting(&world, &repo, "garden");
    terminal.wait_for_text("garden");
    world.ok(&["rm", &run.id]);
    terminal.wait_for_text("0 finished");
}

/// Not only agents with a stream of events print something.
#[test]
fn the_output_of_an_agent_that_prints_text_is_shown() {
    let (world, repo) = world();
    world.agent("printing", agency_testkit::Agent::new(r"printf 'plain words\n\033[2Jhidden\n'; sleep 3600"));
    world.begin(&repo, "printing", &["--host", "detached", "--mode", "headless", "--name", "talker"]);
    let terminal = screen(&world, "talker");
    let shown = terminal.wait_for_text("plain words");
    assert!(shown.contains("hidden") && !shown.contains("No output"), "{shown}");
}

/// Also those by the command line, before the screen was opened; each is named before it is restored.
#[test]
fn removals_are_undone_from_the_last_one_on() {
    let (world, repo) = world();
    world.agent("writer", agency_testkit::Agent::new("echo work >work.txt"));
    for name in ["pantry", "cellar"] {
        let run = world.begin(&repo, "writer", &["--host", "detached", "--mode", "headless", "--name", name]);
        world.ended(&run);
        assert!(world.agency(&["rm", name]).status.success());
    }
    finished(&world, &repo, "idle");
    assert!(world.agency(&["rm", "idle"]).status.success(), "it holds nothing to restore");
    waiting(&world, &repo, "attic");
    let terminal = screen(&world, "attic");
    for name in ["cellar", "pantry"] {
        terminal.send_keys(&["u"]);
        terminal.wait_for_text(&format!("Restore the work of {name}?"));
        terminal.send_keys(&["y"]);
        terminal.wait_for_text(&format!("the work of {name} is on the branch agency/restored-"));
    }
    terminal.send_keys(&["u"]);
    terminal.wait_for_text("no removed run has saved work");
    let branches = repo.git(&["branch", "--list", "agency/restored-*", "--format=%(refname:short)"]);
    assert_eq!(branches.lines().count(), 2, "{branches}");
    assert!(branches.lines().all(|branch| repo.git(&["show", &format!("{branch}:work.txt")]).trim() == "work"));
}
