//! Manners: small terminals, few colours, no terminal at all.

use agency_model::ErrorCode;

use super::fixture::{screen, screen_with, waiting, world};

#[test]
fn the_help_lists_the_keys_of_the_table_and_scrolls() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = screen(&world, "kitchen");
    terminal.send_keys(&["?"]);
    let help = terminal.wait_for_text("List of runs");
    assert!(help.contains("attach to its terminal"), "{help}");
    terminal.send_keys(&["G"]);
    terminal.wait_for_text("quit; runs continue");
    terminal.send_keys(&["Escape"]);
    terminal.wait_for_text("kitchen");
}

#[test]
fn it_fits_a_terminal_of_forty_by_ten_and_any_size_that_comes() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = screen(&world, "Output");
    terminal.resize(40, 10);
    let small =
        terminal.wait_until("the list alone", |screen| screen.contains("kitchen") && !screen.contains("Output"));
    assert!(small.lines().all(|line| line.chars().count() <= 40), "{small}");
    terminal.send_keys(&["Enter"]);
    terminal.wait_until("the tabs alone", |screen| screen.contains("Output") && !screen.contains("1 live · x"));
    terminal.resize(3, 2);
    terminal.resize(150, 40);
    terminal.wait_until("both", |screen| {
        screen.contains("Output") && screen.contains("1 live") && screen.contains("project")
    });
    terminal.send_keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn without_colours_nothing_is_coloured_and_everything_is_said() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = screen_with(&world, &["NO_COLOR=1"], &["tui"]);
    terminal.wait_for_text("kitchen");
    let shown = terminal.coloured_screen();
    let coloured = (30..=37).chain(90..=97).any(|colour| shown.contains(&format!("\u{1b}[{colour}m")));
    assert!(!coloured, "{shown:?}");
    let plain = screen(&world, "kitchen").coloured_screen();
    assert!(plain.contains("\u{1b}["), "{plain:?}");
}

#[test]
fn only_letters_that_the_terminal_knows_are_used() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = screen_with(&world, &["LANG=C", "LC_ALL=C"], &["tui"]);
    let shown = terminal.wait_for_text("kitchen");
    assert!(shown.is_ascii(), "{shown}");
}

#[test]
fn no_screen_without_a_terminal() {
    let (world, _repo) = world();
    let error = world.error(&["tui"], ErrorCode::Usage);
    assert!(error["message"].as_str().unwrap().contains("JSON"), "{error}");
    let plain = world.agency(&["tui"]);
    assert!(plain.stderr.contains("needs a terminal"), "{plain}");
    let bare = world.agency(&[]);
    assert_eq!(bare.status.code(), Some(2), "{bare}");
    assert!(bare.stderr.starts_with("error: no command: without one agency opens the TUI"), "{bare}");
    assert!(bare.stderr.contains("Usage: agency"), "{bare}");
    let dumb = screen_with(&world, &["TERM=dumb"], &["tui"]);
    dumb.wait_for_text("can move its cursor");
    assert_eq!(dumb.wait_for_exit(), 2);
}

#[test]
fn no_key_is_lost_however_fast_they_come() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    // Typed before there is a screen, and all at once.
    let terminal = world.terminal(&["tui"]);
    let words = "the quick brown fox jumps over the lazy dog and back again 0123456789";
    terminal.type_text(&format!("/{words}"));
    terminal.wait_for_text(&format!("/{words}"));
    for size in [(90, 20), (130, 35), (120, 30)] {
        // A key that comes together with a new size.
        terminal.resize(size.0, size.1);
        terminal.type_text("!");
    }
    terminal.wait_for_text(&format!("/{words}!!!"));
}

#[test]
fn the_mouse_selects_on_a_real_terminal_unless_it_is_left_alone() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let modes = |terminal: &agency_testkit::Terminal| terminal.mouse_modes();
    let terminal = screen(&world, "kitchen");
    assert_eq!(modes(&terminal), "1 1", "clicks, in the form that has no limits");
    let without = world.terminal(&["tui", "--no-mouse"]);
    without.wait_for_text("kitchen");
    assert_eq!(modes(&without), "0 0");
    // A click on a tab, as a terminal sends it.
    let shown = terminal.screen();
    let tabs = shown.lines().find(|line| line.contains("Diff")).unwrap();
    let column = tabs.split("Diff").next().unwrap().chars().count() + 1;
    terminal.type_text(&format!("\u{1b}[<0;{column};2M"));
    terminal.wait_for_text("Nothing changed yet");
}

#[test]
fn the_theme_and_own_colours_are_those_of_the_configuration() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    world.configure("\n[tui]\ntheme = \"light\"\ncolors = { accent = \"#123456\" }\n");
    let shown = screen(&world, "kitchen").coloured_screen();
    assert!(shown.contains("38;2;18;52;86"), "the name of the program: {shown:?}");
    assert!(shown.contains("48;5;254"), "what is selected: {shown:?}");
    world.configure("urgent = \"purple\"\n");
    let refused = world.agency(&["tui"]);
    assert_eq!(refused.status.code(), Some(2), "{refused}");
}

#[test]
fn the_terminal_reports_its_focus_while_the_screen_is_open() {
    let (world, repo) = world();
    waiting(&world, &repo, "kitchen");
    let terminal = screen(&world, "kitchen");
    // As a terminal reports it; neither is a key.
    terminal.type_text("\u{1b}[O\u{1b}[I");
    terminal.send_keys(&["?"]);
    terminal.wait_for_text("List of runs");
    terminal.send_keys(&["Escape"]);
    terminal.wait_for_text("kitchen");
    terminal.send_keys(&[":"]);
    terminal.type_text("quit");
    terminal.wait_for_text("quit; runs continue");
    terminal.send_keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
