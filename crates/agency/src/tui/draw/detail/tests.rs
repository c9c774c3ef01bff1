use std::sync::Arc;

use agency_engine::watch::WatchedScreen;
use agency_model::patch::Patch;
use agency_model::run::{Reason, State as RunState};
use agency_model::{Event, EventLine};
use agency_system::process::TerminalSize;
use proptest::prelude::*;
use ratatui::backend::TestBackend;
use ratatui::text::Line;
use serde_json::json;

use crate::output::readable;
use crate::tui::detail::fixture::{DetailFixture, NOW, whole};
use crate::tui::detail::{Ask, Content, Load, Paragraph, Screen, Tab, log_line};
use crate::tui::effect::Effect;
use crate::tui::input::Input;
use crate::tui::theme::{Role, Theme};
use crate::tui::update::update;

const SIZES: [(u16, u16); 3] = [(40, 10), (100, 30), (160, 45)];

fn events() -> Vec<EventLine> {
    let output = "test login ... FAILED\n\nfailures:\n    login\n".into();
    let bash = || "Bash".to_owned();
    let id = |id: &str| Some(id.to_owned());
    let all = vec![
        Event::StateChange { from: None, to: RunState::Queued },
        Event::Attempt { program: "claude".to_owned(), pid: 4711, logs_from: agency_model::LogOffsets::default() },
        Event::output("I look at the tests first, since they say what the login is "),
        Event::output("supposed to do.\n\nThen I change it."),
        Event::ToolUse {
            tool_name: bash(),
            input: json!({"command": "cargo test login"}),
            tool_id: id("1"),
            parent_tool_id: None,
        },
        Event::ToolResult { tool_name: bash(), output, success: false, tool_id: id("1"), parent_tool_id: None },
        Event::ToolUse {
            tool_name: "Edit".to_owned(),
            input: json!({"file_path": "src/login.rs", "old": "a", "new": "b"}),
            tool_id: id("2"),
            parent_tool_id: None,
        },
        Event::ToolResult {
            tool_name: "Edit".to_owned(),
            output: String::new().into(),
            success: true,
            tool_id: id("2"),
            parent_tool_id: None,
        },
        Event::Message { text: "Please keep the old error message.".to_owned() },
        Event::Error { message: "the model is overloaded".to_owned() },
        Event::ToolUse {
            tool_name: bash(),
            input: json!({"command": "cargo test"}),
            tool_id: id("3"),
            parent_tool_id: None,
        },
    ];
    let line = |(seq, event)| EventLine { seq, at: NOW, attempt: 1, event };
    (1..).zip(all).map(line).collect()
}

fn talk() -> Content {
    Content::Transcript(whole(events().into_iter().map(Arc::new).collect()))
}

const PATCH: &[u8] = b"diff --git a/src/login.rs b/src/login.rs
index 1..2 100644
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,3 +1,4 @@ fn login()
 one
-two
+2
+\tthree
 four
diff --git a/old.png b/new.png
similarity index 90%
rename from old.png
rename to new.png
Binary files a/old.png and b/new.png differ
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-last words
\\ No newline at end of file
";

fn info() -> Content {
    let paragraph = |name: &str, text: &str, role| Paragraph { name: name.to_owned(), text: text.to_owned(), role };
    Content::Info(vec![
        paragraph("run", "r_01JAAAAAAAAAAAAAAAAAAAAAAA", Role::Plain),
        paragraph("repository", "/repos/shop", Role::Plain),
        paragraph("error", "E_AGENT_FAILED: the agent says that it cannot go on without a key", Role::Plain),
        paragraph("", "", Role::Plain),
        paragraph("", "Prompt", Role::Title),
        paragraph("", "Fix the login.", Role::Plain),
    ])
}

fn logs() -> Content {
    let lines: [&[u8]; 4] =
        [b"\x1b[32mok\x1b[0m\tbuilt in 3 s\n", b"10%\r50%\r100%\n", b"\x1b[2K\x1b]0;title\x07plain\n", &[b'x'; 300]];
    Content::Lines(Load { half: Some(log_line(b"not yet")), ..whole(lines.into_iter().map(log_line).collect()) })
}

