//! How the lines of a file look: with numbers, the colours of the language, and the changed words marked.

use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLine, PatchLineKind, SidePair};
use agency_model::{Spacer, cut};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::LineComment;
use crate::highlight::Highlights;
use crate::tui::clip::{exactly, without_start};
use crate::tui::theme::{Role, Theme};

/// How much of a line is shown at most: no screen is wider.
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
        let mut spans = vec![];
        match line.kind {
            PatchLineKind::Hunk | PatchLineKind::Other => {}
            PatchLineKind::Added | PatchLineKind::Removed | PatchLineKind::Context => {
                spans.push(self.number(format!("{} {} ", number(line.old, digits), number(line.new, digits))));
                let sign = self.patch.line(line).get(..1).unwrap_or_default().to_owned();
                spans.push(Span::styled(sign, self.style(line.kind)));
            }
        }
        spans.extend(self.code(index, line));
        Line { style: self.behind(line.kind), ..Line::from(spans) }
    }

    /// A row of two columns, of which each is cut on both sides.
    pub(super) fn pair(&self, pair: SidePair, width: u16, left: u16) -> Line<'static> {
        let (old, new) = match pair {
            SidePair::Across(index) => {
                let line = self.file.lines.get(index).map(|line| Line::from(self.code(index, line)));
                return without_start(&line.unwrap_or_default(), left);
            }
            SidePair::Both { old, new } => (old, new),
        };
        let digits = self.digits();
        // Each side has its number, and a bar stands between them.
        let column = usize::from(width).saturating_sub(2 * (digits + 1) + 3) / 2;
        let line = |index: Option<usize>| index.and_then(|index| Some((index, self.file.lines.get(index)?)));
        let cell = |line: Option<(usize, &PatchLine)>, shown: Option<u32>| {
            let behind = line.map(|(_, line)| self.behind(line.kind)).unwrap_or_default();
            let mut number = self.number(format!("{} ", number(shown, digits)));
            number.style = behind.patch(number.style);
            let code = line.map(|(index, line)| Line::from(self.code(index, line)).style(behind));
            let code = without_start(&code.unwrap_or_default(), left);
            std::iter::once(number).chain(exactly(&code, column))
        };
        let (old, new) = (line(old), line(new));
        let bar = self.number(format!(" {} ", self.theme.glyph("│", "|")));
        let spans = cell(old, old.and_then(|(_, line)| line.old)).chain([bar]);
        Line::from_iter(spans.chain(cell(new, new.and_then(|(_, line)| line.new))))
    }

    /// A row of two columns with its comment in place of the old line.
    pub(super) fn commented_pair(&self, pair: SidePair, width: u16, left: u16, said: &[&LineComment]) -> Line<'static> {
        let line = self.pair(pair, width, left);
        let bar = self.theme.glyph("│", "|");
        let new = line.spans.iter().position(|span| span.content.trim() == bar).unwrap_or(0);
        let column: usize = line.spans.iter().take(new).map(ratatui::text::Span::width).sum();
        let words: Vec<&str> = said.iter().map(|comment| comment.words.as_str()).collect();
        let words = Line::from(format!("{} {}", self.theme.glyph("◆", "*"), words.join("  ")));
        let words = exactly(&words.style(self.theme.style(Role::Urgent)), column);
        let rest: Vec<Span<'static>> = line.spans.into_iter().skip(new).collect();
        Line::from_iter(words.into_iter().chain(rest))
    }

    /// The code of a line, without its sign.
    fn code(&self, index: usize, line: &PatchLine) -> Vec<Span<'static>> {
        let code = cut(self.patch.code(line), MAX_LINE_BYTES).0;
        let changed = self.patch.changed_words(self.file, index);
        let tokens = self.highlights.of(self.item, index);
        // Without a colour behind it, the text says whether it is old or new.
        let (plain, mark) = match self.behind(line.kind).bg {
            Some(_) => (Style::new(), Modifier::BOLD | Modifier::UNDERLINED),
            None => (self.style(line.kind), Modifier::REVERSED),
        };
        let mut spacer = Spacer::default();
        let parts = parts(code.len(), &changed, tokens.iter().map(|(part, _)| part));
        let styled = |part: Range<usize>| {
            let token = tokens.iter().find(|(marked, _)| marked.contains(&part.start)).map(|(_, token)| *token);
            let style = token.map_or(plain, |token| plain.patch(self.theme.style(Role::Code(token))));
            let is_changed = changed.iter().any(|word| word.contains(&part.start));
            let style = if is_changed { style.add_modifier(mark) } else { style };
            Span::styled(spacer.push(code.get(part).unwrap_or_default()), style)
        };
        parts.into_iter().map(styled).collect()
    }

    /// What is behind a line, where the terminal shows every colour.
    fn behind(&self, kind: PatchLineKind) -> Style {
        let palette = self.theme.palette;
        let colour = match kind {
            PatchLineKind::Added => palette.added_background,
            PatchLineKind::Removed => palette.removed_background,
            PatchLineKind::Hunk | PatchLineKind::Context | PatchLineKind::Other => None,
        };
        Style { bg: colour.filter(|_| self.theme.colour), ..Style::new() }
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
