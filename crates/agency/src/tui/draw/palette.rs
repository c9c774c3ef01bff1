//! The commands.

use ratatui::layout::Rect;

use super::paint::Paint;
use crate::tui::palette::{Palette, key_of};
use crate::tui::state::State;
use crate::tui::theme::Role;

/// How wide the names of the keys are.
const KEYS: u16 = 8;
const MAX_WIDTH: u16 = 80;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, palette: &Palette, state: &State) {
    let wide = body.width.saturating_sub(4).min(MAX_WIDTH);
    let place = Rect { x: body.x + (body.width - wide) / 2, width: wide, ..body };
    let inside = paint.boxed(place, "Commands");
    let mut rows = inside.rows();
    let Some(first) = rows.next() else { return };
    let cursor = state.theme.glyph("▏", "_");
    paint.pieces(first, &[(": ", Role::Accent), (&palette.text, Role::Plain), (cursor, Role::Accent)]);
    let found = palette.found(state);
    let selected = palette.selected.min(found.len().saturating_sub(1));
    let high = usize::from(inside.height.saturating_sub(1)).max(1);
    let top = (selected + 1).saturating_sub(high);
    if found.is_empty()
        && let Some(row) = inside.rows().nth(1)
    {
        paint.text(row, "No action matches.", Role::Quiet);
    }
    for (index, (row, binding)) in rows.zip(found.iter().skip(top)).enumerate() {
        paint.text(Rect { width: KEYS.min(row.width), ..row }, &key_of(binding), Role::Accent);
        let rest = Rect { x: row.x + KEYS.min(row.width), width: row.width.saturating_sub(KEYS), ..row };
        paint.text(rest, binding.help, Role::Plain);
        if top + index == selected {
            paint.restyle(row, state.theme.selected(true));
        }
    }
}
