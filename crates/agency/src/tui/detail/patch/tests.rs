use std::path::Path;
use std::process::Command;

use agency_model::patch::ChangeKind;
use ratatui::style::Modifier;

use super::*;
use crate::tui::detail::scroll::Viewport;
use crate::tui::keys::Move;
use crate::tui::theme::Theme;

const VIEWPORT: Viewport = Viewport { width: 60, height: 5 };

fn git(directory: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]).args(arguments);
    command.current_dir(directory).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// What git says of files that were changed, made, deleted, renamed, and of those that are no text.
fn real_patch() -> Patch {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let write = |name: &str, text: &[u8]| std::fs::write(path.join(name), text).unwrap();
    git(path, &["init", "-q"]);
    write("changed", b"one\ntwo\n-- three\n");
    write("deleted", b"old\n");
    write("moved from", b"a\nb\nc\nd\ne\n");
    write("picture", b"\0\x01");
    write("script", b"run\n");
    git(path, &["add", "-A"]);
    git(path, &["commit", "-qm", "first"]);
    write("changed", b"one\n2\nend");
    write("a \"b\"\t", b"");
    write("n\u{e4}u", b"text\n");
    write("picture", b"\0\x02");
    std::fs::remove_file(path.join("deleted")).unwrap();
    std::fs::rename(path.join("moved from"), path.join("moved to")).unwrap();
    git(path, &["add", "-A"]);
    git(path, &["update-index", "--chmod=+x", "script"]);
    Patch::read(&git(path, &["diff", "--cached", "-M", "-p", "--no-color", "HEAD"]))
}

#[test]
fn everything_that_git_says_is_understood() {
    let patch = real_patch();
    let file = |path: &str| patch.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{patch:?}"));
    let changed = file("changed");
    assert_eq!((changed.added, changed.removed, &changed.kind), (2, 2, &ChangeKind::Changed));
    let lines: Vec<&str> = changed.lines.iter().map(|line| patch.line(line)).collect();
    assert_eq!(lines, ["@@ -1,3 +1,3 @@", " one", "-two", "--- three", "+2", "+end", "\\ No newline at end of file"]);
    assert_eq!((file("deleted").removed, file("deleted").description().unwrap().as_str()), (1, "deleted"));
    assert_eq!(file("moved to").kind, ChangeKind::Renamed("moved from".to_owned()));
    assert_eq!(file("moved to").title("→"), "moved from → moved to");
    assert_eq!(file("picture").description().unwrap(), "binary");
    assert_eq!(file("script").description().unwrap(), "mode 100644 to 100755");
    assert_eq!((&file("näu").kind, file("näu").added), (&ChangeKind::New, 1));
    assert_eq!(patch.files.len(), 7, "{patch:?}");
}

#[test]
fn names_that_git_quotes_are_read() {
    let patch = Patch::read(
        b"diff --git \"a/x \\\"y\\\"\\303\\244\" \"b/x \\\"y\\\"\\303\\244\"\nold mode 100644\nnew mode 100755\n\
          diff --git a/a b b/a b\nBinary files a/a b and b/a b differ\n",
    );
    let paths: Vec<&str> = patch.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["x \"y\"ä", "a b"]);
}

#[test]
fn what_is_no_patch_is_shown_as_it_stands() {
    for text in ["", "hello\nworld\n", "diff --git \n", "diff --git a\n@@\n", "diff --git \"a\n"] {
        let patch = Patch::read(text.as_bytes());
        let shown: usize = patch.files.iter().map(|file| file.lines.len()).sum();
        assert_eq!(shown, text.lines().filter(|line| !line.starts_with("diff")).count(), "{text:?}");
    }
}

#[test]
fn too_much_is_cut_with_a_note() {
    let line = format!("+{}\n", "x".repeat(99));
    let text = format!("diff --git a/x b/x\n@@ -0,0 +1 @@\n{}", line.repeat(200_000));
    let patch = Patch::read(text.as_bytes());
    assert!(patch.left_out > 0 && patch.text.len() + patch.left_out == text.len() && patch.text.ends_with('\n'));
    let changes = Changes { patch, ..Changes::default() };
    let row_style = RowStyle { width: 60, left: 0, theme: Theme::ansi(false, true) };
    let note = changes.rows(1, 0..1, row_style)[0].to_string();
    assert!(note.ends_with("more bytes are not shown; agency diff prints all"), "{note}");
    let mut scroll = Scroll::START;
    scroll.go(Move::Last, &changes, VIEWPORT);
    assert_eq!(scroll.seen(&changes, VIEWPORT).len(), 2);
}

