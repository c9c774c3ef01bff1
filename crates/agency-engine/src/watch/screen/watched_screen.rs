//! The screen that a watcher keeps.

use std::fmt;
use std::num::NonZeroU16;

use agency_adapters::screen::Characters;
use agency_system::process::TerminalSize;

/// No side of a screen is longer: a program may ask for any size, and each cell takes memory.
const MAX_SIDE_CELLS: u16 = 1000;

/// A screen with its history: fed with what a [`ScreenWatch`](super::ScreenWatch) gives, and with the bytes of a log
/// before it, it follows the sizes in them.
pub struct WatchedScreen {
    parser: vt100::Parser<Resizing>,
    characters: Characters,
}

/// Records the reported size. It is given to the screen outside of the parser, where its history can be kept too.
#[derive(Debug, Default)]
struct Resizing {
    told: Option<(u16, u16)>,
}

impl vt100::Callbacks for Resizing {
    fn resize(&mut self, _: &mut vt100::Screen, told: (u16, u16)) {
        self.told = Some(told);
    }
}

impl fmt::Debug for WatchedScreen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = self.parser.screen().size();
        formatter.debug_struct("WatchedScreen").field("rows", &rows).field("columns", &columns).finish_non_exhaustive()
    }
}

impl WatchedScreen {
    /// An empty screen with room for so many lines that have scrolled out of it.
    #[must_use]
    pub fn new(size: TerminalSize, scrollback: usize) -> Self {
        let parser =
            vt100::Parser::new_with_callbacks(side(size.rows), side(size.columns), scrollback, Resizing::default());
        Self { parser, characters: Characters::default() }
    }

    /// Shows more bytes, whatever pieces they come in.
    pub fn feed(&mut self, bytes: &[u8]) {
        // Each sequence with a size ends with this letter, and the size counts for all that follows.
        for piece in self.characters.whole(bytes).split_inclusive(|byte| *byte == b't') {
            self.parser.process(piece);
            if let Some((rows, columns)) = self.parser.callbacks_mut().told.take() {
                self.resize(rows, columns);
            }
        }
    }

    /// The text that is shown, line by line, without trailing spaces.
    #[must_use]
    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// What is shown, for a terminal emulator's widget.
    #[doc(hidden)]
    #[must_use]
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Shows what was so many lines above the end, as far as the history goes; gives how many lines it is really.
    pub fn scroll_to(&mut self, lines_up: usize) -> usize {
        self.parser.screen_mut().set_scrollback(lines_up);
        self.parser.screen().scrollback()
    }

    /// The history and the screen as lines of text, without empty lines at the end. The screen shows its end again after it.
    pub fn lines(&mut self) -> Vec<String> {
        let (rows, columns) = self.parser.screen().size();
        let (rows, columns) = (rows.get(), columns.get());
        let mut lines = vec![];
        let mut above = self.scroll_to(usize::MAX);
        while above > 0 {
            self.scroll_to(above);
            // The last lines of the history stand above the first lines of the screen.
            lines.extend(self.parser.screen().rows(0, columns).take(above));
            above = above.saturating_sub(usize::from(rows));
        }
        self.scroll_to(0);
        lines.extend(self.parser.screen().rows(0, columns));
        lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
        lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
        lines
    }

    /// A screen that grows takes lines back from the history, where the next screen that is drawn would overwrite
    /// them. They are put back, so that it grows at its end.
    fn resize(&mut self, rows: u16, columns: u16) {
        let (old_rows, old_columns) = self.parser.screen().size();
        let rows = NonZeroU16::new(rows).map_or(old_rows, side);
        let columns = NonZeroU16::new(columns).map_or(old_columns, side);
        let alternate = self.parser.screen().alternate_screen();
        if alternate {
            self.parser.process(b"\x1b[?47l");
        }
        let before = self.parser.screen().scrollback_len();
        self.parser.set_size(rows, columns);
        let taken = before.saturating_sub(self.parser.screen().scrollback_len());
        if taken > 0 {
            self.parser.process(format!("\x1b[{taken}S\x1b[{taken}A").as_bytes());
        }
        if alternate {
            self.parser.process(b"\x1b[?47h");
        }
    }
}

