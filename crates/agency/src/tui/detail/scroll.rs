//! Where one reads in something long.
//!
//! The one rule: a step costs what is seen of the text, never what there is of it.

use std::ops::Range;

use ratatui::text::Line;

use super::window::Ask;
use crate::tui::keys::Move;
use crate::tui::theme::Theme;

/// No line is read further to the right.
const MAX_LEFT: u16 = 4000;

/// Something that is shown as items of some rows each.
pub(in crate::tui) trait Body {
    /// How many items there are.
    fn len(&self) -> usize;

    /// How many rows an item has, at least one.
    fn height(&self, item: usize, width: u16) -> usize;

    /// Some rows of an item.
    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>>;

    /// Whether more comes at its end.
    fn grows(&self) -> bool;

    /// Whether long lines are cut, so that there is something to see right of what is shown.
    fn cuts(&self) -> bool {
        false
    }

    /// Whether its rows begin at [`RowStyle::left`] already, because they have columns that are cut each.
    fn has_columns(&self, _: u16) -> bool {
        false
    }

    /// Whether an item can be folded.
    fn folds(&self, item: usize) -> bool;

    /// Whether a row is one that is jumped to: a tool call, a file, a hunk.
    fn is_landmark(&self, item: usize, row: usize, _: u16) -> bool {
        row == 0 && self.folds(item)
    }

    /// Folds or unfolds an item.
    fn fold(&mut self, item: usize);

    /// Folds or unfolds all of them.
    fn fold_all(&mut self);

    /// Which part of it is seen, in words.
    fn position(&self, first: Anchor, last: Anchor, width: u16) -> String;
}

/// How something is shown.
#[derive(Debug, Clone, Copy)]
pub(in crate::tui) struct RowStyle {
    pub(in crate::tui) width: u16,
    /// The first column that is shown, where lines are cut.
    pub(in crate::tui) left: u16,
    pub(in crate::tui) theme: Theme,
}

/// A row of an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tui) struct Anchor {
    pub(in crate::tui) item: usize,
    pub(in crate::tui) row: usize,
}

/// How large the place is where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) struct Viewport {
    pub(in crate::tui) width: u16,
    pub(in crate::tui) height: u16,
}

/// Where one reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) struct Scroll {
    top: Anchor,
    /// Whether one stays at the end while more comes.
    pub(in crate::tui) following: bool,
    /// The item that was jumped to.
    pub(in crate::tui) selected: Option<usize>,
    /// The row that was found last.
    pub(super) found: Option<Anchor>,
    /// The row that is being chosen.
    pub(in crate::tui) cursor: Option<Anchor>,
    /// The first column that is shown, where lines are cut.
    left: u16,
}

impl Scroll {
    /// At the end, wherever it is.
    pub(in crate::tui) const END: Self =
        Self { top: Anchor { item: 0, row: 0 }, following: true, selected: None, found: None, cursor: None, left: 0 };
    /// At the beginning.
    pub(in crate::tui) const START: Self = Self { following: false, ..Self::END };

    /// The first column that is seen.
    pub(in crate::tui) fn left(&self, body: &dyn Body) -> u16 {
        if body.cuts() { self.left } else { 0 }
    }

    /// Moves by some columns.
    pub(in crate::tui) fn slide(&mut self, columns: i16) {
        self.left = self.left.saturating_add_signed(columns).min(MAX_LEFT);
    }

    /// The first row that is seen.
    pub(in crate::tui) fn top(&self, body: &dyn Body, viewport: Viewport) -> Anchor {
        let last = last_top(body, viewport);
        if self.following {
            return last;
        }
        let top = self.top.min(last);
        match body.len().checked_sub(1) {
            Some(most) if top.item <= most => {
                Anchor { row: top.row.min(body.height(top.item, viewport.width).saturating_sub(1)), ..top }
            }
            Some(_) | None => last,
        }
    }