fn screen(over: bool) -> Content {
    let mut screen = WatchedScreen::new(TerminalSize::new(12, 50).unwrap(), 100);
    for number in 1..=30 {
        screen.feed(format!("\r\nline {number}").as_bytes());
    }
    screen.feed("\x1b[2J\x1b[H\x1b[1mAgent\x1b[0m 漢字\r\n\x1b[31mred\x1b[0m\x1b[12;1H> type here".as_bytes());
    Content::Screen(Box::new(Screen::new(screen, over)))
}

fn content(tab: Tab) -> Content {
    match tab {
        Tab::Output => talk(),
        Tab::Diff => Content::Diff(Patch::read(PATCH), None),
        Tab::Events => Content::Lines(whole(events().iter().map(|line| Line::raw(readable(line, true))).collect())),
        Tab::Logs => logs(),
        Tab::Info => info(),
    }
}

fn told(size: (u16, u16), tab: Tab, content: Content) -> DetailFixture {
    let mut stage = DetailFixture::new(size, tab);
    stage.tell(content);
    stage
}

#[test]
fn every_tab_at_every_size() {
    for size in SIZES {
        for tab in Tab::ALL {
            let name = format!("{}_{}x{}", tab.title().to_lowercase(), size.0, size.1);
            insta::assert_snapshot!(name, told(size, tab, content(tab)).draw());
        }
        insta::assert_snapshot!(format!("screen_{}x{}", size.0, size.1), told(size, Tab::Output, screen(false)).draw());
    }
}

#[test]
fn a_call_is_unfolded_by_key_and_by_click() {
    let mut stage = told((60, 20), Tab::Output, talk());
    stage.press("K ");
    insta::assert_snapshot!(stage.draw());
    let unfolded = text(&stage.draw());
    stage.press(" ");
    let row =
        (0..20).find(|row| text(&stage.draw()).lines().nth(*row).is_some_and(|line| line.contains("cargo test …")));
    let column = 3;
    let click = crossterm::event::MouseEvent {
        kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
        column,
        row: u16::try_from(row.unwrap()).unwrap(),
        modifiers: crossterm::event::KeyModifiers::NONE,
    };
    update(&mut stage.state, Input::Mouse(click));
    assert_eq!(text(&stage.draw()), unfolded);
}

#[test]
fn files_fold_to_an_overview() {
    let mut stage = told((60, 12), Tab::Diff, content(Tab::Diff));
    stage.press("o");
    insta::assert_snapshot!(stage.draw());
}

#[test]
fn who_scrolls_up_a_screen_sees_what_was_there() {
    let mut stage = told((60, 10), Tab::Output, screen(true));
    stage.press("kkk");
    assert!(text(&stage.draw()).contains("3 lines up"));
    stage.press("g");
    assert!(text(&stage.draw()).contains("line 1 "), "{}", text(&stage.draw()));
    stage.press("G");
    assert!(text(&stage.draw()).contains("> type here"));
}

#[test]
fn the_beginning_of_a_long_file_is_asked_for_and_the_end_too() {
    let mut stage = DetailFixture::new((60, 12), Tab::Logs);
    let piece = |number: u64| crate::tui::detail::Piece { start: number * 10, item: Line::raw(format!("l{number}")) };
    let load = |ask, from: u64, to: u64, more| {
        Content::Lines(Load {
            ask,
            start: from * 10,
            end: to * 10,
            pieces: (from..to).map(piece).collect(),
            half: None,
            more,
            length: 10_000,
        })
    };
    assert_eq!(stage.tell(load(Ask::Tail, 500, 1000, false)), []);
    let asks = |effects: Vec<Effect>| -> Vec<Ask> {
        let ask = |effect| {
            let Effect::Page(request) = effect else { return None };
            Some(request.ask)
        };
        effects.into_iter().filter_map(ask).collect()
    };
    assert_eq!(asks(stage.press("g")), [Ask::First]);
    stage.tell(load(Ask::First, 0, 400, true));
    assert!(text(&stage.draw()).contains("l0 "));
    assert_eq!(asks(stage.press("G")), [Ask::Last]);
    stage.tell(load(Ask::Last, 600, 1000, false));
    let shown = text(&stage.draw());
    assert!(shown.contains("l999 ") && shown.contains("following"), "{shown}");
}

