//! The help, from the table of keys.

use ratatui::layout::Rect;

use super::paint::Paint;
use crate::tui::help::{HelpLine, lines};
use crate::tui::search::Search;
use crate::tui::theme::Role;

/// How wide the names of the keys are.
const KEYS: u16 = 18;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, top: usize, search: &Search) {
    super::clear(paint.buffer, body);
    let all = lines();
    let (count, last) = (all.len(), all.len().min(top + usize::from(body.height)));
    if count > usize::from(body.height) {
        let row = Rect { height: body.height.min(1), ..body };
        let more = paint.theme.glyph("↓ ", "");
        let more = if last < count { more } else { "" };
        paint.right(row, &format!("{more}{}–{last} of {count}", top + 1), Role::Quiet);
    }
    for (row, line) in body.rows().zip(all.into_iter().skip(top)) {
        match line {
            HelpLine::Title(title) => {
                paint.text(row, title, Role::Title);
            }
            HelpLine::Key { keys, help } => {
                let names = Rect { x: row.x + 2.min(row.width), width: KEYS.min(row.width.saturating_sub(2)), ..row };
                paint.text(names, &keys, Role::Accent);
                let rest = Rect { x: names.right() + 1, width: row.width.saturating_sub(KEYS + 3), ..row };
                paint.text(rest, help, Role::Plain);
            }
            HelpLine::Empty => {}
        }
        paint.mark(row, search);
    }
}
