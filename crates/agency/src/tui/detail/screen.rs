//! The screen of an interactive agent, with what has scrolled out of it.

use std::fmt;

use agency_engine::watch::WatchedScreen;

use super::scroll::Viewport;
use crate::tui::keys::Move;

/// A screen that is fed with what a terminal gets.
pub(in crate::tui) struct Screen {
    screen: WatchedScreen,
    /// How many rows above the part of the screen that would be shown, once all of the history is.
    above: u16,
    /// The first column that is shown.
    left: u16,
    /// The line that was found last, counted from the oldest.
    found: Option<usize>,
    /// Whether the agent is gone, and this is the last it showed.
    pub(in crate::tui) over: bool,
}

/// Which part of the screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) struct VisibleRows {
    /// The first row of the screen, as it is scrolled, that is shown.
    pub(in crate::tui) first: u16,
    /// The first column.
    pub(in crate::tui) left: u16,
    /// How many lines of the history are below it.
    pub(in crate::tui) up: usize,
}

impl Screen {
    pub(in crate::tui) const fn new(screen: WatchedScreen, over: bool) -> Self {
        Self { screen, above: 0, left: 0, found: None, over }
    }

    /// Shows more. A view that was scrolled up stays there.
    pub(in crate::tui) fn feed(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes);
    }

    pub(in crate::tui) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Which part is shown in a place.
    pub(in crate::tui) fn visible_rows(&self, viewport: Viewport) -> VisibleRows {
        let first = self.hidden(viewport).saturating_sub(self.above);
        VisibleRows { first, left: self.left.min(self.hidden_columns(viewport)), up: self.screen().scrollback() }
    }

    /// How many rows of the screen have no room above the last one that is used.
    fn hidden(&self, viewport: Viewport) -> u16 {
        let screen = self.screen();
        let (rows, columns) = screen.size();
        let used = match screen.scrollback() {
            0 => {
                let last =
                    screen.rows(0, columns.get()).enumerate().filter(|(_, row)| !row.trim_end().is_empty()).last();
                let last = last.and_then(|(index, _)| u16::try_from(index).ok()).unwrap_or_default();
                let cursor = if screen.hide_cursor() { 0 } else { screen.cursor_position().0 };
                last.max(cursor) + 1
            }
            _ => rows.get(),
        };
        used.saturating_sub(viewport.height)
    }

    /// How many columns have no room.
    fn hidden_columns(&self, viewport: Viewport) -> u16 {
        let (_, columns) = self.screen().size();
        columns.get().saturating_sub(viewport.width)
    }

    /// Moves by some columns.
    pub(in crate::tui) fn slide(&mut self, columns: i16, viewport: Viewport) {
        let most = self.hidden_columns(viewport);
        self.left = self.left.min(most).saturating_add_signed(columns).min(most);
    }

    /// Goes to the next line that matches, or to the one before, around the ends; whether there is one.
    pub(in crate::tui) fn find(&mut self, forwards: bool, is_match: &dyn Fn(&str) -> bool, viewport: Viewport) -> bool {
        let part = self.visible_rows(viewport);
        let lines = self.screen.lines();
        let history = self.screen.scroll_to(usize::MAX);
        self.screen.scroll_to(part.up);
        let top = history.saturating_sub(part.up) + usize::from(part.first);
        let shown = top..top + usize::from(viewport.height);
        let last = self.found.filter(|line| shown.contains(line));
        let matching = || lines.iter().enumerate().filter(|(_, line)| is_match(line)).map(|(index, _)| index);
        let found = match (forwards, last) {
            (true, Some(last)) => matching().find(|line| *line > last).or_else(|| matching().next()),
            (true, None) => matching().find(|line| *line >= top).or_else(|| matching().next()),
            (false, last) => {
                let end = last.unwrap_or(shown.end);
                matching().filter(|line| *line < end).last().or_else(|| matching().last())
            }
        };
        let Some(found) = found else { return false };
        self.found = Some(found);
        if !shown.contains(&found) {
            let wanted = found.saturating_sub(usize::from(viewport.height) / 2);
            let rows = isize::try_from(wanted).unwrap_or(isize::MAX) - isize::try_from(top).unwrap_or(isize::MAX);
            self.by(rows, viewport);
        }
        true
    }

    /// Moves by a key.
    pub(in crate::tui) fn go(&mut self, direction: Move, viewport: Viewport) {
        let page = isize::try_from(viewport.height.saturating_sub(1).max(1)).unwrap_or(1);
        match direction {
            Move::Up => self.by(-1, viewport),
            Move::Down => self.by(1, viewport),
            Move::PageUp => self.by(-page, viewport),
            Move::PageDown => self.by(page, viewport),
            Move::First => self.by(isize::MIN, viewport),
            Move::Last => self.by(isize::MAX, viewport),
        }
    }

    /// Moves by some rows: first into the history, then to the rows of its first page that have no room.
    pub(in crate::tui) fn by(&mut self, rows: isize, viewport: Viewport) {
        let up = self.screen().scrollback();
        let wanted = (up + usize::from(self.above)).saturating_add_signed(rows.saturating_neg());
        let reached = self.screen.scroll_to(wanted);
        let rest = u16::try_from(wanted - reached.min(wanted)).unwrap_or(u16::MAX);
        self.above = rest.min(self.hidden(viewport));
    }

    /// Whether the end is shown.
    pub(in crate::tui) fn is_at_end(&self) -> bool {
        self.above == 0 && self.screen().scrollback() == 0
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Screen").field("size", &self.screen().size()).finish_non_exhaustive()
    }
}