fn text(backend: &TestBackend) -> String {
    backend.to_string()
}

/// Anything that a reader may send.
fn any_content() -> impl Strategy<Value = (Tab, u8, String)> {
    let tab = prop::sample::select(Tab::ALL.to_vec());
    (tab, 0u8..4, "[a-z 漢é\u{301}\n\t😀👨‍👩‍👧]{0,200}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_size_and_no_content_is_too_much(
        width in 1u16..=200,
        height in 1u16..=60,
        later in (1u16..=200, 1u16..=60),
        (tab, kind, words) in any_content(),
        keys in "[jkgGJK o1-5]{0,30}",
        unicode in any::<bool>(),
    ) {
        let mut stage = DetailFixture::new((200, 60), tab);
        stage.state.theme = Theme::ansi(unicode, unicode);
        stage.state.size = (width, height);
        let line = |event| Arc::new(EventLine { seq: 1, at: NOW, attempt: 1, event });
        let told = match (tab, kind) {
            (_, 0) => Content::Nothing(words.clone()),
            (Tab::Output, 1) => screen(unicode),
            (Tab::Output, _) => Content::Transcript(whole(vec![
                line(Event::output(words.clone())),
                line(Event::ToolUse { tool_name: words.clone(), input: json!({"a": words}), tool_id: None, parent_tool_id: None }),
                line(Event::ToolResult { tool_name: words.clone(), output: words.clone().into(), success: false, tool_id: None, parent_tool_id: None }),
                line(Event::Message { text: words.clone() }),
                line(Event::Completed {
                    state: RunState::Failed,
                    exit_code: None,
                    reason: Reason::Exited,
                    error: Some(words.clone()),
                }),
            ])),
            (Tab::Diff, 1) => Content::Diff(Patch::read(words.as_bytes()), None),
            (Tab::Logs, _) => Content::Lines(whole(words.lines().map(|line| log_line(line.as_bytes())).collect())),
            (tab, _) => content(tab),
        };
        stage.tell(told);
        for key in keys.chars() {
            stage.press(&key.to_string());
            stage.draw();
        }
        update(&mut stage.state, Input::Resize(later.0, later.1));
        stage.draw();
    }
}

/// The rows of the screen, as text.
fn rows(fixture: &DetailFixture) -> Vec<String> {
    let backend = fixture.draw();
    let buffer = backend.buffer();
    let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol().to_owned()).collect();
    (0..buffer.area.height).map(row).collect()
}

#[test]
fn a_text_is_found_in_a_tab_forwards_and_backwards_and_marked() {
    let mut fixture = DetailFixture::new((60, 10), Tab::Logs);
    let lines = (0..100).map(|number| log_line(format!("Line {number}\n").as_bytes())).collect();
    fixture.tell(Content::Lines(whole(lines)));
    let enter = Input::Key(crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Enter));
    fixture.press("g/line 42");
    assert!(rows(&fixture).last().unwrap().starts_with("find line 42"), "{:?}", rows(&fixture));
    update(&mut fixture.state, enter);
    assert!(rows(&fixture).iter().any(|row| row.contains("Line 42")), "{:?}", rows(&fixture));
    let backend = fixture.draw();
    let marked = |cell: &ratatui::buffer::Cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED);
    let marks: String =
        backend.buffer().content().iter().filter(|cell| marked(cell)).map(ratatui::buffer::Cell::symbol).collect();
    assert!(marks.contains("Line 42"), "{marks}");
    // The search goes around the ends, and a letter that means something elsewhere starts nothing here.
    fixture.press("n");
    assert!(fixture.state.overlays.is_empty());
    assert!(rows(&fixture).iter().any(|row| row.contains("Line 42")));
    fixture.press("N/");
    let escape = Input::Key(crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Esc));
    update(&mut fixture.state, escape);
    fixture.press("n");
    assert_eq!(crate::tui::fixture::said(&fixture.state), "nothing is looked for: / begins");
}

