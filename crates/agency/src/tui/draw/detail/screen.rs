//! The screen of an agent.

use ratatui::buffer::Cell as BufferCell;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::Widget;
use tui_term::widget::{Cell, Cursor, PseudoTerminal, Screen as Shown};

use crate::tui::detail::{Screen, Viewport};
use crate::tui::draw::paint::Paint;

/// The part of a screen that there is room for.
struct Picture<'a> {
    cells: Vec<Option<Glyph<'a>>>,
    width: u16,
    cursor: Option<(u16, u16)>,
}

/// One place of a screen.
struct Glyph<'a> {
    cell: &'a vt100::Cell,
    colour: bool,
}

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, shown: &Screen) {
    let area = area.intersection(paint.buffer.area);
    if area.is_empty() {
        return;
    }
    let part = shown.visible_rows(Viewport { width: area.width, height: area.height });
    let screen = shown.screen();
    let colour = paint.theme.colour;
    let places = (0..area.height).flat_map(|row| (0..area.width).map(move |column| (row, column)));
    let cells = places
        .map(|(row, column)| {
            let cell = screen.cell(part.first.saturating_add(row), part.left.saturating_add(column))?;
            // Half of a wide character has no place at the right edge.
            let fits = !cell.is_wide() || column + 1 < area.width;
            (fits && !cell.is_wide_continuation()).then_some(Glyph { cell, colour })
        })
        .collect();
    let (row, column) = screen.cursor_position();
    let row = usize::from(row) + part.up;
    let cursor = row.checked_sub(usize::from(part.first)).and_then(|row| u16::try_from(row).ok());
    let column = column.checked_sub(part.left);
    let cursor = cursor.filter(|_| !screen.hide_cursor() && !shown.over).zip(column);
    let picture = Picture { cells, width: area.width, cursor };
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    let cursor = Cursor::default().symbol(" ").style(reversed).overlay_style(reversed);
    PseudoTerminal::new(&picture).cursor(cursor).render(area, paint.buffer);
}

impl<'a> Shown for Picture<'a> {
    type C = Glyph<'a>;

    fn cell(&self, row: u16, column: u16) -> Option<&Glyph<'a>> {
        let index = usize::from(row) * usize::from(self.width) + usize::from(column);
        self.cells.get(index)?.as_ref().filter(|_| column < self.width)
    }

    fn hide_cursor(&self) -> bool {
        self.cursor.is_none()
    }

    fn cursor_position(&self) -> (u16, u16) {
        self.cursor.unwrap_or_default()
    }
}

impl Cell for Glyph<'_> {
    fn has_contents(&self) -> bool {
        self.cell.has_contents()
    }

    fn apply(&self, place: &mut BufferCell) {
        if self.cell.has_contents() {
            place.set_symbol(self.cell.contents());
        }
        let mut modifier = Modifier::empty();
        modifier.set(Modifier::BOLD, self.cell.bold());
        modifier.set(Modifier::DIM, self.cell.dim());
        modifier.set(Modifier::ITALIC, self.cell.italic());
        modifier.set(Modifier::UNDERLINED, self.cell.underline());
        modifier.set(Modifier::REVERSED, self.cell.inverse());
        let mut style = Style::new().add_modifier(modifier);
        if self.colour {
            style = style.fg(colour(self.cell.fgcolor())).bg(colour(self.cell.bgcolor()));
        }
        place.set_style(style);
    }
}

const fn colour(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
