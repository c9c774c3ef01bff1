//! How the lines of a file look: with numbers, the colours of the language, and the changed words marked.

use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLine, PatchLineKind, SidePair};
use agency_model::{Spacer, cut};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::highlight::Highlights;
use crate::tui::theme::{Role, Theme};

/// So much of a line is shown at most: no screen is wider.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// A file of a patch, with what is known of it.
pub(super) struct Look<'a> {
    pub(super) patch: &'a Patch,
    pub(super) highlights: &'a Highlights,
    pub(super) file: &'a PatchFile,
    /// The number of the file.
    pub(super) item: usize,
    pub(super) theme: Theme,
}

impl Look<'_> {
    /// A line with both numbers and its sign.
    pub(super) fn unified(&self, index: usize, line: &PatchLine) -> Line<'static> {
        let digits = self.digits();
        let style = self.style(line.kind);
        let mut spans = vec![];
        match line.kind {
            PatchLineKind::Hunk | PatchLineKind::Other => {}
            PatchLineKind::Added | PatchLineKind::Removed | PatchLineKind::Context => {
                spans.push(self.number(format!("{} {} ", number(line.old, digits), number(line.new, digits))));
                let sign = self.patch.line(line).get(..1).unwrap_or_default().to_owned();
                spans.push(Span::styled(sign, style));
            }
        }
        spans.extend(self.code(index, line));
        Line::from(spans)
    }

    /// A row of two columns.
    pub(super) fn pair(&self, pair: SidePair, width: u16) -> Line<'static> {
        let (old, new) = match pair {
            SidePair::Across(index) => {
                let line = self.file.lines.get(index);
                return line.map_or_else(Line::default, |line| Line::from(self.code(index, line)));
            }
            SidePair::Both { old, new } => (old, new),
        };
        let digits = self.digits();
        // Each side has its number, and a bar stands between them.
        let column = usize::from(width).saturating_sub(2 * (digits + 1) + 3) / 2;
        let line = |index: Option<usize>| index.and_then(|index| Some((index, self.file.lines.get(index)?)));
        let (old, new) = (line(old), line(new));
        let mut spans = vec![self.number(format!("{} ", number(old.and_then(|(_, line)| line.old), digits)))];
        spans.extend(self.cell(old, column));
        spans.push(self.number(format!(" {} ", self.theme.glyph("│", "|"))));
        spans.push(self.number(format!("{} ", number(new.and_then(|(_, line)| line.new), digits))));
        spans.extend(self.cell(new, column));
        Line::from(spans)
    }

    /// A line that takes exactly so many columns.
    fn cell(&self, line: Option<(usize, &PatchLine)>, columns: usize) -> Vec<Span<'static>> {
        let mut left = columns;
        let mut spans = vec![];
        for mut span in line.map(|(index, line)| self.code(index, line)).into_iter().flatten() {
            let mut fitting = String::new();
            for letter in span.content.chars() {
                let wide = Span::raw(letter.to_string()).width();
                if wide > left {
                    left = 0;
                    break;
                }
                left -= wide;
                fitting.push(letter);
            }
            span.content = fitting.into();
            spans.push(span);
        }
        let used: usize = spans.iter().map(Span::width).sum();
        spans.push(Span::raw(" ".repeat(columns.saturating_sub(used))));
        spans
    }

    /// The code of a line, without its sign.
    fn code(&self, index: usize, line: &PatchLine) -> Vec<Span<'static>> {
        let code = cut(self.patch.code(line), MAX_LINE_BYTES).0;
        let changed = self.patch.changed_words(self.file, index);
        let tokens = self.highlights.of(self.item, index);
        let plain = self.style(line.kind);
        let mut spacer = Spacer::default();
        let parts = parts(code.len(), &changed, tokens.iter().map(|(part, _)| part));
        let styled = |part: Range<usize>| {
            let token = tokens.iter().find(|(marked, _)| marked.contains(&part.start)).map(|(_, token)| *token);
            let style = token.map_or(plain, |token| plain.patch(self.theme.style(Role::Code(token))));
            let is_changed = changed.iter().any(|word| word.contains(&part.start));
            let style = if is_changed { style.add_modifier(Modifier::REVERSED) } else { style };
            Span::styled(spacer.push(code.get(part).unwrap_or_default()), style)
        };
        parts.into_iter().map(styled).collect()
    }

    fn number(&self, text: String) -> Span<'static> {
        Span::styled(text, self.theme.style(Role::Quiet))
    }

    fn digits(&self) -> usize {
        self.file.last_number().to_string().len()
    }

    fn style(&self, kind: PatchLineKind) -> Style {
        self.theme.style(match kind {
            PatchLineKind::Added => Role::Added,
            PatchLineKind::Removed => Role::Removed,
            PatchLineKind::Hunk => Role::Busy,
            PatchLineKind::Context => Role::Plain,
            PatchLineKind::Other => Role::Quiet,
        })
    }
}

fn number(number: Option<u32>, digits: usize) -> String {
    format!("{:>digits$}", number.map_or_else(String::new, |number| number.to_string()))
}

/// A text of this length, cut at every beginning and end of the marks.
fn parts<'a>(
    length: usize,
    changed: &'a [Range<usize>],
    tokens: impl Iterator<Item = &'a Range<usize>>,
) -> Vec<Range<usize>> {
    let marks = changed.iter().chain(tokens);
    let mut edges: Vec<usize> = marks.flat_map(|mark| [mark.start, mark.end]).chain([0, length]).collect();
    edges.retain(|edge| *edge <= length);
    edges.sort_unstable();
    edges.dedup();
    edges.iter().zip(edges.iter().skip(1)).map(|(start, end)| *start..*end).collect()
}