#[test]
fn a_key_gives_the_tabs_the_whole_width_and_a_wide_diff_stands_side_by_side() {
    let mut fixture = DetailFixture::new((180, 12), Tab::Diff);
    fixture.tell(Content::Diff(Patch::read(PATCH), None));
    let beside = |fixture: &DetailFixture| rows(fixture).iter().any(|row| row.matches('│').count() == 1);
    let listed =
        |fixture: &DetailFixture| rows(fixture)[2..].iter().filter(|row| row.chars().nth(81) == Some('│')).count();
    assert!(listed(&fixture) > 5, "the list stands beside the tabs: {:#?}", rows(&fixture));
    fixture.press("z");
    assert_eq!(listed(&fixture), 0, "{:#?}", rows(&fixture));
    assert!(beside(&fixture), "{:#?}", rows(&fixture));
    fixture.press("z");
    assert!(listed(&fixture) > 5);
}

/// A screen that is wider than its place, with a history.
fn wide_screen() -> Content {
    let mut screen = WatchedScreen::new(TerminalSize::new(10, 120).unwrap(), 100);
    for number in 0..40 {
        screen.feed(format!("line {number} {} the right edge\r\n", "x".repeat(90)).as_bytes());
    }
    screen.feed("日本語 e\u{301}nd".as_bytes());
    Content::Screen(Box::new(Screen::new(screen, false)))
}

#[test]
fn a_wide_screen_is_read_to_its_right_edge_and_back() {
    let mut stage = DetailFixture::new((100, 30), Tab::Output);
    stage.tell(wide_screen());
    let shown = |stage: &DetailFixture| stage.draw().to_string();
    assert!(!shown(&stage).contains("right edge"), "{}", shown(&stage));
    assert!(shown(&stage).contains("L: more"), "{}", shown(&stage));
    stage.press("LLLLLLLL");
    assert!(shown(&stage).contains("the right edge"), "{}", shown(&stage));
    assert!(shown(&stage).contains("col 71"), "{}", shown(&stage));
    stage.press("HHHHHHHH");
    assert!(shown(&stage).contains("line 35"), "{}", shown(&stage));
    assert!(shown(&stage).contains("日本語"), "{}", shown(&stage));
}

#[test]
fn a_text_is_found_on_a_screen_and_in_what_has_scrolled_out_of_it() {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    let mut stage = DetailFixture::new((100, 30), Tab::Output);
    stage.tell(wide_screen());
    stage.press("/line 7 ");
    update(&mut stage.state, Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    assert!(stage.draw().to_string().contains("line 7 "), "{}", stage.draw());
    assert_eq!(stage.state.said, None);
    stage.press("n");
    assert!(stage.draw().to_string().contains("line 7 "), "around the end: {}", stage.draw());
    stage.press("G/nowhere");
    update(&mut stage.state, Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    assert!(stage.draw().to_string().contains("nowhere' was not found"), "{}", stage.draw());
}

#[test]
fn a_cut_line_of_a_log_is_read_to_its_end_in_whole_characters() {
    let mut stage = DetailFixture::new((100, 30), Tab::Logs);
    let line = format!("{}日本語{} the end", "x".repeat(39), "y".repeat(40));
    stage.tell(Content::Lines(whole(vec![Line::from(line)])));
    assert!(!stage.draw().to_string().contains("the end"));
    stage.press("LL");
    // The column 40 is the second half of a wide character.
    let shown = stage.draw().to_string();
    assert!(shown.contains("│  本語y"), "{shown}");
    stage.press("L");
    let shown = stage.draw().to_string();
    assert!(shown.contains("the end"), "{shown}");
}