fn side(length: NonZeroU16) -> NonZeroU16 {
    NonZeroU16::new(MAX_SIDE_CELLS).map_or(length, |longest| length.min(longest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn screen(rows: u16, columns: u16) -> WatchedScreen {
        WatchedScreen::new(TerminalSize::new(rows, columns).unwrap(), 100)
    }

    fn size(screen: &WatchedScreen) -> (u16, u16) {
        let (rows, columns) = screen.screen().size();
        (rows.get(), columns.get())
    }

    fn lines(screen: &WatchedScreen) -> Vec<String> {
        let mut lines: Vec<String> = screen.screen().rows(0, 1000).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// All the lines that can be scrolled to, and those on the screen.
    fn history(screen: &mut WatchedScreen) -> Vec<String> {
        let length = screen.scroll_to(usize::MAX);
        let mut history: Vec<String> = vec![];
        for up in (1..=length).rev() {
            screen.scroll_to(up);
            history.extend(screen.screen().rows(0, 1000).next());
        }
        screen.scroll_to(0);
        history.extend(lines(screen));
        history
    }

    #[test]
    fn a_size_counts_for_what_follows_it_and_not_for_what_came_before() {
        let mut screen = screen(3, 10);
        screen.feed(b"0123456789abc\x1b[8;4;20t\r\n0123456789abc");
        assert_eq!(size(&screen), (4, 20));
        assert_eq!(lines(&screen), ["0123456789", "abc", "0123456789abc"]);
    }

    #[test]
    fn a_size_without_sense_is_no_size() {
        let mut screen = screen(3, 10);
        screen.feed(b"\x1b[8;0;0t");
        assert_eq!(size(&screen), (3, 10));
        screen.feed(b"\x1b[8t\x1b[4;5;6t\x1b[8;;7t");
        assert_eq!(size(&screen), (3, 7), "a side that is left out stays");
        screen.feed(b"\x1b[8;65535;65535t");
        assert_eq!(size(&screen), (MAX_SIDE_CELLS, MAX_SIDE_CELLS));
    }

    #[test]
    fn the_history_can_be_seen_and_survives_every_size() {
        let mut screen = screen(3, 10);
        screen.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6");
        assert_eq!(lines(&screen), ["4", "5", "6"]);
        assert_eq!(screen.scroll_to(2), 2);
        assert_eq!(lines(&screen), ["2", "3", "4"]);
        assert_eq!(screen.scroll_to(99), 3);
        assert_eq!(lines(&screen), ["1", "2", "3"]);
        // What a supervisor sends that does not know the history.
        screen.feed(b"\x1b[8;5;10t\x1b[2J\x1b[H4\r\n5\r\n6");
        assert_eq!(history(&mut screen), ["1", "2", "3", "4", "5", "6"]);
        screen.feed(b"\x1b[?1049h\x1b[2Jother\x1b[8;9;10t");
        assert_eq!(lines(&screen), ["other"]);
        screen.feed(b"\x1b[?1049l\x1b[3;2H");
        assert_eq!(history(&mut screen), ["1", "2", "3", "4", "5", "6"]);
        screen.feed(b"\x1b[8;2;10t\r\n7");
        assert_eq!(history(&mut screen), ["1", "2", "3", "4", "5", "6", "7"]);
    }

    #[test]
    fn who_has_scrolled_up_stays_there_while_more_comes() {
        let mut screen = screen(2, 10);
        screen.feed(b"1\r\n2\r\n3\r\n4");
        screen.scroll_to(2);
        screen.feed(b"\r\n5");
        assert_eq!(lines(&screen), ["1", "2"]);
        assert_eq!(screen.scroll_to(1), 1);
        assert_eq!(lines(&screen), ["3", "4"]);
    }

    #[test]
    fn its_lines_are_the_history_and_the_screen() {
        let mut screen = WatchedScreen::new(TerminalSize::new(3, 20).unwrap(), 100);
        for number in 0..10 {
            screen.feed(format!("line {number}\r\n").as_bytes());
        }
        screen.feed(b"end  ");
        let expected: Vec<String> = (0..10).map(|number| format!("line {number}")).chain(["end".to_owned()]).collect();
        assert_eq!(screen.lines(), expected);
        assert_eq!(screen.screen().scrollback(), 0);
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_screen(
            pieces in prop::collection::vec(prop_oneof![
                "[a-zé漢t]{0,12}".prop_map(String::into_bytes),
                Just(b"\r\n".to_vec()),
                (0u16..12, 0u16..30).prop_map(|(rows, columns)| format!("\x1b[8;{rows};{columns}t").into_bytes()),
                (0u16..12, 0u16..30).prop_map(|(row, column)| format!("\x1b[{row};{column}H").into_bytes()),
                (0u16..9, 0u16..9).prop_map(|(top, bottom)| format!("\x1b[{top};{bottom}r").into_bytes()),
                "(1049|47|6)[hl]".prop_map(|mode| format!("\x1b[?{mode}").into_bytes()),
                "\x1b[78cM]".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..6),
            ], 0..60),
            cuts in prop::collection::vec(1usize..9, 1..40),
        ) {
            let bytes = pieces.concat();
            let mut whole = screen(5, 12);
            whole.feed(&bytes);
            let mut cut = screen(5, 12);
            let mut rest = bytes.as_slice();
            for length in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*length).min(rest.len()));
                cut.feed(piece);
                rest = after;
            }
            prop_assert_eq!(size(&cut), size(&whole));
            prop_assert_eq!(cut.screen().state_formatted(), whole.screen().state_formatted());
            prop_assert_eq!(history(&mut cut), history(&mut whole));
        }
    }
}
