//! What a run changed, file by file.

use std::collections::HashSet;
use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind};
use agency_model::{Spacer, cut};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::scroll::{Anchor, Body, RowStyle, Scroll};
use crate::tui::theme::Role;

/// So much of a line is shown at most: no screen is wider.
const MAX_LINE_BYTES: usize = 4 * 1024;

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

    fn height(&self, item: usize, _: u16) -> usize {
        self.file(item).map_or(1, |file| if self.is_folded(file) { 1 } else { 1 + file.lines.len() })
    }

    fn rows(&self, item: usize, rows: Range<usize>, row_style: RowStyle) -> Vec<Line<'_>> {
        let Some(file) = self.file(item) else {
            let note = format!("{} more bytes are not shown; agency diff prints all", self.patch.left_out);
            return vec![Line::styled(note, row_style.theme.style(Role::Urgent))];
        };
        let digits = file.last_number().to_string().len();
        rows.map(|row| match row.checked_sub(1).and_then(|index| file.lines.get(index)) {
            None => self.heading(file, row_style),
            Some(line) => {
                let role = match line.kind {
                    PatchLineKind::Added => Role::Added,
                    PatchLineKind::Removed => Role::Removed,
                    PatchLineKind::Hunk => Role::Busy,
                    PatchLineKind::Context => Role::Plain,
                    PatchLineKind::Other => Role::Quiet,
                };
                let style = row_style.theme.style(role);
                let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
                let numbers = match line.kind {
                    PatchLineKind::Hunk | PatchLineKind::Other => String::new(),
                    PatchLineKind::Added | PatchLineKind::Removed | PatchLineKind::Context => {
                        format!("{:>digits$} {:>digits$} ", number(line.old), number(line.new))
                    }
                };
                let mut spans = vec![Span::styled(numbers, row_style.theme.style(Role::Quiet))];
                let text = cut(self.patch.line(line), MAX_LINE_BYTES).0;
                // Before the code stands its sign.
                let marks =
                    self.patch.changed_words(file, row - 1).into_iter().map(|word| word.start + 1..word.end + 1);
                let (mut spacer, mut end) = (Spacer::default(), 0);
                for mark in marks {
                    spans.push(Span::styled(spacer.push(text.get(end..mark.start).unwrap_or_default()), style));
                    let marked = spacer.push(text.get(mark.clone()).unwrap_or_default());
                    spans.push(Span::styled(marked, style.add_modifier(Modifier::REVERSED)));
                    end = mark.end;
                }
                spans.push(Span::styled(spacer.push(text.get(end..).unwrap_or_default()), style));
                Line::from(spans)
            }
        })
        .collect()
    }

    fn grows(&self) -> bool {
        false
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