    /// The rows that are seen, item by item.
    pub(in crate::tui) fn seen(&self, body: &dyn Body, viewport: Viewport) -> Vec<(usize, Range<usize>)> {
        let mut left = usize::from(viewport.height);
        let mut at = self.top(body, viewport);
        let mut seen = vec![];
        while left > 0 && at.item < body.len() {
            let end = body.height(at.item, viewport.width).min(at.row + left);
            left -= end.saturating_sub(at.row).min(left);
            seen.push((at.item, at.row..end));
            at = Anchor { item: at.item + 1, row: 0 };
        }
        seen
    }

    /// Moves by a key.
    pub(in crate::tui) fn go(&mut self, direction: Move, body: &dyn Body, viewport: Viewport) {
        let page = isize::try_from(viewport.height.saturating_sub(1).max(1)).unwrap_or(1);
        match direction {
            Move::Up => self.by(-1, body, viewport),
            Move::Down => self.by(1, body, viewport),
            Move::PageUp => self.by(-page, body, viewport),
            Move::PageDown => self.by(page, body, viewport),
            Move::First => self.to(Anchor::default(), body, viewport),
            Move::Last => self.to(last_top(body, viewport), body, viewport),
        }
    }

    /// Moves by some rows.
    pub(in crate::tui) fn by(&mut self, rows: isize, body: &dyn Body, viewport: Viewport) {
        let top = self.top(body, viewport);
        let wanted = match rows < 0 {
            true => back(body, viewport.width, top, rows.unsigned_abs()),
            false => forward(body, viewport.width, top, rows.unsigned_abs()),
        };
        self.to(wanted, body, viewport);
    }

    /// A view that reaches the end stays there.
    pub(super) fn to(&mut self, wanted: Anchor, body: &dyn Body, viewport: Viewport) {
        let last = last_top(body, viewport);
        self.following = wanted >= last && body.grows();
        self.top = wanted.min(last);
    }

    /// Stays where one is, though it is the end of what there is.
    pub(in crate::tui) fn stop_following(&mut self, body: &dyn Body, viewport: Viewport) {
        self.top = self.top(body, viewport);
        self.following = false;
    }

    /// Goes where one asked to go, now that it is there.
    pub(in crate::tui) fn arrive(&mut self, ask: Ask) {
        match ask {
            Ask::First => *self = Self::START,
            Ask::Last => *self = Self::END,
            Ask::Tail | Ask::Before(_) | Ask::After(_) => {}
        }
    }

    /// Jumps to the next item that can be folded, or to the one before.
    pub(in crate::tui) fn jump(&mut self, forwards: bool, body: &dyn Body, viewport: Viewport) {
        let seen = self.seen(body, viewport);
        let (Some((first, rows)), Some((last, _))) = (seen.first(), seen.last()) else { return };
        let near = self.selected.filter(|item| (*first..=*last).contains(item));
        let found = match (forwards, near) {
            (true, Some(item)) => (item + 1..body.len()).find(|item| body.folds(*item)),
            (true, None) => {
                let from = first + usize::from(rows.start > 0);
                (from..body.len()).find(|item| body.folds(*item))
            }
            (false, near) => (0..near.unwrap_or(last + 1)).rev().find(|item| body.folds(*item)),
        };
        let Some(item) = found else { return };
        self.selected = Some(item);
        let heading = seen.iter().any(|(seen, rows)| *seen == item && rows.start == 0);
        if !heading {
            self.to(Anchor { item, row: 0 }, body, viewport);
        }
    }

    /// The item that a key folds: the one that was jumped to, or the first that is seen.
    pub(in crate::tui) fn at_hand(&self, body: &dyn Body, viewport: Viewport) -> Option<usize> {
        let seen = self.seen(body, viewport);
        let is_seen = |item: &usize| seen.iter().any(|(seen, _)| seen == item);
        self.selected
            .filter(is_seen)
            .or_else(|| seen.iter().map(|(item, _)| *item).find(|item| body.folds(*item)))
            .filter(|item| body.folds(*item))
    }

    /// Folds or unfolds an item; its heading stays where it is, or comes to the top.
    pub(in crate::tui) fn fold(&mut self, item: usize, body: &mut dyn Body, viewport: Viewport) {
        let top = self.top(body, viewport);
        self.selected = Some(item);
        body.fold(item);
        let wanted = if top.item == item { Anchor { item, row: 0 } } else { top };
        self.to(wanted, body, viewport);
    }

