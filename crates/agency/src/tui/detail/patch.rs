//! What a run changed, file by file.

mod comments;
mod look;

use std::collections::HashSet;
use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind, SidePair};
use ratatui::text::{Line, Span};

pub(in crate::tui) use self::comments::{Commented, LineComment};
use self::look::Look;
use super::Timeline;
use super::scroll::{Anchor, Body, RowStyle, Scroll};
use crate::highlight::Highlights;
use crate::tui::theme::Role;

/// From this width on, old and new stand side by side.
const MIN_SIDE_BY_SIDE_COLUMNS: u16 = 160;

/// A patch, and which of its files are folded.
#[derive(Debug, Default)]
pub(in crate::tui) struct Changes {
    patch: Patch,
    /// The checkpoints, above the files.
    timeline: Option<Timeline>,
    highlights: Highlights,
    comments: Vec<LineComment>,
    /// The rows of each file where old and new stand side by side.
    pairs: Vec<Vec<SidePair>>,
    /// The files that are folded, or, if all are, those that are not.
    others: HashSet<String>,
    all_folded: bool,
}

impl Changes {
    /// Takes in what the run changed by now.
    pub(in crate::tui) fn take(&mut self, patch: Patch, timeline: Option<Timeline>, scroll: &mut Scroll) {
        let before = std::mem::replace(&mut self.patch, patch);
        let above_before = self.above();
        self.timeline = timeline;
        scroll.renumber(|item| {
            let Some(index) = item.checked_sub(above_before) else { return Some(0) };
            let path = &before.files.get(index)?.path;
            self.patch.files.iter().position(|file| file.path == *path).map(|index| index + self.above())
        });
        self.pairs = self.patch.files.iter().map(PatchFile::side_by_side).collect();
        // Files that are as they were keep their marks until the new ones come.
        let same = |item: usize| {
            let file = self.patch.files.get(item)?;
            let found = before.files.iter().position(|old| old.path == file.path)?;
            let old = before.files.get(found)?;
            let lines = |patch: &Patch, file: &PatchFile| {
                file.lines.iter().map(|line| patch.line(line).to_owned()).collect::<Vec<_>>()
            };
            (old.lines.len() == file.lines.len() && lines(&before, old) == lines(&self.patch, file)).then_some(found)
        };
        self.highlights = self.highlights.moved(self.patch.files.len(), same);
    }

    /// Takes in what the parts of the lines are.
    pub(in crate::tui) fn highlight(&mut self, highlights: Highlights) {
        self.highlights = highlights;
    }

    pub(in crate::tui) const fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// How many items are above the files.
    fn above(&self) -> usize {
        usize::from(self.timeline.is_some())
    }

    /// The number of the file that an item is.
    fn index(&self, item: usize) -> Option<usize> {
        item.checked_sub(self.above())
    }

    /// The checkpoints, if that is what an item is.
    fn timeline_at(&self, item: usize) -> Option<&Timeline> {
        self.timeline.as_ref().filter(|_| item == 0)
    }

    /// The rows of a file, if there is room for old and new side by side.
    fn pairs(&self, item: usize, width: u16) -> Option<&Vec<SidePair>> {
        self.pairs.get(self.index(item)?).filter(|_| width >= MIN_SIDE_BY_SIDE_COLUMNS)
    }

