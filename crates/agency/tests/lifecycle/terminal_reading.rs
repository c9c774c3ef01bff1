//! `logs`, `diff`, `show` and `events` on a real terminal: readable, through a pager, and without a trace in its modes.

use agency_testkit::agent::Agent;
use agency_testkit::{World, conversation};

use super::{end, start, text, world};

/// Everything that a program on a terminal can leave behind: mouse, alternate screen, hidden cursor, keypad.
const MODES: &str = r"\033[?1049h\033[?1003h\033[?1006h\033[?25l\033[?1h\033=\033[2J\033[H";

/// An agent whose screen has words that only the cursor keeps apart.
fn on_screen() -> Agent {
    Agent::new(format!(r"printf '{MODES}'; printf 'Fix\033[1Cthe\033[1Clogin\033[3;1Hsecond line'; cat >/dev/null"))
}

fn finished(world: &World, name: &str, agent: Agent, mode: &str) -> String {
    let repo = world.repo("project");
    world.agent(name, agent);
    let run = start(world, &repo, name, &["--mode", mode, "--host", "detached"]);
    end(world, &run);
    text(&run, "id").to_owned()
}

/// The modes of a terminal on which nothing was shown.
pub(super) fn untouched(world: &World) -> String {
    let terminal = world.terminal(&["--version"]);
    terminal.wait_for_exit();
    terminal.modes()
}

#[test]
fn the_log_of_an_interactive_agent_is_its_screen_as_text() {
    let world = world();
    let agent = Agent::new(format!(r"printf '{MODES}'; printf 'Fix\033[1Cthe\033[1Clogin\033[3;1Hsecond\302\240line'"));
    let id = finished(&world, "drawing", agent, "interactive");
    let terminal = world.terminal(&["logs", &id]);
    let screen = terminal.wait_for_text("second line");
    assert!(screen.contains("Fix the login"), "{screen}");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(terminal.modes(), untouched(&world));
    let clean = world.ok(&["logs", "--clean", &id]).stdout;
    assert!(clean.contains("Fix the login\nsecond\u{a0}line"), "{clean:?}");
    let piped = world.ok(&["logs", &id]).stdout;
    assert_eq!(piped, world.ok(&["logs", "--raw", &id]).stdout);
    assert!(piped.contains("\u{1b}[?1049h\u{1b}[?1003h"), "a pipe gets every byte: {piped:?}");
    assert!(world.ok(&["logs", "--transcript", &id]).stdout.contains("Fix the login"));
}

#[test]
fn the_screen_of_a_live_agent_leaves_the_terminal_as_it_was() {
    let world = world();
    let repo = world.repo("project");
    world.agent("drawing", on_screen());
    let run = start(&world, &repo, "drawing", &["--mode", "interactive", "--host", "detached"]);
    let id = text(&run, "id");
    let terminal = world.terminal(&["logs", id]);
    let screen = terminal.wait_until("its screen", |screen| screen.contains("second line"));
    assert!(screen.contains("Fix the login"), "{screen}");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(terminal.modes(), untouched(&world));
    world.ok(&["stop", id]);
}

#[test]
fn raw_bytes_reach_a_terminal_only_by_force() {
    let world = world();
    let id = finished(&world, "loud", Agent::new(format!("printf '{MODES}'; echo raw words")), "headless");
    let terminal = world.terminal(&["logs", "--raw", &id]);
    terminal.wait_for_text("add --force");
    assert_eq!(terminal.wait_for_exit(), 2);
    assert_eq!(terminal.modes(), untouched(&world));
    let forced = world.terminal(&["logs", "--raw", "--force", &id]);
    forced.wait_for_text("raw words");
    forced.wait_for_exit();
    assert_ne!(forced.modes(), untouched(&world), "the bytes are obeyed");
    // A text agent is shown as its log, in which nothing is obeyed.
    let shown = world.terminal(&["logs", &id]);
    shown.wait_for_text("raw words");
    shown.wait_for_exit();
    assert_eq!(shown.modes(), untouched(&world));
}

#[test]
fn the_log_of_a_headless_agent_is_its_transcript() {
    let world = world();
    let id = finished(&world, "brief", conversation::brief(), "headless");
    let transcript = world.ok(&["logs", "--transcript", &id]).stdout;
    assert!(!transcript.contains("\"type\"") && transcript.contains("✓ the run is completed"), "{transcript}");
    let terminal = world.terminal(&["logs", &id]);
    let screen = terminal.wait_for_text("the run is completed");
    assert!(!screen.contains("\"type\""), "{screen}");
    assert!(world.ok(&["logs", &id]).stdout.contains("\"type\""), "a pipe gets what the agent printed");
    terminal.wait_for_exit();
    assert_eq!(terminal.modes(), untouched(&world));
}

