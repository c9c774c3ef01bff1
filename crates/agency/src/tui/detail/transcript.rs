//! What an agent writes and does: its text, its tool calls, and the messages that it received.

mod tool;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use agency_model::EventLine;
use agency_model::transcript::{DetailKind, Entry, EntryContent, EntryKey, NoteKind, Transcript};
use ratatui::text::{Line, Span};

use super::scroll::{Anchor, Body, RowStyle, Scroll};
use super::window::{Change, Load, Window};
use crate::tui::theme::{Role, Theme};
use crate::tui::wrap::breaks;
use tool::heading;

/// How far what follows a sign is moved to the right.
const INDENT: u16 = 2;

/// The sign and the role of a note.
const fn note_style(kind: NoteKind, theme: Theme) -> (&'static str, Role) {
    match kind {
        NoteKind::Message => (">", Role::Accent),
        NoteKind::Question => ("?", Role::Urgent),
        NoteKind::Answer => ("=", Role::Accent),
        NoteKind::Error | NoteKind::Failed => (theme.glyph("✗", "x"), Role::Bad),
        NoteKind::Notice => (theme.glyph("·", "-"), Role::Quiet),
        NoteKind::Restart => (theme.glyph("↻", "@"), Role::Urgent),
        NoteKind::Completed => (theme.glyph("✓", "+"), Role::Good),
        NoteKind::Stopped => (theme.glyph("■", "#"), Role::Ended),
        NoteKind::Thinking => ("~", Role::Quiet),
        NoteKind::Plan => (theme.glyph("☐", "="), Role::Accent),
        NoteKind::SubAgent => (theme.glyph("│", "|"), Role::Quiet),
    }
}

/// How a line of a tool call looks.
const fn detail_role(kind: DetailKind) -> Role {
    match kind {
        DetailKind::Input => Role::Accent,
        DetailKind::Output => Role::Plain,
        DetailKind::Failure => Role::Removed,
        DetailKind::Remark => Role::Quiet,
    }
}

/// What an agent says and does.
#[derive(Debug, Default)]
pub(in crate::tui) struct TranscriptBody {
    pub(super) window: Window<Arc<EventLine>>,
    transcript: Transcript,
    /// The tool calls that are not folded, or, if all are unfolded, those that are.
    others: HashSet<EntryKey>,
    all_unfolded: bool,
}

impl TranscriptBody {
    /// Takes in what was loaded.
    pub(in crate::tui) fn take(&mut self, load: Load<Arc<EventLine>>, scroll: &mut Scroll) {
        let key = |item: usize| self.transcript.entries().get(item).map(|entry| entry.key);
        let (top, selected) = (scroll.top_item(), scroll.selected);
        let (top_key, selected_key) = (key(top), selected.and_then(key));
        let ask = load.ask;
        match self.window.take(load, scroll.following) {
            Change::Nothing => return,
            Change::Appended(from) => return self.append(from),
            Change::Moved | Change::Replaced => {
                self.transcript.clear();
                self.append(0);
            }
        }
        let find = |key| self.transcript.entries().partition_point(|entry| entry.key <= key).checked_sub(1);
        scroll.renumber(|item| if item == top { top_key.and_then(find) } else { selected_key.and_then(find) });
        let first = self.transcript.entries().first().map(|entry| entry.key).unwrap_or_default();
        self.others.retain(|key| *key >= first);
        scroll.arrive(ask);
    }

    /// Shows the events from one on.
    fn append(&mut self, from: usize) {
        for piece in self.window.pieces(from) {
            self.transcript.push(piece.start, &piece.item);
        }
    }

    fn is_unfolded(&self, entry: &Entry) -> bool {
        self.all_unfolded != self.others.contains(&entry.key)
    }
}

impl Body for TranscriptBody {
    fn len(&self) -> usize {
        self.transcript.entries().len()
    }

    fn height(&self, item: usize, width: u16) -> usize {
        let Some(entry) = self.transcript.entries().get(item) else { return 1 };
        match &entry.content {
            EntryContent::Text(text) => breaks(text, width).len(),
            EntryContent::Note { text, .. } => text.split('\n').map(|line| breaks(line, inner(width)).len()).sum(),
            EntryContent::Tool(tool) if self.is_unfolded(entry) => {
                1 + tool.details().iter().map(|(text, _)| breaks(text, inner(width)).len()).sum::<usize>()
            }
            EntryContent::Tool(_) => 1,
        }
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some(entry) = self.transcript.entries().get(item) else { return vec![] };
        let taken = rows.end.saturating_sub(rows.start);
        match &entry.content {
            EntryContent::Text(text) => breaks(text, row_style.width)
                .into_iter()
                .map(|row| Line::raw(&text[row]))
                .skip(rows.start)
                .take(taken)
                .collect(),
            EntryContent::Note { kind, text } => {
                let (sign, role) = note_style(*kind, row_style.theme);
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
            EntryContent::Tool(tool) => {
                let unfolded = self.is_unfolded(entry);
                let heading = heading(tool, unfolded, row_style);
                if !unfolded || rows.end <= 1 {
                    return vec![heading].into_iter().skip(rows.start).collect();
                }
                let mut lines = vec![heading];
                for (text, kind) in tool.details() {
                    let style = row_style.theme.style(detail_role(kind));
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
        self.transcript.entries().get(item).is_some_and(|entry| matches!(entry.content, EntryContent::Tool(_)))
    }

    fn fold(&mut self, item: usize) {
        if let Some(entry) = self.transcript.entries().get(item)
            && !self.others.remove(&entry.key)
        {
            self.others.insert(entry.key);
        }
    }

    fn fold_all(&mut self) {
        self.all_unfolded = !self.all_unfolded;
        self.others.clear();
    }

    fn position(&self, first: Anchor, _: Anchor, _: u16) -> String {
        let offset = self.transcript.entries().get(first.item).map_or(0, |entry| entry.key.0);
        format!("{}%", self.window.percent(offset))
    }
}

const fn inner(width: u16) -> u16 {
    width.saturating_sub(INDENT)
}

#[cfg(test)]
mod tests;
