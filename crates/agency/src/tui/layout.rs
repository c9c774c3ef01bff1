//! Where things are on the terminal: for drawing them, and for knowing what was clicked.

use ratatui::layout::{Position, Rect};

use super::state::Focus;

/// From this width on, the list and the tabs stand side by side.
const MIN_SPLIT_WIDTH: u16 = 100;
/// So wide, the list has room for the agents, where so much is left for the tabs.
const WITH_AGENT: u16 = 63;
const MIN_TAB_WIDTH: u16 = 57;
/// From this height on, they have frames.
const MIN_FRAMED_HEIGHT: u16 = 20;
/// On a narrower terminal of at least this size, the tabs stand below the list.
const MIN_STACKED: (u16, u16) = (60, 24);

/// Which of the two there are, as far as there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Panes {
    /// There is no run to look inside.
    List,
    Both,
    /// The tabs take the place of the list, too, while they are in front.
    DetailAlone,
}

/// The places. What is not shown is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Areas {
    pub(super) header: Rect,
    pub(super) list: Rect,
    /// Between list and tabs; one column, or one row that has the names of the tabs.
    pub(super) divider: Rect,
    /// The frames around the list and around the tab, of which the second has the names of the tabs in its first row.
    pub(super) list_frame: Rect,
    pub(super) detail_frame: Rect,
    pub(super) tabs: Rect,
    pub(super) detail: Rect,
    pub(super) footer: Rect,
    /// Everything between header and footer.
    pub(super) body: Rect,
}

impl Areas {
    pub(super) fn of((columns, rows): (u16, u16), focus: Focus, panes: Panes) -> Self {
        let body = Rect::new(0, 1.min(rows), columns, rows.saturating_sub(2));
        let side_by_side = columns >= MIN_SPLIT_WIDTH && !(panes == Panes::DetailAlone && focus == Focus::Detail);
        let has_room_below = columns >= MIN_STACKED.0 && rows >= MIN_STACKED.1;
        if !side_by_side && focus == Focus::List && panes != Panes::List && has_room_below {
            return Self::stacked(columns, rows, body);
        }
        let list_width = match (side_by_side, focus) {
            (true, _) => (columns * 9 / 20).max(WITH_AGENT.min(columns.saturating_sub(MIN_TAB_WIDTH))).clamp(46, 96),
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
        let header = Rect::new(0, 0, columns, 1.min(rows));
        let footer = Rect::new(0, rows.saturating_sub(1), columns, u16::from(rows > 1));
        if side_by_side && rows >= MIN_FRAMED_HEIGHT {
            let list_frame = Rect { width: list_width, ..body };
            let detail_frame = Rect { x: list_width, width: columns - list_width, ..body };
            let list = inside(list_frame);
            let detail = inside(detail_frame);
            let tabs = Rect { y: detail_frame.y, height: 1, ..detail };
            let none = Rect::default();
            return Self { header, list, divider: none, list_frame, detail_frame, tabs, detail, footer, body };
        }
        Self {
            header,
            list: Rect { width: list_width, ..body },
            list_frame: Rect::default(),
            detail_frame: Rect::default(),
            divider: Rect::new(list_width, body.y, divider_width, body.height),
            tabs: Rect { height: tabs_height, ..right },
            detail: Rect { y: right.y + tabs_height, height: right.height - tabs_height, ..right },
            footer,
            body,
        }
    }

    /// The list above the tabs.
    fn stacked(columns: u16, rows: u16, body: Rect) -> Self {
        let list = Rect { height: body.height * 9 / 20, ..body };
        let divider = Rect { y: list.bottom(), height: 1, ..body };
        Self {
            header: Rect::new(0, 0, columns, 1),
            list,
            list_frame: Rect::default(),
            detail_frame: Rect::default(),
            tabs: Rect { x: divider.x + 1, width: divider.width - 2, ..divider },
            divider,
            detail: Rect { y: divider.bottom(), height: body.bottom() - divider.bottom(), ..body },
            footer: Rect::new(0, rows - 1, columns, 1),
            body,
        }
    }

    /// Whether the tabs can be seen.
    pub(super) const fn shows_detail(&self) -> bool {
        self.detail.width > 0
    }
}

/// What is inside a frame, with a free column on both sides.
pub(super) fn inside(frame: Rect) -> Rect {
    Rect::new(frame.x + 2, frame.y + 1, frame.width.saturating_sub(4), frame.height.saturating_sub(2))
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
