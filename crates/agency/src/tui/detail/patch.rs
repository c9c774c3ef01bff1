//! What a run changed, file by file.

mod line;

use std::collections::HashSet;
use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind};
use ratatui::text::{Line, Span};

use self::line::CodeLines;
use super::scroll::{Anchor, Body, RowStyle, Scroll};
use crate::tui::theme::Role;

/// A patch, and which of its files are folded.
#[derive(Debug, Default)]
pub(in crate::tui) struct Changes {
    patch: Patch,
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
        if let Some(word) = file.word() {
            spans.push(Span::styled(format!(" ({word})"), theme.style(Role::Quiet)));
        }
        Line::from(spans)
    }
}

impl Body for Changes {
    fn len(&self) -> usize {
        self.patch.files.len() + usize::from(self.patch.left_out > 0)
    }

    fn height(&self, item: usize, _: u16) -> usize {
        self.file(item).map_or(1, |file| if self.is_folded(file) { 1 } else { 1 + file.lines.len() })
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some(file) = self.file(item) else {
            let note = format!("{} more bytes are not shown; agency diff prints all", self.patch.left_out);
            return vec![Line::styled(note, row_style.theme.style(Role::Urgent))];
        };
        let mut code = CodeLines::before(&self.patch, file, rows.start);
        rows.map(|row| match row.checked_sub(1).and_then(|index| Some((index, file.lines.get(index)?))) {
            None => self.heading(file, row_style),
            Some((index, line)) => {
                let classes = code.next(&self.patch, line);
                line::changed_line(&self.patch, file, index, &classes, row_style.theme)
            }
        })
        .collect()
    }

    fn grows(&self) -> bool {
        false
    }

    fn cuts(&self) -> bool {
        true
    }

    fn folds(&self, item: usize) -> bool {
        item < self.patch.files.len()
    }

    fn is_landmark(&self, item: usize, row: usize) -> bool {
        let hunk = |file: &PatchFile| {
            let line = row.checked_sub(1).and_then(|index| file.lines.get(index));
            line.is_some_and(|line| line.kind == PatchLineKind::Hunk)
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
