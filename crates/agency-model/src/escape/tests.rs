use proptest::prelude::*;

use super::*;

#[test]
fn what_deceives_is_shown_and_what_does_not_stays() {
    assert_eq!(escaped_text("a\tb\nc\x1b[2J\r\x07\x7f\u{9b}"), "a\tb\nc\\x1b[2J\\r\\x07\\x7f\\u{9b}");
    assert_eq!(
        escaped_text("rm \u{202e}fdp.txt\u{2066}\u{200b}\u{feff}\u{ad}"),
        "rm \\u{202e}fdp.txt\\u{2066}\\u{200b}\\u{feff}\\u{ad}"
    );
    assert_eq!(escaped_line("a\nb\tc\u{2028}\u{a0}d"), "a\\nb\\tc\\u{2028}\\u{a0}d");
    assert_eq!(escaped_text("tag\u{e0041} a\u{fe0f}"), "tag\\u{e0041} a\\u{fe0f}");
    let plain = "Grüße, 漢字, Привет, שלום, ⚠️ ✔️ é";
    assert_eq!(escaped_text(plain), plain);
    // The screens of agents are drawn with it.
    assert_eq!(streamed(Sgr::Escape, &["❯\u{a0}⚠️".as_bytes()]), "❯\u{a0}⚠️");
}

#[test]
fn a_space_that_looks_like_the_usual_one_is_shown_in_every_text() {
    for (space, shown) in
        [('\u{2800}', "\\u{2800}"), ('\u{a0}', "\\u{a0}"), ('\u{3000}', "\\u{3000}"), ('\u{202f}', "\\u{202f}")]
    {
        let text = format!("rm{space}-r\nx");
        assert_eq!(escaped_text(&text), format!("rm{shown}-r\nx"));
        assert_eq!(crate::plain_text(&text), format!("rm{shown}-r\nx"));
        assert_eq!(escaped_line(&text), format!("rm{shown}-r\\nx"));
    }
    assert_eq!(streamed(Sgr::KeepColours, &["a\u{2800}b".as_bytes()]), "a\\u{2800}b");
}

fn streamed(sgr: Sgr, pieces: &[&[u8]]) -> String {
    let mut escaper = Escaper::new(sgr);
    let mut shown: String = pieces.iter().map(|piece| escaper.feed(piece)).collect();
    shown.push_str(&escaper.finish());
    shown
}

#[test]
fn bytes_that_are_no_text_are_shown_and_letters_in_pieces_are_whole() {
    assert_eq!(
        streamed(Sgr::Escape, &[b"a\xffb\xc3", b"\xa4\xe2\x80", b"\xae!\xe2\x80"]),
        "a\\xffbä\\u{202e}!\\xe2\\x80"
    );
    assert_eq!(streamed(Sgr::Escape, &["⚠".as_bytes(), "\u{fe0f}\u{fe0f}".as_bytes()]), "⚠\u{fe0f}\\u{fe0f}");
    assert_eq!(streamed(Sgr::Escape, &[b"\x1b", b"[31mred\x1b]0;t\x07"]), "\\x1b[31mred\\x1b]0;t\\x07");
}

#[test]
fn colours_stay_where_they_may_and_nothing_else_does() {
    let keep = |bytes: &[u8]| streamed(Sgr::KeepColours, &[bytes]);
    assert_eq!(keep(b"\x1b[1;38;5;8mx\x1b[0m"), "\x1b[1;38;5;8mx\x1b[0m\x1b[0m");
    for hidden in ["8", "1;8", "5", "38", "38;5", "38;2;1;2", "?25", "99999999999"] {
        let shown = keep(format!("\x1b[{hidden}mx").as_bytes());
        assert_eq!(shown, format!("\\x1b[{hidden}mx"));
    }
    assert_eq!(keep(b"\x1b[2J\x1b[31"), "\\x1b[2J\\x1b[31");
    assert_eq!(streamed(Sgr::Replace(|_| Some(String::new())), &[b"\x1b[3", b"1mx\x1b[2J"]), "x\\x1b[2J");
}

#[test]
fn line_ends_of_two_characters_stay_where_they_may() {
    let mut escaper = Escaper::new(Sgr::Escape).keeping_crlf();
    let shown = escaper.feed(b"a\r") + &escaper.feed(b"\nb\rc\r") + &escaper.finish();
    assert_eq!(shown, "a\r\nb\\rc\\r");
}

fn is_harmless(letter: char) -> bool {
    matches!(letter, '\n' | '\t') || !is_deceptive(letter)
}

proptest! {
    #[test]
    fn no_bytes_leave_anything_deceptive(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let shown = streamed(Sgr::Escape, &[&bytes]);
        prop_assert!(shown.chars().all(is_harmless), "{shown:?}");
    }

    #[test]
    fn any_pieces_of_the_same_bytes_give_the_same(
        pieces in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0x1b), Just(b'['), Just(b'm'), Just(b'3'), any::<u8>()], 0..8), 0..20),
    ) {
        let whole = pieces.concat();
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        for sgr in [Sgr::Escape, Sgr::KeepColours] {
            prop_assert_eq!(streamed(sgr, &pieces), streamed(sgr, &[&whole]));
        }
    }

    #[test]
    fn no_text_leaves_anything_deceptive(text in "\\PC*|.*") {
        let line = escaped_line(&text);
        prop_assert!(!line.chars().any(|letter| is_deceptive(letter) && !matches!(letter, '\u{fe0e}' | '\u{fe0f}')), "{line:?}");
        prop_assert!(!line.contains(['\n', '\t']));
    }
}
