//! A diff in two columns: the old file and the new one, with line numbers.

use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind, SidePair};
use agency_model::{Spacer, escaped_text};
use anstyle::{AnsiColor, Style};
use ratatui::text::Span;

use super::unified::{added, removed};
use crate::output::styled;

/// The narrowest column of text.
const MIN_COLUMN: usize = 20;

/// The whole diff for a terminal of this width.
pub(super) fn show(patch: &Patch, width: usize) -> String {
    patch.files.iter().map(|file| show_file(patch, file, width)).collect()
}

fn show_file(patch: &Patch, file: &PatchFile, width: usize) -> String {
    let digits = file.last_number().to_string().len().max(3);
    // Each side has its number, and a bar stands between them.
    let column = (width.saturating_sub(2 * (digits + 1) + 3) / 2).max(MIN_COLUMN);
    let word = file.description().map_or_else(String::new, |word| format!(" ({word})"));
    let title = format!("{}{word}  +{} -{}", file.title("→"), file.added, file.removed);
    let mut shown = styled(Style::new().bold().underline(), &title) + "\n";
    let dimmed = Style::new().dimmed();
    for pair in file.side_by_side() {
        match pair {
            SidePair::Across(index) => {
                let text = file.lines.get(index).map(|line| patch.line(line)).unwrap_or_default();
                shown.push_str(&styled(AnsiColor::Cyan.on_default(), text));
            }
            SidePair::Both { old, new } => {
                let side = |index: Option<usize>, number: Option<u32>| {
                    let number = number.map_or_else(String::new, |number| number.to_string());
                    let text = index.map_or_else(|| " ".repeat(column), |index| cell(patch, file, index, column));
                    format!("{} {text}", styled(dimmed, &format!("{number:>digits$}")))
                };
                let number = |index: Option<usize>, of: fn(&agency_model::patch::PatchLine) -> Option<u32>| {
                    index.and_then(|index| file.lines.get(index)).and_then(of)
                };
                let (left, right) = (side(old, number(old, |line| line.old)), side(new, number(new, |line| line.new)));
                shown.push_str(&format!("{left} {} {right}", styled(dimmed, "│")));
            }
        }
        shown.push('\n');
    }
    shown.push('\n');
    shown
}

/// A line that takes exactly so many columns.
fn cell(patch: &Patch, file: &PatchFile, index: usize, columns: usize) -> String {
    let Some(line) = file.lines.get(index) else { return " ".repeat(columns) };
    let style = match line.kind {
        PatchLineKind::Added => added(),
        PatchLineKind::Removed => removed(),
        PatchLineKind::Context | PatchLineKind::Hunk | PatchLineKind::Other => Style::new(),
    };
    let code = patch.code(line);
    let (mut shown, mut left, mut spacer) = (String::new(), columns, Spacer::default());
    for (part, marked) in parts(code, &patch.changed_words(file, index)) {
        let mut fitting = String::new();
        for letter in spacer.push(code.get(part).unwrap_or_default()).chars() {
            let wide = Span::raw(letter.to_string()).width();
            if wide > left {
                left = 0;
                break;
            }
            left -= wide;
            fitting.push(letter);
        }
        if !fitting.is_empty() {
            shown.push_str(&styled(if marked { style.invert() } else { style }, &escaped_text(&fitting)));
        }
    }
    shown + &" ".repeat(left)
}

/// A text as parts that are marked and parts that are not.
fn parts(text: &str, marks: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let mut parts = vec![];
    let mut end = 0;
    for mark in marks {
        parts.extend([(end..mark.start, false), (mark.clone(), true)]);
        end = mark.end;
    }
    parts.push((end..text.len(), false));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_stand_beside_each_other_in_columns_of_the_same_width() {
        let text = "diff --git a/x b/x\n@@ -7,2 +7,2 @@ fn main\n one\n-let a = 1;\n-\tgone\n+let \u{6f22} = 1;\n";
        let shown = anstream::adapter::strip_str(&show(&Patch::read(text.as_bytes()), 60)).to_string();
        let expected = [
            "x  +1 -2",
            "@@ -7,2 +7,2 @@ fn main",
            "  7 one                      │   7 one                    ",
            "  8 let a = 1;               │   8 let \u{6f22} = 1;            ",
            "  9     gone                 │                            ",
            "",
        ];
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), expected.len(), "{shown}");
        for (line, expected) in lines.iter().zip(expected) {
            assert_eq!(line.trim_end(), expected.trim_end(), "{shown}");
        }
    }
}
