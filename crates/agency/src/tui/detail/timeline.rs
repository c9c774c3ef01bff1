//! The checkpoints of a run, of which one is shown.

use std::ops::Range;

use ratatui::text::{Line, Span};

use crate::tui::theme::{Role, Theme};

/// How many checkpoints are listed around the one that is shown.
const MAX_LISTED: usize = 7;

/// Which part of what a run changed is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::tui) enum DiffPart {
    /// All of it.
    #[default]
    Whole,
    /// What changed up to the last checkpoint, since the one before.
    LastTurn,
    /// The same for the checkpoint with this number.
    Checkpoint(u32),
}

/// One checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct TimelineEntry {
    pub(in crate::tui) number: u32,
    /// When it was taken and why.
    pub(in crate::tui) words: String,
    /// How much differs from the one before.
    pub(in crate::tui) size: String,
}

/// The checkpoints of a run, the last one first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::tui) struct Timeline {
    pub(in crate::tui) entries: Vec<TimelineEntry>,
    /// The number of the one that is shown.
    pub(in crate::tui) shown: u32,
}

impl Timeline {
    /// The part of the diff before or after the one that is shown.
    pub(in crate::tui) fn step(&self, earlier: bool) -> DiffPart {
        let last = self.entries.first().map_or(0, |last| last.number);
        match (earlier, self.shown) {
            (true, shown) => DiffPart::Checkpoint(shown.saturating_sub(1).max(1)),
            (false, shown) if shown >= last => DiffPart::Whole,
            (false, shown) => DiffPart::Checkpoint(shown + 1),
        }
    }

    /// Those that are listed.
    fn listed(&self) -> Range<usize> {
        let at = self.entries.iter().position(|entry| entry.number == self.shown).unwrap_or(0);
        let first = at.saturating_sub(MAX_LISTED / 2).min(self.entries.len().saturating_sub(MAX_LISTED));
        first..(first + MAX_LISTED).min(self.entries.len())
    }

    /// How many rows it has: a line for each that is listed, and an empty one.
    pub(super) fn height(&self) -> usize {
        self.listed().len() + 1
    }

    pub(super) fn row(&self, row: usize, theme: Theme) -> Line<'static> {
        let entry = self.listed().nth(row).and_then(|index| self.entries.get(index));
        let Some(TimelineEntry { number, words, size }) = entry else { return Line::default() };
        let is_shown = *number == self.shown;
        let sign = if is_shown { theme.glyph("▸", ">") } else { " " };
        let role = if is_shown { Role::Title } else { Role::Quiet };
        let digits = self.entries.first().map_or(1, |last| last.number.to_string().len());
        Line::from(vec![
            Span::styled(format!("{sign} {number:>digits$}  {words}, "), theme.style(role)),
            Span::styled(size.clone(), theme.style(role)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(count: u32, shown: u32) -> Timeline {
        let entry = |number| TimelineEntry { number, words: "end of a turn".to_owned(), size: "1 file".to_owned() };
        Timeline { entries: (1..=count).rev().map(entry).collect(), shown }
    }

    #[test]
    fn steps_end_at_the_first_checkpoint_and_at_the_whole_diff() {
        assert_eq!(timeline(3, 3).step(true), DiffPart::Checkpoint(2));
        assert_eq!(timeline(3, 1).step(true), DiffPart::Checkpoint(1));
        assert_eq!(timeline(3, 2).step(false), DiffPart::Checkpoint(3));
        assert_eq!(timeline(3, 3).step(false), DiffPart::Whole);
    }

    #[test]
    fn those_around_the_one_that_is_shown_are_listed() {
        let theme = Theme::ansi(false, true);
        for (count, shown) in [(1, 1), (3, 2), (200, 1), (200, 100), (200, 200)] {
            let timeline = timeline(count, shown);
            let rows: Vec<String> = (0..timeline.height()).map(|row| timeline.row(row, theme).to_string()).collect();
            assert!(rows.len() <= MAX_LISTED + 1);
            assert_eq!(rows.iter().filter(|row| row.starts_with(theme.glyph("▸", ">"))).count(), 1, "{rows:?}");
            assert_eq!(rows.last().unwrap(), "");
        }
    }
}
