//! A text that is being written.

use ratatui::layout::Rect;

use super::paint::Paint;
use crate::tui::editor::Editor;
use crate::tui::layout::middle;

/// A text is read best in lines that are not too long.
const MAX_WIDTH: u16 = 100;
const MAX_HEIGHT: u16 = 20;
const MIN_HEIGHT: u16 = 5;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, editor: &Editor) {
    let wide = (body.width - body.width / 8).min(MAX_WIDTH);
    let high = (body.height - body.height / 4).clamp(MIN_HEIGHT, MAX_HEIGHT);
    let title = crate::output::plain(&editor.title);
    let inside = paint.boxed(middle(body, wide, high), &title);
    editor.writing.draw(inside, paint.buffer);
}
