//! The inbox: the questions, and one of them as a whole.

use agency_engine::store::QuestionRow;
use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::command::inbox::plain;
use crate::output::ago;
use crate::tui::effect::label;
use crate::tui::inbox::{Looks, Standing, items, list_top, looks, standing};
use crate::tui::state::{Front, State};
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, state: &State) {
    super::clear(paint.buffer, body);
    let looks = looks(state, body);
    draw_list(paint, looks.list, state);
    draw_bar(paint, &looks, state);
    let top = state.inbox.top.min(looks.last_top());
    for (row, (line, role)) in looks.text.rows().zip(looks.lines.iter().skip(top)) {
        paint.text(row, line, *role);
    }
    for (row, (line, role)) in looks.closing.rows().zip(&looks.closing_lines) {
        paint.text(row, line, *role);
    }
}

fn draw_list(paint: &mut Paint<'_>, area: Rect, state: &State) {
    let items = items(state);
    let shown = state.inbox.shown().map(|row| &row.id);
    let selected = items.iter().position(|row| Some(&row.id) == shown);
    let top = list_top(selected, items.len(), area.height);
    for ((index, item), row) in items.iter().enumerate().skip(top).zip(area.rows()) {
        draw_item(paint, row, item, state);
        if selected == Some(index) {
            let in_front = matches!(state.fronts.last(), Some(Front::Inbox));
            paint.restyle(row, state.theme.selected(in_front));
        }
    }
}

/// One line: how it stands, who asks, what, and since when.
fn draw_item(paint: &mut Paint<'_>, row: Rect, item: &QuestionRow, state: &State) {
    let theme = state.theme;
    let (sign, role) = match standing(state, &item.id) {
        Standing::Open => ("?", Role::Urgent),
        Standing::Sending => (theme.glyph("…", "~"), Role::Busy),
        Standing::Answered => (theme.glyph("✓", "+"), Role::Good),
        Standing::Gone => (theme.glyph("–", "-"), Role::Quiet),
    };
    let run = state.runs.get(&item.run_id).map_or_else(|| item.run_id.to_string(), |entry| label(&entry.row));
    let used = paint.right(row, &format!(" {}", ago(state.now, item.asked_at)), Role::Quiet);
    let left = Rect { width: row.width - used, ..row };
    let kind = format!("{} ", item.question.kind);
    let title = plain(&item.question.title);
    let pieces = [
        (sign, role),
        (" ", Role::Plain),
        (run.as_str(), Role::Title),
        (" ", Role::Plain),
        (kind.as_str(), Role::Quiet),
        (title.as_str(), Role::Plain),
    ];
    paint.pieces(left, &pieces);
}

/// What separates the list from the question, and how much of it is shown where it is long.
fn draw_bar(paint: &mut Paint<'_>, looks: &Looks, state: &State) {
    let theme = state.theme;
    let stands = looks.bar != looks.more;
    for row in looks.bar.rows() {
        let across = theme.glyph("─", "-").repeat(usize::from(row.width));
        paint.text(row, if stands { theme.glyph("│", "|") } else { &across }, Role::Quiet);
    }
    let (count, height) = (looks.lines.len(), usize::from(looks.text.height));
    if count <= height || height == 0 {
        return;
    }
    let top = state.inbox.top.min(looks.last_top());
    let words = format!(" {}-{} of {count}: J reads on ", top + 1, top + height);
    if width(&words) < looks.more.width {
        paint.right(looks.more, &words, Role::Busy);
    }
}
