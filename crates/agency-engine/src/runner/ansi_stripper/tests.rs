use std::num::NonZeroU16;

use proptest::prelude::*;

use super::{AnsiStripper, MAX_DCS_BYTES};

/// The text of a stream in pieces of this size.
fn clean(bytes: &[u8], size: usize) -> String {
    let mut cleaner = AnsiStripper::new();
    let mut text: String = bytes.chunks(size).map(|piece| cleaner.feed(piece)).collect();
    text.push_str(&cleaner.finish());
    text
}

/// The text is this one, wherever the bytes are cut in two, and byte by byte.
#[track_caller]
fn assert_clean(bytes: impl AsRef<[u8]>, expected: &str) {
    let bytes = bytes.as_ref();
    for cut in 0..=bytes.len() {
        let (first, second) = bytes.split_at(cut);
        let mut cleaner = AnsiStripper::new();
        let text = cleaner.feed(first) + &cleaner.feed(second) + &cleaner.finish();
        assert_eq!(text, expected, "{} cut at {cut}", bytes.escape_ascii());
    }
    assert_eq!(clean(bytes, 1), expected, "{} byte by byte", bytes.escape_ascii());
}

// proves P4
#[test]
fn sequences_vanish_wherever_they_are_cut() {
    assert_clean("\x1b[1;31mred\x1b[0m and \x1b[38:2::1:2:3mmore\x1b[m", "red and more");
    assert_clean("\x1b[?25l\x1b[2J\x1b[10;20Hx\x1b[6n\x1b[!p\x1b[>c\x1b[2 q", "x");
    assert_clean("\x1b7\x1b8\x1bc\x1b=\x1bMx\x1b(B\x1b#8\x1b%Gy\x1b([z", "xyz");
}

// proves P4
#[test]
fn strings_end_at_either_of_their_ends() {
    assert_clean("a\x1b]0;title\x07b\x1b]0;title\x1b\\c", "abc");
    assert_clean("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link");
    assert_clean("a\x1bP1$r0m\x1b\\b\x1b_Gi=1;AAAA\x1b\\c\x1b^private\x1b\\d\x1bXstart\x1b\\e", "abcde");
    // Only an operating system command ends with a bell.
    assert_clean("a\x1bPq\x07~\x1b\\b\x1b_x\x07y\x1b\\c", "abc");
    assert_clean("a\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\b", "ab");
    assert_clean("\x1b]0;…✜œ\x07after", "after");
}

// proves P4
#[test]
fn a_picture_has_lines_and_nothing_else_has() {
    assert_clean("a\x1bPq\n#0;2;0;0;0\n#1~~@@\n\x1b\\b", "ab");
    assert_clean("a\x1b]0;never ended\nb\x1b_nor this\nc\x1b[3\nd\x1b\ne\x1b(\nf", "a\nb\nc\nd\ne\nf");
}

#[test]
fn a_picture_that_never_ends_is_given_up() {
    let stream = format!("a\x1bP{}x\n{}b", "\n".repeat(MAX_DCS_BYTES), "y".repeat(10));
    for size in [1, 4096, stream.len()] {
        assert_eq!(clean(stream.as_bytes(), size), format!("a\n{}b", "y".repeat(10)));
    }
}

#[test]
fn a_sequence_that_is_broken_off_costs_no_more_than_itself() {
    assert_clean("\x1b[3\x1b[1mx\x1b]0;t\x1b[0my", "xy");
    assert_clean("\x1b[3\x18x\x1b]0;t\x1ay\x1bP\x18z", "xyz");
    assert_clean("\x1b[3ö\x1bé", "öé");
    assert_clean("x\x1b", "x");
    assert_clean("x\x1b[3", "x");
}

// proves P4
#[test]
fn tabs_newlines_and_returns_stay_and_other_controls_go() {
    assert_clean("a\tb\r\nc\x0cd\n", "a\tb\r\nc\x0cd\n");
    assert_clean("a\x00b\x07c\x08d\x0be\x0ef\x7fg", "abcdefg");
    assert_clean("a\x1b[3\t1mb\x1b[\x07\x7fmc\x1b]0;\t\x07", "a\tbc");
    // The one byte of eight bits is not UTF-8, the two bytes are a control character.
    assert_clean(b"a\x9b31mb\xc2\x9b31mc\xc2\x85\xc2\xa0", "a\u{fffd}31mb31mc\u{a0}");
}