    /// A row below the heading of a file.
    fn line(&self, look: &Look<'_>, row: usize, RowStyle { width, left, theme }: RowStyle) -> Option<Line<'static>> {
        let Some(pairs) = self.pairs(look.item + self.above(), width) else {
            let line = look.file.lines.get(row).map(|line| look.unified(row, line))?;
            return Some(Self::with_comments(line, &self.said(look.file, Some(row)), theme));
        };
        let pair = pairs.get(row)?;
        let indexes = match pair {
            SidePair::Across(_) => [None, None],
            SidePair::Both { old, new } => [*old, *new],
        };
        let said: Vec<&LineComment> =
            indexes.into_iter().flatten().flat_map(|index| self.said(look.file, Some(index))).collect();
        // There is no room beside the columns, so the comment replaces the old line.
        match said.is_empty() {
            true => Some(look.pair(*pair, width, left)),
            false => Some(look.commented_pair(*pair, width, left, &said)),
        }
    }

    fn file(&self, item: usize) -> Option<&PatchFile> {
        self.patch.files.get(self.index(item)?)
    }

    fn is_folded(&self, file: &PatchFile) -> bool {
        self.all_folded != self.others.contains(&file.path)
    }

    fn heading(&self, file: &PatchFile, row_style: RowStyle) -> Line<'static> {
        let theme = row_style.theme;
        let sign = if self.is_folded(file) { theme.glyph("▸", ">") } else { theme.glyph("▾", "v") };
        let mut spans = vec![
            Span::styled(format!("{sign} "), theme.style(Role::Title)),
            Span::styled(format!("+{}", file.added), theme.style(Role::Added)),
            Span::raw(" "),
            Span::styled(format!("{}{}", theme.glyph("−", "-"), file.removed), theme.style(Role::Removed)),
            Span::styled(format!(" {}", file.title(theme.glyph("→", "->"))), theme.style(Role::Title)),
        ];
        if let Some(word) = file.description() {
            spans.push(Span::styled(format!(" ({word})"), theme.style(Role::Quiet)));
        }
        Self::with_comments(Line::from(spans), &self.said(file, None), theme)
    }
}

impl Body for Changes {
    fn len(&self) -> usize {
        self.above() + self.patch.files.len() + usize::from(self.patch.left_out > 0)
    }

    fn height(&self, item: usize, width: u16) -> usize {
        if let Some(timeline) = self.timeline_at(item) {
            return timeline.height();
        }
        self.file(item).map_or(1, |file| match (self.is_folded(file), self.pairs(item, width)) {
            (true, _) => 1,
            (false, Some(pairs)) => 1 + pairs.len(),
            (false, None) => 1 + file.lines.len(),
        })
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        if let Some(timeline) = self.timeline_at(item) {
            return rows.map(|row| timeline.row(row, row_style.theme)).collect();
        }
        let (Some(file), Some(index)) = (self.file(item), self.index(item)) else {
            let note = format!("{} more bytes are not shown; agency diff prints all", self.patch.left_out);
            return vec![Line::styled(note, row_style.theme.style(Role::Urgent))];
        };
        let look = Look { patch: &self.patch, highlights: &self.highlights, file, item: index, theme: row_style.theme };
        let heading = (rows.start == 0).then(|| self.heading(file, row_style));
        let lines = rows.start.saturating_sub(1)..rows.end.saturating_sub(1);
        heading.into_iter().chain(lines.filter_map(|line| self.line(&look, line, row_style))).collect()
    }

    fn grows(&self) -> bool {
        false
    }

    fn cuts(&self) -> bool {
        true
    }

    fn has_columns(&self, width: u16) -> bool {
        width >= MIN_SIDE_BY_SIDE_COLUMNS
    }

    fn folds(&self, item: usize) -> bool {
        self.file(item).is_some()
    }

    fn is_landmark(&self, item: usize, row: usize, width: u16) -> bool {
        let hunk = |file: &PatchFile| {
            let index = row.checked_sub(1).and_then(|row| match self.pairs(item, width) {
                Some(pairs) => match pairs.get(row) {
                    Some(SidePair::Across(index)) => Some(*index),
                    Some(SidePair::Both { .. }) | None => None,
                },
                None => Some(row),
            });
            index.and_then(|index| file.lines.get(index)).is_some_and(|line| line.kind == PatchLineKind::Hunk)
        };
        self.file(item).is_some_and(|file| row == 0 || hunk(file))
    }

    fn fold(&mut self, item: usize) {
        let path = self.file(item).map(|file| file.path.clone());
        if let Some(path) = path.filter(|path| !self.others.remove(path)) {
            self.others.insert(path);
        }
    }

    fn fold_all(&mut self) {
        self.all_folded = !self.all_folded;
        self.others.clear();
    }

    fn position(&self, first: Anchor, last: Anchor, width: u16) -> String {
        let before = |anchor: Anchor| (0..anchor.item).map(|item| self.height(item, width)).sum::<usize>() + anchor.row;
        let all = before(Anchor { item: self.len(), row: 0 });
        format!("{}–{} of {all}", before(first) + 1, before(last) + 1)
    }
}

#[cfg(test)]
mod tests;
