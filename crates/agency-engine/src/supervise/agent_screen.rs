//! The screen of an interactive agent, as the supervisor keeps it for later viewers.

use std::num::NonZeroU16;

use super::partial_sequence::PartialSequence;
use agency_adapters::screen::{Characters, WindowTitle};
use agency_system::process::TerminalSize;

/// Takes back what a watcher's terminal may still have from before: the other screen, the region that scrolls, the
/// mouse, the form of the cursor.
const RESET_TERMINAL: &str = "\x1b[?1049l\x1b[?6l\x1b[r\x1b[?9;1000;1002;1003;1005;1006l\x1b[0 q\x1b[m\x1b[2J\x1b[H";

/// Ends a sequence that has only begun.
const CANCEL_SEQUENCE: &str = "\x18";
/// The cursor is visible, keys are plain, pastes are not marked, the mouse is not reported.
const INPUT_AS_EVER: &str = "\x1b[?25h\x1b[?1l\x1b>\x1b[?2004l\x1b[?9;1000;1002;1003;1005;1006l";

/// What the agent's terminal shows, and the sequence that has only partly arrived.
pub(super) struct AgentScreen {
    parser: vt100::Parser<Notes>,
    characters: Characters,
    partial_sequence: PartialSequence,
}

/// Whether the agent asked for another window size, which it cannot decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    None,
    Size,
}

#[derive(Default)]
struct Notes {
    title: WindowTitle,
    wished_for_size: bool,
}

impl vt100::Callbacks for Notes {
    fn set_window_title(&mut self, screen: &mut vt100::Screen, title: &[u8]) {
        self.title.set_window_title(screen, title);
    }

    fn resize(&mut self, _: &mut vt100::Screen, _: (u16, u16)) {
        self.wished_for_size = true;
    }
}

impl std::fmt::Debug for AgentScreen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AgentScreen").finish_non_exhaustive()
    }
}

impl AgentScreen {
    pub(super) fn new(size: TerminalSize) -> Self {
        let parser = vt100::Parser::new_with_callbacks(size.rows, size.columns, 0, Notes::default());
        Self { parser, characters: Characters::default(), partial_sequence: PartialSequence::default() }
    }

    /// Shows what the agent wrote.
    pub(super) fn show(&mut self, bytes: &[u8]) -> Wish {
        let whole = self.characters.whole(bytes);
        self.parser.process(&whole);
        self.partial_sequence.read(&whole);
        match std::mem::take(&mut self.parser.callbacks_mut().wished_for_size) {
            true => Wish::Size,
            false => Wish::None,
        }
    }

    pub(super) fn resize(&mut self, size: TerminalSize) {
        self.parser.screen_mut().set_size(size.rows, size.columns);
    }

    pub(super) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub(super) fn title(&self) -> &WindowTitle {
        &self.parser.callbacks().title
    }

    /// What the terminal is given before another process takes it over: the one before may have ended anywhere, and its
    /// successor takes a half sequence, another screen or a pressed mouse for granted no more than a shell does.
    pub(super) fn made_ready(&self) -> String {
        let screen = self.screen();
        let leave = if screen.alternate_screen() { "\x1b[?1049l" } else { "" };
        let line = if after(screen, leave).cursor_position().1 > 0 { "\n" } else { "" };
        format!("{CANCEL_SEQUENCE}{leave}\x1b7\x1b[r\x1b8\x1b[m{INPUT_AS_EVER}{line}")
    }

    /// The bytes that make a viewer's terminal show the same.
    pub(super) fn drawn(&self) -> Vec<u8> {
        let mut bytes = b"\x1b[2J\x1b[H".to_vec();
        bytes.extend(self.screen().state_formatted().bytes());
        bytes
    }

    /// What a watcher is given: all of [`Self::drawn`], and what is not seen now but decides what will be, so that
    /// whatever the agent writes next does the same there as here.
    pub(super) fn drawn_for_watchers(&self) -> Vec<u8> {
        let screen = self.screen();
        let mut bytes = size_of_window(screen.size());
        bytes.extend_from_slice(RESET_TERMINAL.as_bytes());
        if screen.alternate_screen() {
            draw(&mut bytes, &after(screen, "\x1b[?47l"));
            // The agent gets back what was saved when it entered.
            bytes.extend(after(screen, "\x1b8").attributes_formatted().bytes());
            bytes.extend_from_slice(b"\x1b[?1049h");
        }
        draw(&mut bytes, screen);
        bytes.extend(screen.input_mode_formatted().bytes());
        bytes.extend_from_slice(self.partial_sequence.begun());
        bytes.extend_from_slice(self.characters.held());
        bytes
    }
}

/// `CSI 8 ; rows ; columns t`, which sets the size of an xterm window.
pub(super) fn size_of_window((rows, columns): (NonZeroU16, NonZeroU16)) -> Vec<u8> {
    format!("\x1b[8;{rows};{columns}t").into_bytes()
}

/// Draws one of the two screens, with the saved cursor and the region that scrolls.
fn draw(bytes: &mut Vec<u8>, screen: &vt100::Screen) {
    bytes.extend(screen.contents_formatted().bytes());
    let mut copy = copy_of(screen);
    copy.process(b"\x1b8");
    put_cursor(bytes, copy.screen());
    bytes.extend_from_slice(b"\x1b7");
    // A cursor that is kept in the region that scrolls shows where it is.
    let mut row = |keys: &[u8]| {
        copy.process(keys);
        copy.screen().cursor_position().0.saturating_add(1)
    };
    let (top, bottom) = (row(b"\x1b[?6h\x1b[H"), row(b"\x1b[65535H"));
    bytes.extend(format!("\x1b[{top};{bottom}r").bytes());
    put_cursor(bytes, screen);
}

