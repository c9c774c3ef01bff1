//! Shows the state. Nothing here changes anything.

mod confirm;
mod detail;
mod editor;
mod footer;
mod form;
mod header;
mod help;
mod inbox;
mod paint;
mod palette;
mod runs;
mod steps;
mod yank;

#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(super) use detail::tab_at;
pub(super) use header::badge;
use paint::Paint;
pub(super) use paint::width;

use super::layout::Areas;
use super::state::{Focus, Overlay, State};
use super::theme::Role;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let mut paint = Paint { buffer: frame.buffer_mut(), theme: state.theme };
    // The terminal may have shrunk since the state recorded its size.
    let areas = Areas::of((area.width.min(state.size.0), area.height.min(state.size.1)), state.focus, state.panes());
    header::draw(&mut paint, areas.header, state);
    for row in areas.divider.rows() {
        let across = state.theme.glyph("─", "-").repeat(usize::from(row.width));
        paint.text(row, if row.width == 1 { state.theme.glyph("│", "|") } else { &across }, Role::Border);
    }
    frames(&mut paint, &areas, state);
    runs::draw(&mut paint, areas.list, state);
    detail::draw(&mut paint, &areas, state);
    for front in &state.overlays {
        match front {
            Overlay::Help { top } => help::draw(&mut paint, areas.body, *top, &state.search),
            Overlay::Confirm(confirm) => confirm::draw(&mut paint, areas.body, confirm),
            Overlay::Form(form) => form::draw(&mut paint, areas.body, form, state.forms.agents.as_ref()),
            Overlay::Steps(steps) => steps::draw(&mut paint, areas.body, steps, state),
            Overlay::Palette(palette) => palette::draw(&mut paint, areas.body, palette, state),
            Overlay::Filter | Overlay::Search | Overlay::DiffLine => {}
            Overlay::Inbox => inbox::draw(&mut paint, areas.body, state),
            Overlay::Editor(editor) => editor::draw(&mut paint, areas.body, editor),
            Overlay::Yank(row) => yank::draw(&mut paint, areas.body, row),
        }
    }
    footer::draw(&mut paint, areas.footer, state);
}

/// Frames around the list and the tab; the one that takes the keys stands out.
fn frames(paint: &mut Paint<'_>, areas: &Areas, state: &State) {
    let role = |in_front| if in_front { Role::Focus } else { Role::Border };
    paint.frame(areas.list_frame, role(list_in_front(state)));
    paint.frame(areas.detail_frame, role(state.focus == Focus::Detail && state.overlays.is_empty()));
    if areas.list_frame.height > 0 {
        let row = Rect { x: areas.list.x - 1, width: areas.list.width, height: 1, ..areas.list_frame };
        let order = format!(" {}, {} ", state.runs.grouping.as_str(), state.runs.sorting.as_str());
        let used = paint.text(row, " Runs ", Role::Title);
        paint.right(Rect { x: row.x + used, width: row.width.saturating_sub(used), ..row }, &order, Role::Quiet);
    }
}

/// Whether the list takes the keys.
fn list_in_front(state: &State) -> bool {
    state.focus == Focus::List && matches!(state.overlays.last(), None | Some(Overlay::Filter))
}

/// Clears a place for something in front.
fn clear(buffer: &mut Buffer, area: Rect) {
    use ratatui::widgets::Widget;
    ratatui::widgets::Clear.render(area, buffer);
}
