//! One line of a diff: numbers, the classes of its code, and the words that differ.

use std::ops::Range;

use agency_model::code::{CodeClass, CodeReader};
use agency_model::patch::{Patch, PatchFile, PatchLine, PatchLineKind};
use agency_model::{Spacer, cut};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::tui::theme::{Role, Theme};

/// So much of a line is shown at most: no screen is wider.
const MAX_LINE_BYTES: usize = 4 * 1024;
/// So many lines before the first one that is shown are read, so that a comment that began there is known.
const MAX_LINES_BEFORE: usize = 100;

/// The parts of a line that have a class.
type Classes = Vec<(Range<usize>, CodeClass)>;

/// Reads the code of a file's old and new lines in their order.
pub(super) struct CodeLines(Option<(CodeReader, CodeReader)>);

impl CodeLines {
    /// Before the row of a file of which the first is its heading.
    pub(super) fn before(patch: &Patch, file: &PatchFile, row: usize) -> Self {
        let mut lines = Self(CodeReader::of_file(&file.path).map(|reader| (reader, reader)));
        let first = row.saturating_sub(1);
        for line in file.lines.iter().take(first).skip(first.saturating_sub(MAX_LINES_BEFORE)) {
            lines.next(patch, line);
        }
        lines
    }

    /// The classes of the next line, whose places count from the sign before the code.
    pub(super) fn next(&mut self, patch: &Patch, line: &PatchLine) -> Classes {
        let Some((old, new)) = &mut self.0 else { return vec![] };
        let text = cut(patch.line(line), MAX_LINE_BYTES).0;
        let code = text.get(1..).unwrap_or_default();
        let classes = match line.kind {
            PatchLineKind::Removed => old.line(code),
            PatchLineKind::Added => new.line(code),
            PatchLineKind::Context => {
                old.line(code);
                new.line(code)
            }
            PatchLineKind::Hunk => {
                old.forget();
                new.forget();
                vec![]
            }
            PatchLineKind::Other => vec![],
        };
        classes.into_iter().map(|(range, class)| (range.start + 1..range.end + 1, class)).collect()
    }
}

/// The line as it is shown.
pub(super) fn changed_line(
    patch: &Patch,
    file: &PatchFile,
    index: usize,
    classes: &Classes,
    theme: Theme,
) -> Line<'static> {
    let Some(line) = file.lines.get(index) else { return Line::default() };
    let role = match line.kind {
        PatchLineKind::Added => Role::Added,
        PatchLineKind::Removed => Role::Removed,
        PatchLineKind::Hunk => Role::Busy,
        PatchLineKind::Context => Role::Plain,
        PatchLineKind::Other => Role::Quiet,
    };
    let behind = match line.kind {
        PatchLineKind::Added => theme.palette.added_background,
        PatchLineKind::Removed => theme.palette.removed_background,
        PatchLineKind::Hunk | PatchLineKind::Context | PatchLineKind::Other => None,
    };
    let behind = behind.filter(|_| theme.colour);
    // Without a colour behind it, the text says whether it is new or old.
    let is_coloured = theme.colour && (behind.is_some() || line.kind == PatchLineKind::Context);
    let base = theme.style(role);
    let mut spans = vec![Span::styled(numbers(file, line), theme.style(Role::Quiet))];
    let text = cut(patch.line(line), MAX_LINE_BYTES).0;
    // Before the code stands its sign.
    let marks: Vec<Range<usize>> =
        patch.changed_words(file, index).into_iter().map(|word| word.start + 1..word.end + 1).collect();
    let mut spacer = Spacer::default();
    for part in parts(text, classes, &marks) {
        let class = classes.iter().find(|(range, _)| range.contains(&part.start)).map(|(_, class)| *class);
        let mut style = match class.filter(|_| is_coloured) {
            Some(class) => Style::new().fg(colour(class, theme)),
            None if is_coloured && part.start > 0 => Style::new(),
            None => base,
        };
        if marks.iter().any(|mark| mark.contains(&part.start)) {
            let mark = if behind.is_some() { Modifier::BOLD | Modifier::UNDERLINED } else { Modifier::REVERSED };
            style = style.add_modifier(mark);
        }
        spans.push(Span::styled(spacer.push(text.get(part).unwrap_or_default()), style));
    }
    Line { style: Style { bg: behind, ..Style::new() }, ..Line::from(spans) }
}

/// The numbers of the line in the old and in the new file.
fn numbers(file: &PatchFile, line: &PatchLine) -> String {
    let digits = file.last_number().to_string().len();
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    match line.kind {
        PatchLineKind::Hunk | PatchLineKind::Other => String::new(),
        PatchLineKind::Added | PatchLineKind::Removed | PatchLineKind::Context => {
            format!("{:>digits$} {:>digits$} ", number(line.old), number(line.new))
        }
    }
}

/// The line cut wherever its look changes; its sign is a part of its own.
fn parts(text: &str, classes: &Classes, marks: &[Range<usize>]) -> Vec<Range<usize>> {
    let ranges = classes.iter().map(|(range, _)| range).chain(marks);
    let mut cuts: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).chain([0, 1, text.len()]).collect();
    cuts.retain(|cut| text.is_char_boundary(*cut));
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).filter_map(|pair| Some(*pair.first()?..*pair.last()?)).collect()
}

const fn colour(class: CodeClass, theme: Theme) -> Color {
    let code = theme.palette.code;
    match class {
        CodeClass::Keyword => code.keyword,
        CodeClass::String => code.string,
        CodeClass::Number => code.number,
        CodeClass::Comment => code.comment,
        CodeClass::Function => code.function,
        CodeClass::Type => code.kind,
    }
}
