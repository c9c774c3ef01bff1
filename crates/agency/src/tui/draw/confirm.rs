//! Really?

use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::tui::confirm::Confirm;
use crate::tui::layout::middle;
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, confirm: &Confirm) {
    let widest = confirm.lines.iter().map(|line| width(line)).max().unwrap_or_default();
    let wide = widest.max(width(&confirm.title) + 2).saturating_add(4);
    let high = u16::try_from(confirm.lines.len()).unwrap_or(u16::MAX).saturating_add(4);
    let inside = paint.boxed(middle(body, wide, high), &confirm.title);
    let keys = Rect { y: inside.bottom().saturating_sub(1), height: 1, ..inside };
    for (row, line) in inside.rows().take(usize::from(inside.height.saturating_sub(2))).zip(&confirm.lines) {
        paint.text(row, line, Role::Plain);
    }
    paint.pieces(keys, &[("y", Role::Accent), (" yes   ", Role::Plain), ("n", Role::Accent), (" no", Role::Plain)]);
}