    /// Folds or unfolds everything; the item at the top stays there.
    pub(in crate::tui) fn fold_all(&mut self, body: &mut dyn Body, viewport: Viewport) {
        let following = self.following;
        let top = self.top(body, viewport);
        body.fold_all();
        self.to(Anchor { row: 0, ..top }, body, viewport);
        self.following |= following;
    }

    /// The item on a row of the place, and whether it is its first row.
    pub(in crate::tui) fn item_at(&self, row: u16, body: &dyn Body, viewport: Viewport) -> Option<(usize, bool)> {
        let mut above = usize::from(row);
        for (item, rows) in self.seen(body, viewport) {
            if above < rows.len() {
                return Some((item, rows.start + above == 0));
            }
            above -= rows.len();
        }
        None
    }

    /// Begins to choose a row: the one that was found last, if it is seen, or the first that is; whether there is one.
    pub(in crate::tui) fn begin_choosing(&mut self, body: &dyn Body, viewport: Viewport) -> bool {
        let seen = self.seen(body, viewport);
        let is_seen = |at: &Anchor| seen.iter().any(|(item, rows)| *item == at.item && rows.contains(&at.row));
        let first = seen.first().map(|(item, rows)| Anchor { item: *item, row: rows.start });
        self.cursor = self.found.filter(is_seen).or(first);
        self.cursor.is_some()
    }

    /// Moves the row that is being chosen, and what is seen along with it.
    pub(in crate::tui) fn move_cursor(&mut self, direction: Move, body: &dyn Body, viewport: Viewport) {
        let (Some(cursor), width) = (self.cursor, viewport.width) else { return };
        let page = usize::from(viewport.height.saturating_sub(1).max(1));
        let last = back(body, width, Anchor { item: body.len(), row: 0 }, 1);
        let wanted = match direction {
            Move::Up => back(body, width, cursor, 1),
            Move::Down => forward(body, width, cursor, 1),
            Move::PageUp => back(body, width, cursor, page),
            Move::PageDown => forward(body, width, cursor, page),
            Move::First => Anchor::default(),
            Move::Last => last,
        }
        .min(last);
        self.cursor = Some(wanted);
        let above = back(body, width, wanted, page);
        if wanted < self.top(body, viewport) {
            self.to(wanted, body, viewport);
        } else if self.top(body, viewport) < above {
            self.to(above, body, viewport);
        }
    }

    /// The items have other numbers now.
    pub(in crate::tui) fn renumber(&mut self, now: impl Fn(usize) -> Option<usize>) {
        match now(self.top.item) {
            Some(item) => self.top.item = item,
            None => self.top = Anchor::default(),
        }
        self.selected = self.selected.and_then(&now);
        self.cursor = self.cursor.and_then(|at| Some(Anchor { item: now(at.item)?, ..at }));
    }

    /// The item at the top, as it was when the user last moved.
    pub(in crate::tui) const fn top_item(&self) -> usize {
        self.top.item
    }
}

/// Where the last page begins.
fn last_top(body: &dyn Body, viewport: Viewport) -> Anchor {
    let end = Anchor { item: body.len(), row: 0 };
    back(body, viewport.width, end, usize::from(viewport.height.max(1)))
}

fn back(body: &dyn Body, width: u16, from: Anchor, rows: usize) -> Anchor {
    let mut left = rows;
    let mut at = from;
    loop {
        if at.row >= left {
            return Anchor { row: at.row - left, ..at };
        }
        left -= at.row;
        match at.item.checked_sub(1) {
            Some(item) => at = Anchor { item, row: body.height(item, width) },
            None => return Anchor::default(),
        }
    }
}

fn forward(body: &dyn Body, width: u16, from: Anchor, rows: usize) -> Anchor {
    let mut left = rows;
    let mut at = from;
    while at.item < body.len() {
        let height = body.height(at.item, width);
        if at.row + left < height {
            return Anchor { row: at.row + left, ..at };
        }
        left -= height.saturating_sub(at.row);
        at = Anchor { item: at.item + 1, row: 0 };
    }
    at
}

#[cfg(test)]
mod tests;