/// A cursor behind the end of a line is put there by writing the last character again, without the present attributes.
fn put_cursor(bytes: &mut Vec<u8>, screen: &vt100::Screen) {
    bytes.extend_from_slice(b"\x1b[m");
    bytes.extend(screen.cursor_state_formatted().bytes());
    bytes.extend(screen.attributes_formatted().bytes());
}

/// What a screen would be after some more output.
fn after(screen: &vt100::Screen, output: &str) -> vt100::Screen {
    let mut copy = copy_of(screen);
    copy.process(output.as_bytes());
    copy.screen().clone()
}

/// A parser that continues from this screen. A screen is large, so that the one it is made with is the smallest.
fn copy_of(screen: &vt100::Screen) -> vt100::Parser {
    let mut copy = vt100::Parser::new(NonZeroU16::MIN, NonZeroU16::MIN, 0);
    *copy.screen_mut() = screen.clone();
    copy
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::watch::WatchedScreen;

    const SIZE: TerminalSize = match (std::num::NonZeroU16::new(6), std::num::NonZeroU16::new(20)) {
        (Some(rows), Some(columns)) => TerminalSize { rows, columns },
        (_, _) => TerminalSize::UNSEEN,
    };

    fn output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => "[a-z ]{1,9}",
            2 => Just("\r\n".to_owned()),
            1 => Just("é漢🙂".to_owned()),
            2 => (1u16..9, 1u16..25).prop_map(|(row, column)| format!("\x1b[{row};{column}H")),
            1 => (1u16..9, 1u16..9).prop_map(|(top, bottom)| format!("\x1b[{top};{bottom}r")),
            1 => (0u8..49).prop_map(|attribute| format!("\x1b[{attribute}m")),
            1 => (1u8..5, "[ABCDEFGJKLMPSTXd@]").prop_map(|(count, what)| format!("\x1b[{count}{what}")),
            1 => "[78M]".prop_map(|what| format!("\x1b{what}")),
            1 => "[a-z]{0,9}".prop_map(|title| format!("\x1b]0;{title}\x07")),
            1 => "(1049|25|2004|1000)[hl]".prop_map(|mode| format!("\x1b[?{mode}")),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
    }

    /// All that can be known of a screen by looking at it.
    fn seen(screen: &vt100::Screen) -> (String, (u16, u16), bool) {
        (screen.state_formatted(), screen.cursor_position(), screen.alternate_screen())
    }

    proptest! {
        #[test]
        fn who_comes_at_any_moment_sees_the_same_ever_after(output in output(), cut in any::<prop::sample::Index>()) {
            let (before, rest) = output.split_at(cut.index(output.len() + 1));
            let mut agent = AgentScreen::new(SIZE);
            agent.show(before);
            // To put the cursor behind a line that ends blank, vt100 needs the place of the saved one.
            let (row, column) = agent.screen().cursor_position();
            let last = agent.screen().cell(row, SIZE.columns.get() - 1);
            prop_assume!(column < SIZE.columns.get() || last.is_some_and(vt100::Cell::has_contents));
            // A viewer that fell behind may show anything.
            let mut watched = WatchedScreen::new(TerminalSize::UNSEEN, 10);
            watched.feed(b"\x1b[?1049h\x1b[2;3r\x1b[?1003h\x1b[41mold\x1b[3");
            watched.feed(&agent.drawn_for_watchers());
            prop_assert_eq!(seen(watched.screen()), seen(agent.screen()));
            agent.show(rest);
            watched.feed(rest);
            prop_assert_eq!(seen(watched.screen()), seen(agent.screen()));
        }
    }

    #[test]
    fn another_process_finds_the_terminal_as_a_shell_would() {
        let mut agent = AgentScreen::new(SIZE);
        agent.show(b"old\x1b[?1049h\x1b[2;3r\x1b[41mother\x1b[?25l\x1b[?1003h\x1b[?2004h\x1b[3");
        let ready = agent.made_ready().replace('\n', "\r\n");
        agent.show(ready.as_bytes());
        agent.show(b"second\r\n\r\n\r\n\r\n\r\nlast");
        let mut fresh = AgentScreen::new(SIZE);
        fresh.show(b"second\r\n\r\n\r\n\r\n\r\nlast");
        assert_eq!(seen(agent.screen()), seen(fresh.screen()), "{}", agent.screen().contents());
        assert_eq!(agent.made_ready().matches('\n').count(), 1, "it does not begin in the middle of a line");
        assert!(!AgentScreen::new(SIZE).made_ready().contains('\n'));
    }

    #[test]
    fn a_wish_for_another_size_is_heard_and_not_granted() {
        let mut agent = AgentScreen::new(SIZE);
        assert_eq!(agent.show(b"text\x1b[8;50;5"), Wish::None);
        assert_eq!(agent.show(b"0tmore"), Wish::Size);
        assert_eq!(agent.show(b"text"), Wish::None);
        assert_eq!(agent.screen().size(), (SIZE.rows, SIZE.columns));
    }
}
