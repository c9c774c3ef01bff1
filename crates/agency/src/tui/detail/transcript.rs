//! What an agent writes and does: its text, its tool calls, and the messages that it received.

mod build;
mod tool;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use agency_model::EventLine;
use ratatui::text::{Line, Span};

use super::scroll::{Anchor, Body, RowStyle, Scroll};
use super::window::{Change, Load, Window};
use crate::tui::theme::{Role, Theme};
use crate::tui::wrap::breaks;
use tool::Tool;

/// How far what follows a sign is moved to the right.
const INDENT: u16 = 2;

/// Something that is shown in one piece.
#[derive(Debug)]
struct Block {
    /// Where its first event begins in the file, and which of its blocks this is.
    key: (u64, u32),
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A line of what the agent says.
    Words(String),
    Tool(Tool),
    /// Anything else that is worth a line.
    Note {
        mark: Mark,
        text: String,
    },
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Told,
    Asks,
    Answered,
    Error,
    Notice,
    Restart,
    Good,
    Bad,
    Ended,
    Thinks,
    Plan,
    SubAgent,
}

impl Mark {
    /// A sign and a role.
    const fn row_style(self, theme: Theme) -> (&'static str, Role) {
        match self {
            Self::Told => (">", Role::Accent),
            Self::Asks => ("?", Role::Urgent),
            Self::Answered => ("=", Role::Accent),
            Self::Error | Self::Bad => (theme.glyph("✗", "x"), Role::Bad),
            Self::Notice => (theme.glyph("·", "-"), Role::Quiet),
            Self::Restart => (theme.glyph("↻", "@"), Role::Urgent),
            Self::Good => (theme.glyph("✓", "+"), Role::Good),
            Self::Ended => (theme.glyph("■", "#"), Role::Ended),
            Self::Thinks => ("~", Role::Quiet),
            Self::Plan => (theme.glyph("☐", "="), Role::Accent),
            Self::SubAgent => (theme.glyph("│", "|"), Role::Quiet),
        }
    }
}

/// Where further text is appended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Joins {
    /// They begin anew.
    #[default]
    Nothing,
    SameLine,
    /// The last line has ended.
    NextLine,
}

/// What an agent says and does.
#[derive(Debug, Default)]
pub(in crate::tui) struct Transcript {
    pub(super) window: Window<Arc<EventLine>>,
    blocks: Vec<Block>,
    /// The tool calls that are not folded, or, if all are unfolded, those that are.
    others: HashSet<(u64, u32)>,
    all_unfolded: bool,
    joins: Joins,
}

impl Transcript {
    /// Takes in what was loaded.
    pub(in crate::tui) fn take(&mut self, load: Load<Arc<EventLine>>, scroll: &mut Scroll) {
        let key = |item: usize| self.blocks.get(item).map(|block| block.key);
        let (top, selected) = (scroll.top_item(), scroll.selected);
        let (top_key, selected_key) = (key(top), selected.and_then(key));
        let ask = load.ask;
        match self.window.take(load, scroll.following) {
            Change::Nothing => return,
            Change::Appended(from) => return self.append(from),
            Change::Moved | Change::Replaced => {
                self.blocks.clear();
                self.joins = Joins::Nothing;
                self.append(0);
            }
        }
        let find = |key| self.blocks.partition_point(|block| block.key <= key).checked_sub(1);
        scroll.renumber(|item| if item == top { top_key.and_then(find) } else { selected_key.and_then(find) });
        let first = self.blocks.first().map(|block| block.key).unwrap_or_default();
        self.others.retain(|key| *key >= first);
        scroll.arrive(ask);
    }

    fn is_unfolded(&self, block: &Block) -> bool {
        self.all_unfolded != self.others.contains(&block.key)
    }
}

impl Body for Transcript {
    fn len(&self) -> usize {
        self.blocks.len()
    }

    fn height(&self, item: usize, width: u16) -> usize {
        let Some(block) = self.blocks.get(item) else { return 1 };
        match &block.kind {
            Kind::Words(text) => breaks(text, width).len(),
            Kind::Note { text, .. } => text.split('\n').map(|line| breaks(line, inner(width)).len()).sum(),
            Kind::Tool(tool) if self.is_unfolded(block) => {
                1 + tool.details().iter().map(|(text, _)| breaks(text, inner(width)).len()).sum::<usize>()
            }
            Kind::Tool(_) => 1,
        }
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some(block) = self.blocks.get(item) else { return vec![] };
        let taken = rows.end.saturating_sub(rows.start);
        match &block.kind {
            Kind::Words(text) => breaks(text, row_style.width)
                .into_iter()
                .map(|row| Line::raw(&text[row]))
                .skip(rows.start)
                .take(taken)
                .collect(),
            Kind::Note { mark, text } => {
                let (sign, role) = mark.row_style(row_style.theme);
                let style = row_style.theme.style(role);
                let lines = text
                    .split('\n')
                    .flat_map(|line| breaks(line, inner(row_style.width)).into_iter().map(move |row| &line[row]));
                let line = |(index, text): (usize, &'_ str)| {
                    let sign = if index == 0 { sign } else { " " };
                    Line::from(vec![Span::styled(format!("{sign} "), style), Span::styled(text.to_owned(), style)])
                };
                lines.enumerate().map(line).skip(rows.start).take(taken).collect()
            }
            Kind::Tool(tool) => {
                let unfolded = self.is_unfolded(block);
                let heading = tool.heading(unfolded, row_style);
                if !unfolded || rows.end <= 1 {
                    return vec![heading].into_iter().skip(rows.start).collect();
                }
                let mut lines = vec![heading];
                for (text, role) in tool.details() {
                    let style = row_style.theme.style(role);
                    lines.extend(
                        breaks(&text, inner(row_style.width))
                            .into_iter()
                            .map(|row| Line::from(vec![Span::raw("  "), Span::styled(text[row].to_owned(), style)])),
                    );
                }
                lines.into_iter().skip(rows.start).take(taken).collect()
            }
        }
    }

    fn grows(&self) -> bool {
        true
    }

    fn folds(&self, item: usize) -> bool {
        self.blocks.get(item).is_some_and(|block| matches!(block.kind, Kind::Tool(_)))
    }

    fn fold(&mut self, item: usize) {
        if let Some(block) = self.blocks.get(item)
            && !self.others.remove(&block.key)
        {
            self.others.insert(block.key);
        }
    }

    fn fold_all(&mut self) {
        self.all_unfolded = !self.all_unfolded;
        self.others.clear();
    }

    fn position(&self, first: Anchor, _: Anchor, _: u16) -> String {
        let offset = self.blocks.get(first.item).map_or(0, |block| block.key.0);
        format!("{}%", self.window.percent(offset))
    }
}

const fn inner(width: u16) -> u16 {
    width.saturating_sub(INDENT)
}

#[cfg(test)]
mod tests;