/// An agent that fails before its first event prints why on its standard error.
#[test]
fn what_a_structured_agent_complains_of_before_its_first_event_is_shown() {
    let world = world();
    let agent = Agent::new("echo invalid key >&2; exit 1").stream("claude").prompt("stdin");
    let id = finished(&world, "keyless", agent, "headless");
    assert!(world.ok(&["logs", "--transcript", &id]).stdout.contains("invalid key"));
}

#[test]
fn a_diff_has_colours_and_marked_words_on_a_terminal() {
    let world = world();
    let agent = Agent::new(r"sed -i 's/answer/reply/' src/lib.rs; printf 'x\033[2Jy\n' > new.txt");
    let id = finished(&world, "editing", agent, "headless");
    let terminal = world.terminal(&["diff", &id]);
    terminal.wait_for_text("reply");
    let coloured = terminal.coloured_screen();
    assert!(coloured.contains("\u{1b}[32m+"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[7mreply"), "the changed word is marked: {coloured:?}");
    assert!(coloured.contains("x\\x1b[2Jy"), "what an agent wrote is escaped: {coloured:?}");
    let stat = world.ok(&["diff", "--stat", &id]).stdout;
    assert_eq!(stat, " new.txt    |    1 +\n src/lib.rs |    2 +-\n 2 files changed, 2 lines added, 1 line removed\n");
    assert_eq!(world.ok(&["diff", "--name-only", &id]).stdout, "new.txt\nsrc/lib.rs\n");
    let tool = world.ok(&["diff", "--tool", "grep -c ^+", &id]).stdout;
    assert_eq!(tool.trim(), "4", "two headings and two lines");
    assert_eq!(world.agency(&["diff", "--tool", "no-such-program", &id]).status.code(), Some(2));
}

/// What a pager gets is escaped as for a terminal, and the pager may leave before the end.
#[test]
fn long_output_goes_through_the_pager_of_the_user() {
    let mut world = world();
    let seen = world.root().join("seen");
    let pager = world.root().join("pager.sh");
    let script = format!("#!/bin/sh\nhead -c 200000 > '{0}.part'\nmv '{0}.part' '{0}'\necho paged\n", seen.display());
    std::fs::write(&pager, script).unwrap();
    let agent = Agent::new(r"seq 1 500 > numbers.txt; printf 'x\033[2Jy\n' > new.txt; printf 'log \033[2J\n'");
    let id = finished(&world, "editing", agent, "headless");
    world.set_variable("PAGER", &format!("sh {}", pager.display()));
    for command in ["diff", "show", "logs", "events"] {
        let terminal = world.terminal(&[command, &id]);
        terminal.wait_for_text("paged");
        assert_eq!(terminal.wait_for_exit(), 0);
        let paged = std::fs::read_to_string(&seen).unwrap();
        assert!(!paged.contains("\u{1b}[2J"), "{command}: {paged:?}");
        if command == "diff" {
            assert!(paged.contains("+500") && paged.contains("\u{1b}[32m") && paged.contains("x\\x1b[2Jy"), "{paged}");
        }
        std::fs::remove_file(&seen).unwrap();
    }
    world.set_variable("PAGER", "true");
    assert_eq!(world.terminal(&["diff", &id]).wait_for_exit(), 0, "a pager may close its input at once");
    world.set_variable("PAGER", "cat");
    world.terminal(&["show", &id]).wait_for_text("repository");
}

/// A program of the configuration shows diffs on a terminal; it gets text in which nothing is obeyed.
#[test]
fn a_configured_program_shows_diffs_on_a_terminal() {
    let mut world = world();
    let agent = Agent::new(r"sed -i 's/answer/reply/' src/lib.rs; printf 'x\033[2Jy\n' > new.txt");
    let id = finished(&world, "editing", agent, "headless");
    let tools = world.root().join("tools");
    std::fs::create_dir(&tools).unwrap();
    // As difftastic, it gets two directories, and options before them.
    let difft = tools.join("difft");
    std::fs::write(&difft, "#!/bin/sh\necho compares $1 $2; shift 4; diff -r -u -N \"$@\" | grep '^[-+]'\n").unwrap();
    std::fs::set_permissions(&difft, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.set_variable("PAGER", "cat");
    world.set("diff_tool", &format!("\"{}\"", difft.display()));
    let terminal = world.terminal(&["diff", &id]);
    let screen = terminal.wait_for_text("compares --color always");
    terminal.wait_for_exit();
    let screen = format!("{screen}{}", terminal.screen());
    assert!(screen.contains("+x\\x1b[2Jy") && screen.contains("reply"), "{screen}");
    assert_eq!(terminal.modes(), untouched(&world));
    assert!(world.ok(&["diff", &id]).stdout.starts_with("diff --git"), "a pipe gets the diff of git");
    let unified = world.terminal(&["diff", "--layout", "unified", &id]);
    let screen = unified.wait_for_text("reply");
    assert!(!screen.contains("compares"), "{screen}");
}
