//! The choice of the text to copy.

use agency_engine::store::RunRow;
use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::tui::effect::label;
use crate::tui::layout::middle;
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, row: &RunRow) {
    let branch = row.new_branch.as_deref();
    let lines =
        [("i", "id", row.id.as_str()), ("p", "path", row.directory()), ("b", "branch", branch.unwrap_or("none"))];
    let title = format!("Copy of {}", label(row));
    let widest = lines.iter().map(|(_, _, text)| width(text)).max().unwrap_or_default();
    let wide = widest.saturating_add(10).max(width(&title) + 2).saturating_add(4);
    let inside = paint.boxed(middle(body, wide, 5), &title);
    for (place, (key, name, text)) in inside.rows().zip(lines) {
        let role = if key == "b" && branch.is_none() { Role::Quiet } else { Role::Plain };
        let name = format!(" {name:<7} ");
        paint.pieces(place, &[(key, Role::Accent), (&name, Role::Quiet), (text, role)]);
    }
}
