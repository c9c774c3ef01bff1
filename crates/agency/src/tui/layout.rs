//! Where things are on the terminal: for drawing them, and for knowing what was clicked.

use ratatui::layout::{Position, Rect};

use super::state::Focus;

/// From this width on, the list and the tabs stand side by side.
const MIN_SPLIT_WIDTH: u16 = 100;

/// The places. What is not shown is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Areas {
    pub(super) header: Rect,
    pub(super) list: Rect,
    pub(super) divider: Rect,
    pub(super) tabs: Rect,
    pub(super) detail: Rect,
    pub(super) footer: Rect,
    /// Everything between header and footer.
    pub(super) body: Rect,
}

impl Areas {
    /// `alone`: the tabs take the place of the list, too, while they are in front.
    pub(super) fn of((columns, rows): (u16, u16), focus: Focus, alone: bool) -> Self {
        let body = Rect::new(0, 1.min(rows), columns, rows.saturating_sub(2));
        let side_by_side = columns >= MIN_SPLIT_WIDTH && !(alone && focus == Focus::Detail);
        let list_width = match (side_by_side, focus) {
            (true, _) => (columns * 9 / 20).clamp(46, 96),
            (false, Focus::List) => columns,
            (false, Focus::Detail) => 0,
        };
        let divider_width = u16::from(side_by_side);
        let right = Rect::new(
            list_width + divider_width,
            body.y,
            columns.saturating_sub(list_width + divider_width),
            body.height,
        );
        let tabs_height = right.height.min(1).min(right.width);
        Self {
            header: Rect::new(0, 0, columns, 1.min(rows)),
            list: Rect { width: list_width, ..body },
            divider: Rect::new(list_width, body.y, divider_width, body.height),
            tabs: Rect { height: tabs_height, ..right },
            detail: Rect { y: right.y + tabs_height, height: right.height - tabs_height, ..right },
            footer: Rect::new(0, rows.saturating_sub(1), columns, u16::from(rows > 1)),
            body,
        }
    }

    /// Whether the tabs can be seen.
    pub(super) const fn shows_detail(&self) -> bool {
        self.detail.width > 0
    }
}

/// The place of something in front: as large as it needs to be, in the middle of the body.
pub(super) fn middle(body: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(body.width), height.min(body.height));
    Rect::new(body.x + (body.width - width) / 2, body.y + (body.height - height) / 2, width, height)
}

/// Whether something was clicked.
pub(super) fn hits(area: Rect, column: u16, row: u16) -> bool {
    area.contains(Position::new(column, row))
}