// proves P4
#[test]
fn characters_are_whole_wherever_they_are_cut() {
    assert_clean("aé€😀\x1b[1m日本\x1b[0m語", "aé€😀日本語");
    assert_clean(b"\xff\xfea\xc3(\xe2\x82(\xf0\x9f\x98(", "\u{fffd}\u{fffd}a\u{fffd}(\u{fffd}(\u{fffd}(");
    assert_clean(b"\xed\xa0\x80\xc0\xaf", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
    assert_clean(b"\xe2\x82", "\u{fffd}");
    // Half a character before a sequence is not completed after it, and hides no sequence.
    assert_clean(b"a\xc3\x1b[31m\xa9b", "a\u{fffd}\u{fffd}b");
    assert_clean(b"\xc3\x07\xa9", "\u{fffd}\u{fffd}");
}

/// The text with the words kept apart, which is the same in any pieces.
#[track_caller]
fn words(bytes: &[u8]) -> String {
    let clean = |size: usize| {
        let mut cleaner = AnsiStripper::keeping_words();
        let mut text: String = bytes.chunks(size).map(|piece| cleaner.feed(piece)).collect();
        text.push_str(&cleaner.finish());
        text
    };
    let whole = clean(bytes.len().max(1));
    for size in 1..bytes.len().min(40) {
        assert_eq!(clean(size), whole, "{} in pieces of {size}", bytes.escape_ascii());
    }
    whole
}

#[test]
fn movements_of_the_cursor_keep_words_apart() {
    assert_eq!(words(b"Fix\x1b[1Cthe\x1b[3Clogin"), "Fix the   login");
    assert_eq!(words(b"a\x1b[10Gb\x1b[2Dc \x1b[5Gd"), "a b c d");
    assert_eq!(words(b"top\x1b[5;1Hbottom\x1b[2A\x1b[3Cup\r\n\x1b[Hhome"), "top\nbottom\nup\r\nhome");
    assert_eq!(words(b"\x1b[2J\x1b[H\x1b[?25lfirst\x1b[1m bold\x1b[0m\x1b[K"), "first bold");
    // Some programs place every word, or every letter.
    assert_eq!(
        words(b"\x1b[9;3HHello\x1b[9;9Hfrom\x1b[9;13H.\x1b[9;14H.\x1b[9;1H*\x1b[10;1Hnext"),
        "Hello from.. *\nnext"
    );
    assert_eq!(words(b"shell\x1b[?1049hscreen\x1b[?1049lshell"), "shell\nscreen\nshell");
    assert_eq!(words(b"a\x1b[999999999999999999999Cb").len(), 202, "no sequence makes a text large");
}

proptest! {
    /// What a terminal shows as a word is a word of the text.
    #[test]
    fn words_are_those_of_a_terminal(places in proptest::collection::vec((1_u16..20, 0_u16..4, 0_u8..4), 1..20)) {
        let mut stream = String::new();
        for (number, (row, column, how)) in places.iter().enumerate() {
            // Each word has a place of its own, wherever the one before was.
            let (row, column) = (row + 1, column * 15 + 1);
            stream += &match how {
                0 => format!("\x1b[{row};{column}H"),
                1 => format!("\x1b[{row}d\x1b[{column}G"),
                2 => format!("\r\x1b[{row}d\x1b[{column}C"),
                _ => format!("\x1b[{row};1H\x1b[{column}C"),
            };
            stream += &format!("w{number}x");
        }
        let mut terminal = vt100::Parser::new(NonZeroU16::new(24).unwrap(), NonZeroU16::new(80).unwrap(), 0);
        terminal.process(stream.as_bytes());
        let text = words(stream.as_bytes());
        let known: Vec<&str> = text.split_whitespace().collect();
        for word in terminal.screen().contents().split_whitespace() {
            // One word may have been written over the end of another.
            let whole = word.starts_with('w') && word.ends_with('x') && word.matches(['w', 'x']).count() == 2;
            prop_assert!(!whole || known.contains(&word), "{word} is not in {text:?}");
        }
    }
}
