//! The search for a row in the content of a tab.

use super::scroll::{Anchor, Body, RowStyle, Scroll, Viewport};

/// How many rows of an item are searched together.
const ROWS_AT_ONCE: usize = 500;

impl Scroll {
    /// Goes to the next row that matches, or to the one before, around the ends; whether there is one.
    pub(in crate::tui) fn find(
        &mut self,
        forwards: bool,
        is_match: &dyn Fn(&str) -> bool,
        body: &dyn Body,
        row_style: RowStyle,
        viewport: Viewport,
    ) -> bool {
        let seen = self.seen(body, viewport);
        let on_screen = |at: &Anchor| seen.iter().any(|(item, rows)| *item == at.item && rows.contains(&at.row));
        let start = self.found.filter(on_screen);
        let from = start.unwrap_or_else(|| self.top(body, viewport));
        let rows = |item: usize| matching_rows(body, item, is_match, row_style);
        let count = body.len();
        let first = |item: usize, skip: &dyn Fn(usize) -> bool| {
            let mut rows = rows(item).into_iter().filter(|row| !skip(*row)).map(|row| Anchor { item, row });
            if forwards { rows.next() } else { rows.next_back() }
        };
        let behind = |row: usize| match (forwards, start) {
            (true, Some(at)) => row <= at.row,
            (true, None) => row < from.row,
            (false, _) => row >= from.row,
        };
        let others = |range: std::ops::Range<usize>| match forwards {
            true => range.into_iter().find_map(|item| first(item, &|_| false)),
            false => range.into_iter().rev().find_map(|item| first(item, &|_| false)),
        };
        let (next, wrapped) = match forwards {
            true => (from.item + 1..count, 0..from.item.min(count)),
            false => (0..from.item.min(count), from.item + 1..count),
        };
        let found = first(from.item, &behind)
            .or_else(|| others(next))
            .or_else(|| others(wrapped))
            .or_else(|| first(from.item, &|_| false));
        let Some(at) = found else { return false };
        self.found = Some(at);
        if !on_screen(&at) {
            self.to(at, body, viewport);
        }
        true
    }

    /// Goes to the next tool call, file or hunk, or to the one before.
    pub(in crate::tui) fn go_to_landmark(&mut self, forwards: bool, body: &dyn Body, viewport: Viewport) {
        let top = self.top(body, viewport);
        let rows = |item: usize| 0..body.height(item, viewport.width);
        let landmark = |at: &Anchor| body.is_landmark(at.item, at.row, viewport.width);
        let all = |item: usize| rows(item).map(move |row| Anchor { item, row });
        let found = match forwards {
            true => (top.item..body.len()).flat_map(all).filter(|at| *at > top).find(landmark),
            false => (0..=top.item).rev().flat_map(|item| all(item).rev()).filter(|at| *at < top).find(landmark),
        };
        if let Some(at) = found {
            self.selected = (at.row == 0).then_some(at.item);
            self.to(at, body, viewport);
        }
    }
}

fn matching_rows(body: &dyn Body, item: usize, is_match: &dyn Fn(&str) -> bool, row_style: RowStyle) -> Vec<usize> {
    if item >= body.len() {
        return vec![];
    }
    let height = body.height(item, row_style.width);
    let mut found = vec![];
    for start in (0..height).step_by(ROWS_AT_ONCE) {
        let lines = body.rows(item, start..height.min(start + ROWS_AT_ONCE), row_style);
        found.extend(
            lines.iter().enumerate().filter(|(_, line)| is_match(&line.to_string())).map(|(row, _)| start + row),
        );
    }
    found
}
