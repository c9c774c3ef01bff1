//! Putting text on the screen: never beyond its place, and with a sign where it is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::tui::clip::without_start;
use crate::tui::search::Search;
use crate::tui::theme::{Role, Theme};

/// Somewhere to paint.
pub(in crate::tui) struct Paint<'a> {
    pub(in crate::tui) buffer: &'a mut Buffer,
    pub(in crate::tui) theme: Theme,
}

/// How wide a text is on the screen.
pub(in crate::tui) fn width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

impl Paint<'_> {
    /// Puts a text on the first row of a place; how wide it is there.
    pub(in crate::tui) fn text(&mut self, area: Rect, text: &str, role: Role) -> u16 {
        self.styled(area, text, self.theme.style(role))
    }

    /// The same in any style.
    pub(in crate::tui) fn styled(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return 0;
        }
        let whole = usize::from(area.width);
        // A long text is not measured to its end.
        let fits = text.len() <= whole || (text.len() < whole * 8 && usize::from(width(text)) <= whole);
        if fits {
            let (end, _) = self.buffer.set_stringn(area.x, area.y, text, whole, style);
            return end - area.x;
        }
        let (end, _) = self.buffer.set_stringn(area.x, area.y, text, whole.saturating_sub(1), style);
        let (end, _) = self.buffer.set_stringn(end, area.y, self.theme.glyph("…", "~"), 1, style);
        end - area.x
    }

    /// Puts pieces of text one after the other.
    pub(in crate::tui) fn pieces(&mut self, area: Rect, pieces: &[(&str, Role)]) -> u16 {
        let mut used = 0;
        for (text, role) in pieces {
            let left = Rect { x: area.x + used, width: area.width - used, ..area };
            used += self.text(left, text, *role);
        }
        used
    }

    /// Puts a text at the right end of a place; how wide it is there.
    pub(in crate::tui) fn right(&mut self, area: Rect, text: &str, role: Role) -> u16 {
        let wide = width(text).min(area.width);
        self.text(Rect { x: area.right() - wide, width: wide, ..area }, text, role)
    }

    /// Puts a line of the library's own kind from one of its columns on, without its colours where colours are off.
    pub(in crate::tui) fn line(&mut self, area: Rect, line: &Line<'_>, from: u16) {
        if from > 0 {
            let rest = without_start(line, from);
            return self.line(area, &rest, 0);
        }
        let area = Rect { height: area.height.min(1), ..area.intersection(self.buffer.area) };
        let mut left = area;
        let mut spans = line.spans.iter();
        while let Some(span) = spans.next() {
            let mut style = line.style.patch(span.style);
            if !self.theme.colour {
                (style.fg, style.bg) = (None, None);
            }
            let used = self.styled(left, &span.content, style).min(left.width);
            left = Rect { x: left.x + used, width: left.width - used, ..left };
            if left.is_empty() {
                if area.width > 0 && spans.any(|span| !span.content.is_empty()) {
                    self.styled(Rect { x: area.right() - 1, width: 1, ..area }, self.theme.glyph("…", "~"), style);
                }
                return;
            }
        }
    }

    /// Gives a whole place another style.
    pub(in crate::tui) fn restyle(&mut self, area: Rect, style: Style) {
        self.buffer.set_style(area.intersection(self.buffer.area), style);
    }

    /// Marks what is looked for on a row.
    pub(in crate::tui) fn mark(&mut self, row: Rect, search: &Search) {
        let row = Rect { height: row.height.min(1), ..row.intersection(self.buffer.area) };
        if !search.is_active() || row.is_empty() {
            return;
        }
        let (mut text, mut columns) = (String::new(), vec![]);
        for x in row.x..row.right() {
            let symbol = self.buffer[(x, row.y)].symbol();
            columns.extend(std::iter::repeat_n(x, symbol.len()));
            text.push_str(symbol);
        }
        for found in search.matches(&text) {
            let (Some(first), Some(last)) = (columns.get(found.start), columns.get(found.end - 1)) else { continue };
            let place = Rect { x: *first, width: last - first + 1, ..row };
            self.restyle(place, Style::new().add_modifier(Modifier::REVERSED));
        }
    }

    /// A frame around a place.
    pub(in crate::tui) fn frame(&mut self, area: Rect, role: Role) {
        if area.height < 2 || area.width < 2 {
            return;
        }
        let (top_left, top_right) = (self.theme.glyph("╭", "+"), self.theme.glyph("╮", "+"));
        let (bottom_left, bottom_right) = (self.theme.glyph("╰", "+"), self.theme.glyph("╯", "+"));
        let (across, down) = (self.theme.glyph("─", "-"), self.theme.glyph("│", "|"));
        let bar = across.repeat(usize::from(area.width) - 2);
        let row = |y| Rect { y, height: 1, ..area };
        self.pieces(row(area.y), &[(top_left, role), (&bar, role), (top_right, role)]);
        self.pieces(row(area.bottom() - 1), &[(bottom_left, role), (&bar, role), (bottom_right, role)]);
        for y in area.y + 1..area.bottom() - 1 {
            self.text(Rect { width: 1, ..row(y) }, down, role);
            self.text(Rect { x: area.right() - 1, width: 1, ..row(y) }, down, role);
        }
    }

    /// A framed place in front of everything, with a title; what is inside the frame.
    pub(in crate::tui) fn boxed(&mut self, area: Rect, title: &str) -> Rect {
        super::clear(self.buffer, area.intersection(self.buffer.area));
        if area.height < 3 || area.width < 4 {
            return area;
        }
        self.frame(area, Role::Focus);
        let row = |y| Rect { y, height: 1, ..area };
        let title = format!(" {title} ");
        self.text(Rect { x: area.x + 1, width: area.width - 2, ..row(area.y) }, &title, Role::Title);
        Rect::new(area.x + 2, area.y + 1, area.width - 4, area.height - 2)
    }
}
