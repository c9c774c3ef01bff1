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
