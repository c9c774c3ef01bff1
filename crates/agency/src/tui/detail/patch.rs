//! What a run changed, file by file.

mod look;

use std::collections::HashSet;
use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind, SidePair};
use ratatui::text::{Line, Span};

use self::look::Look;
use super::scroll::{Anchor, Body, RowStyle, Scroll};
use crate::highlight::Highlights;
use crate::tui::theme::Role;

/// From this width on, old and new stand side by side.
const MIN_SIDE_BY_SIDE_COLUMNS: u16 = 160;

/// A patch, and which of its files are folded.
#[derive(Debug, Default)]
pub(in crate::tui) struct Changes {
    patch: Patch,
    highlights: Highlights,
    /// The rows of each file where old and new stand side by side.
    pairs: Vec<Vec<SidePair>>,
    /// The files that are folded, or, if all are, those that are not.
    others: HashSet<String>,
    all_folded: bool,
}

impl Changes {
    /// Takes in what the run changed by now.
    pub(in crate::tui) fn take(&mut self, patch: Patch, scroll: &mut Scroll) {
        let before = std::mem::replace(&mut self.patch, patch);
        scroll.renumber(|item| {
            let path = &before.files.get(item)?.path;
            self.patch.files.iter().position(|file| file.path == *path)
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

    /// The rows of a file, if there is room for old and new side by side.
    fn pairs(&self, item: usize, width: u16) -> Option<&Vec<SidePair>> {
        self.pairs.get(item).filter(|_| width >= MIN_SIDE_BY_SIDE_COLUMNS)
    }

    /// A row below the heading of a file.
    fn line(&self, look: &Look<'_>, row: usize, RowStyle { width, left, .. }: RowStyle) -> Option<Line<'static>> {
        match self.pairs(look.item, width) {
            Some(pairs) => pairs.get(row).map(|pair| look.pair(*pair, width, left)),
            None => look.file.lines.get(row).map(|line| look.unified(row, line)),
        }
    }

    fn file(&self, item: usize) -> Option<&PatchFile> {
        self.patch.files.get(item)
    }

    fn is_folded(&self, file: &PatchFile) -> bool {
        self.all_folded != self.others.contains(&file.path)
    }

    fn heading(&self, file: &PatchFile, row_style: RowStyle) -> Line<'_> {
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
        Line::from(spans)
    }
}

impl Body for Changes {
    fn len(&self) -> usize {
        self.patch.files.len() + usize::from(self.patch.left_out > 0)
    }

    fn height(&self, item: usize, width: u16) -> usize {
        self.file(item).map_or(1, |file| match (self.is_folded(file), self.pairs(item, width)) {
            (true, _) => 1,
            (false, Some(pairs)) => 1 + pairs.len(),
            (false, None) => 1 + file.lines.len(),
        })
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some(file) = self.file(item) else {
            let note = format!("{} more bytes are not shown; agency diff prints all", self.patch.left_out);
            return vec![Line::styled(note, row_style.theme.style(Role::Urgent))];
        };
        let look = Look { patch: &self.patch, highlights: &self.highlights, file, item, theme: row_style.theme };
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
        item < self.patch.files.len()
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
        if let Some(file) = self.patch.files.get(item)
            && !self.others.remove(&file.path)
        {
            self.others.insert(file.path.clone());
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
