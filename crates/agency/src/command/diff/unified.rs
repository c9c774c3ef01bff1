//! A diff as git prints it, with colours and the changed words marked.

use std::ops::Range;

use agency_model::patch::{Patch, PatchFile, PatchLineKind};
use anstyle::{AnsiColor, Style};

use crate::output::styled;

/// The whole diff.
pub(super) fn show(patch: &Patch) -> String {
    let mut lines =
        patch.files.iter().flat_map(|file| (0..file.lines.len()).map(move |index| (file, index))).peekable();
    let mut shown = String::with_capacity(patch.text.len() * 2);
    let mut start = 0;
    for text in patch.text.split_inclusive('\n') {
        let line = text.strip_suffix('\n').unwrap_or(text);
        // Lines that belong to no file are the headings of one.
        let here = lines.next_if(|(file, index)| file.lines.get(*index).is_some_and(|line| line.start() == start));
        shown.push_str(&match here {
            Some((file, index)) => numbered_line(patch, file, index),
            None => styled(Style::new().bold(), line),
        });
        shown.push('\n');
        start += text.len();
    }
    shown
}

fn numbered_line(patch: &Patch, file: &PatchFile, index: usize) -> String {
    let Some(line) = file.lines.get(index) else { return String::new() };
    let style = match line.kind {
        PatchLineKind::Added => added(),
        PatchLineKind::Removed => removed(),
        PatchLineKind::Hunk => return styled(AnsiColor::Cyan.on_default(), patch.line(line)),
        PatchLineKind::Other => return styled(Style::new().dimmed(), patch.line(line)),
        PatchLineKind::Context => return patch.line(line).to_owned(),
    };
    // Before the code stands its sign.
    let words: Vec<_> = patch.changed_words(file, index).into_iter().map(|word| word.start + 1..word.end + 1).collect();
    marked(patch.line(line), &words, style)
}

pub(super) const fn added() -> Style {
    AnsiColor::Green.on_default()
}

pub(super) const fn removed() -> Style {
    AnsiColor::Red.on_default()
}

/// A text in a style, with some of its parts in reverse.
fn marked(text: &str, parts: &[Range<usize>], style: Style) -> String {
    let mut shown = String::new();
    let mut end = 0;
    let mut add = |range: Range<usize>, style: Style| {
        let part = text.get(range).unwrap_or_default();
        if !part.is_empty() {
            shown.push_str(&styled(style, part));
        }
    };
    for part in parts {
        add(end..part.start, style);
        add(part.clone(), style.invert());
        end = part.end;
    }
    add(end..text.len(), style);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_stays_and_only_colours_come() {
        let text = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-let a = 1;\n+let b = 1;\n";
        let shown = show(&Patch::read(text.as_bytes()));
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), text);
        let parts = marked("let b = 1;", std::slice::from_ref(&(4..5)), added());
        assert_eq!(anstream::adapter::strip_str(&parts).to_string(), "let b = 1;");
        assert_eq!(parts.matches("\u{1b}[7").count(), 1, "{parts:?}");
    }
}