#[test]
fn a_new_patch_moves_nobody_and_folds_stay() {
    let text = |names: &[&str]| -> String {
        names.iter().map(|name| format!("diff --git a/{name} b/{name}\n@@ -1 +1 @@\n-a\n+b\n c\n d\n")).collect()
    };
    let mut changes = Changes::default();
    let mut scroll = Scroll::START;
    changes.take(Patch::read(text(&["b", "c", "d"]).as_bytes()), None, &mut scroll);
    scroll.jump(true, &changes, VIEWPORT);
    scroll.jump(true, &changes, VIEWPORT);
    assert_eq!(scroll.selected, Some(1));
    scroll.fold(1, &mut changes, VIEWPORT);
    changes.take(Patch::read(text(&["a", "b", "c", "d"]).as_bytes()), None, &mut scroll);
    assert_eq!(scroll.selected, Some(2));
    assert_eq!((changes.height(1, 60), changes.height(2, 60)), (6, 1));
    changes.fold_all();
    assert_eq!((0..4).map(|item| changes.height(item, 60)).sum::<usize>(), 4, "an overview");
}

#[test]
fn brackets_go_from_hunk_to_hunk_and_from_file_to_file() {
    let text = |name: &str| format!("diff --git a/{name} b/{name}\n@@ -1 +1 @@\n-a\n+b\n c\n@@ -9 +9 @@\n-d\n+e\n f\n");
    let mut changes = Changes::default();
    let mut scroll = Scroll::START;
    changes.take(Patch::read((text("one") + &text("two") + &text("three")).as_bytes()), None, &mut scroll);
    let mut tops = vec![];
    for forwards in [true, true, true, true, false, false] {
        scroll.go_to_landmark(forwards, &changes, VIEWPORT);
        let top = scroll.top(&changes, VIEWPORT);
        tops.push((top.item, top.row));
    }
    assert_eq!(tops, [(0, 1), (0, 5), (1, 0), (1, 1), (1, 0), (0, 5)]);
}

const CODE: &str = "diff --git a/x.rs b/x.rs\n@@ -7,2 +7,2 @@ fn main\n one\n-let a = 1;\n-\tgone\n+let \u{6f22} = 1;\n@@ -20 +20 @@\n end\n";

