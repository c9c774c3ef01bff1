//! Lines of a file, each on one row: events and logs.

use std::ops::Range;

use ratatui::text::Line;

use super::scroll::{Anchor, Body, RowStyle, Scroll};
use super::window::{Change, Load, Window};

/// The lines that are loaded.
#[derive(Debug, Default)]
pub(in crate::tui) struct LoadedLines {
    pub(super) window: Window<Line<'static>>,
}

impl LoadedLines {
    /// Takes in what was loaded.
    pub(in crate::tui) fn take(&mut self, load: Load<Line<'static>>, scroll: &mut Scroll) {
        let top = scroll.top_item();
        let offset = self.window.offset(top);
        let ask = load.ask;
        match self.window.take(load, scroll.following) {
            Change::Nothing | Change::Appended(_) => {}
            Change::Moved | Change::Replaced => scroll.renumber(|_| Some(self.window.index_of(offset))),
        }
        scroll.arrive(ask);
    }
}

impl Body for LoadedLines {
    fn len(&self) -> usize {
        self.window.len()
    }

    fn height(&self, _: usize, _: u16) -> usize {
        1
    }

    fn rows(&self, item: usize, rows: Range<usize>, _: RowStyle) -> Vec<Line<'_>> {
        self.window.get(item).filter(|_| rows.contains(&0)).cloned().into_iter().collect()
    }

    fn grows(&self) -> bool {
        true
    }

    fn cuts(&self) -> bool {
        true
    }

    fn folds(&self, _: usize) -> bool {
        false
    }

    fn fold(&mut self, _: usize) {}

    fn fold_all(&mut self) {}

    fn position(&self, first: Anchor, last: Anchor, _: u16) -> String {
        if self.window.is_whole() {
            return format!("{}–{} of {}", first.item + 1, last.item + 1, self.len());
        }
        format!("{}%", self.window.percent(self.window.offset(first.item)))
    }
}
