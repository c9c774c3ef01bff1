//! What a run is, in paragraphs with names.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::scroll::{Anchor, Body, RowStyle};
use crate::tui::theme::Role;
use crate::tui::wrap::breaks;

/// How wide the names are.
const LABEL_WIDTH: u16 = 14;

/// One paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Paragraph {
    /// The label; empty on a continuation line.
    pub(in crate::tui) name: String,
    /// One line, wrapped where it is too long.
    pub(in crate::tui) text: String,
    pub(in crate::tui) role: Role,
}

/// All of them.
#[derive(Debug, Default)]
pub(in crate::tui) struct Info {
    pub(in crate::tui) paragraphs: Vec<Paragraph>,
}

impl Info {
    fn get(&self, item: usize, width: u16) -> Option<(&Paragraph, u16, Vec<Range<usize>>)> {
        let paragraph = self.paragraphs.get(item)?;
        let names = if paragraph.role == Role::Title { 0 } else { LABEL_WIDTH.min(width / 3) };
        Some((paragraph, names, breaks(&paragraph.text, width.saturating_sub(names))))
    }
}

impl Body for Info {
    fn len(&self) -> usize {
        self.paragraphs.len()
    }

    fn height(&self, item: usize, width: u16) -> usize {
        self.get(item, width).map_or(1, |(_, _, rows)| rows.len())
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some((paragraph, names, wrapped)) = self.get(item, row_style.width) else { return vec![] };
        let names = usize::from(names);
        let row = |(index, row): (usize, Range<usize>)| {
            let name = if index == 0 { paragraph.name.as_str() } else { "" };
            let short: String = name.chars().take(names.saturating_sub(1)).collect();
            Line::from(vec![
                Span::styled(format!("{short:<names$}"), row_style.theme.style(Role::Quiet)),
                Span::styled(&paragraph.text[row], row_style.theme.style(paragraph.role)),
            ])
        };
        wrapped.into_iter().enumerate().map(row).skip(rows.start).take(rows.len()).collect()
    }

    fn grows(&self) -> bool {
        false
    }

    fn folds(&self, _: usize) -> bool {
        false
    }

    fn fold(&mut self, _: usize) {}

    fn fold_all(&mut self) {}

    fn position(&self, first: Anchor, _: Anchor, _: u16) -> String {
        format!("{}%", first.item * 100 / self.len().max(1))
    }
}