#[test]
fn old_and_new_stand_side_by_side_where_there_is_room() {
    let mut changes = Changes::default();
    let mut scroll = Scroll::START;
    changes.take(Patch::read(CODE.as_bytes()), None, &mut scroll);
    let theme = Theme::ansi(false, true);
    let rows = |width: u16| -> Vec<String> {
        let rows = changes.rows(0, 0..changes.height(0, width), RowStyle { width, left: 0, theme });
        rows.iter().map(|row| row.to_string().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(
        rows(160),
        [
            "▾ +1 −2 x.rs",
            "@@ -7,2 +7,2 @@ fn main",
            "7 one │ 7 one",
            "8 let a = 1; │ 8 let \u{6f22} = 1;",
            "9 gone │",
            "@@ -20 +20 @@",
            "20 end │ 20 end"
        ]
    );
    assert_eq!(rows(159)[2..5], ["7 7 one", "8 -let a = 1;", "9 - gone"]);
    let wide = changes.rows(0, 2..5, RowStyle { width: 160, left: 0, theme });
    let bars: Vec<usize> = wide
        .iter()
        .map(|row| row.to_string().split('│').next().map(|left| Span::raw(left.to_owned()).width()).unwrap())
        .collect();
    assert_eq!(bars, [bars[0]; 3], "the columns are of the same width");
    let viewport = Viewport { width: 160, height: 2 };
    scroll.go_to_landmark(true, &changes, viewport);
    scroll.go_to_landmark(true, &changes, viewport);
    assert_eq!(scroll.top(&changes, viewport), Anchor { item: 0, row: 5 }, "the second hunk");
}

#[test]
fn keywords_have_their_colour_and_changed_words_stay_marked() {
    use std::time::{Duration, Instant};

    use ratatui::style::Color;

    let mut changes = Changes::default();
    let mut scroll = Scroll::START;
    let patch = || Patch::read(CODE.as_bytes());
    changes.take(patch(), None, &mut scroll);
    let theme = Theme::ansi(true, true);
    let word = |changes: &Changes, word: &str| {
        let rows = changes.rows(0, 0..8, RowStyle { width: 80, left: 0, theme });
        rows.iter().flat_map(|row| row.spans.clone()).find(|span| span.content == word).map(|span| span.style)
    };
    assert_eq!(word(&changes, "let"), None, "nothing is known yet");
    changes.highlight(Highlights::read(&patch(), Instant::now() + Duration::from_secs(600)));
    assert_eq!(word(&changes, "let").unwrap().fg, Some(Color::Magenta));
    let changed = word(&changes, "\u{6f22}").unwrap();
    assert_eq!((changed.fg, changed.add_modifier.contains(Modifier::REVERSED)), (Some(Color::Green), true));
    // A file that is as it was keeps its marks, and another one has none yet.
    changes.take(patch(), None, &mut scroll);
    assert!(word(&changes, "let").is_some());
    changes.take(Patch::read(CODE.replace("one", "two").as_bytes()), None, &mut scroll);
    assert!(word(&changes, "let").is_none());
}

#[test]
fn a_theme_with_every_colour_has_coloured_lines_and_no_byte_is_lost() {
    use std::time::{Duration, Instant};

    use crate::tui::theme::{Background, palette};

    let mut changes = Changes::default();
    let text =
        "diff --git a/a.rs b/a.rs\n@@ -1,2 +1,3 @@\n fn old() {}\n-    /* gone\n+    let new = \"é\";\n+\tif x {}\n";
    changes.take(Patch::read(text.as_bytes()), None, &mut { Scroll::START });
    changes.highlight(Highlights::read(&changes.patch, Instant::now() + Duration::from_secs(600)));
    let dark = palette(Background::Dark, true);
    let coloured = Theme { palette: dark, ..Theme::ansi(true, true) };
    let rows = |width, theme| changes.rows(0, 0..6, RowStyle { width, left: 0, theme });
    let unified = rows(60, coloured);
    let keyword = |row: usize, word: &str| {
        let span = unified[row].spans.iter().find(|span| span.content == word);
        span.and_then(|span| span.style.fg) == Some(dark.code.keyword)
    };
    assert!(keyword(2, "fn") && keyword(4, "let") && keyword(5, "if"), "{unified:?}");
    assert_eq!((unified[3].style.bg, unified[4].style.bg), (dark.removed_background, dark.added_background));
    // Side by side, each column has the colour of its line, and the bar has none.
    let wide = rows(160, coloured);
    let bar = wide[3].spans.iter().position(|span| span.content.contains('│')).unwrap();
    assert!(wide[3].spans[..bar].iter().all(|span| span.style.bg == dark.removed_background), "{:?}", wide[3]);
    assert!(wide[3].spans[bar + 1..].iter().all(|span| span.style.bg == dark.added_background), "{:?}", wide[3]);
    assert_eq!(wide[3].spans[bar].style.bg, None);
    // The same text without colours.
    for width in [60, 160] {
        let words = |theme| rows(width, theme).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(words(Theme::ansi(false, true)), words(coloured));
    }
}

#[test]
fn both_columns_move_where_old_and_new_stand_side_by_side() {
    let text = "diff --git a/a b/a\n@@ -1 +1 @@\n-0123456789 old\n+漢字456789 new\n";
    let mut changes = Changes::default();
    changes.take(Patch::read(text.as_bytes()), None, &mut { Scroll::START });
    let theme = Theme::ansi(false, true);
    let row = |left| changes.rows(0, 2..3, RowStyle { width: 160, left, theme })[0].to_string();
    let columns = |left| row(left).split('│').map(|column| column.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(columns(0), ["1 0123456789 old", " 1 漢字456789 new"]);
    assert_eq!(columns(3), ["1 3456789 old", " 1  456789 new"], "half of a wide character is a space");
    assert_eq!(Span::raw(row(0)).width(), Span::raw(row(3)).width());
}
