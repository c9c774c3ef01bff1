//! The inbox: the questions, and one of them as a whole.

use agency_engine::store::QuestionRow;
use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::output::ago;
use crate::output::plain;
use crate::tui::effect::label;
use crate::tui::inbox::{AnswerStatus, InboxLayout, items, layout, list_top, standing};
use crate::tui::state::{Overlay, State};
use crate::tui::theme::Role;

/// So wide, a line of the list has room for the kind of its question, which stands above the question, too.
const MIN_KIND_WIDTH: u16 = 60;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, state: &State) {
    super::clear(paint.buffer, body);
    let layout = layout(state, body);
    let in_front = matches!(state.overlays.last(), Some(Overlay::Inbox));
    let [list_frame, question_frame] = layout.frames;
    paint.frame(list_frame, if in_front { Role::Focus } else { Role::Border });
    paint.frame(question_frame, Role::Border);
    if list_frame.height > 0 {
        let row = Rect { x: list_frame.x + 1, width: list_frame.width - 2, height: 1, ..list_frame };
        paint.text(row, " Questions ", Role::Title);
    }
    draw_list(paint, layout.list, state);
    draw_bar(paint, &layout, state);
    let top = state.inbox.top.min(layout.last_top());
    for (row, (line, role)) in layout.text.rows().zip(layout.lines.iter().skip(top)) {
        paint.text(row, line, *role);
    }
    for (row, (line, role)) in layout.closing.rows().zip(&layout.closing_lines) {
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
            let in_front = matches!(state.overlays.last(), Some(Overlay::Inbox));
            paint.restyle(row, state.theme.selected(in_front));
        }
    }
}

/// One line: its state, the run, the question, and its age.
fn draw_item(paint: &mut Paint<'_>, row: Rect, item: &QuestionRow, state: &State) {
    let theme = state.theme;
    let (sign, role) = match standing(state, &item.id) {
        AnswerStatus::Open => ("?", Role::Urgent),
        AnswerStatus::Sending => (theme.glyph("…", "~"), Role::Busy),
        AnswerStatus::Answered => (theme.glyph("✓", "+"), Role::Good),
        AnswerStatus::Gone => (theme.glyph("–", "-"), Role::Quiet),
    };
    let run = state.runs.get(&item.run_id).map_or_else(|| item.run_id.to_string(), |entry| label(&entry.row));
    let used = paint.right(row, &format!(" {}", ago(state.now, item.asked_at)), Role::Quiet);
    let left = Rect { width: row.width - used, ..row };
    let kind = if row.width < MIN_KIND_WIDTH { String::new() } else { format!("{} ", item.question.kind) };
    let title = plain(&item.question.title);
    let mark = if state.inbox.is_marked(&item.id) { "*" } else { " " };
    let pieces = [
        (sign, role),
        (mark, Role::Accent),
        (run.as_str(), Role::Title),
        (" ", Role::Plain),
        (kind.as_str(), Role::Quiet),
        (title.as_str(), Role::Plain),
    ];
    paint.pieces(left, &pieces);
}

/// What separates the list from the question, and how much of it is shown where it is long.
fn draw_bar(paint: &mut Paint<'_>, layout: &InboxLayout, state: &State) {
    let theme = state.theme;
    let stands = layout.bar != layout.more;
    for row in layout.bar.rows() {
        let across = theme.glyph("─", "-").repeat(usize::from(row.width));
        paint.text(row, if stands { theme.glyph("│", "|") } else { &across }, Role::Quiet);
    }
    let (count, height) = (layout.lines.len(), usize::from(layout.text.height));
    if count <= height || height == 0 {
        return;
    }
    let top = state.inbox.top.min(layout.last_top());
    let words = format!(" {}-{} of {count}: J reads on ", top + 1, top + height);
    if width(&words) < layout.more.width {
        paint.right(layout.more, &words, Role::Busy);
    }
}
