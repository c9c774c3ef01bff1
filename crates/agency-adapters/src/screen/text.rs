//! A screen as text.

use super::WindowTitle;

/// What is on a screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenText {
    /// The lines from top to bottom.
    pub lines: Vec<String>,
    /// For each line the words on another background than the rest of it: buttons show their choice only so.
    pub highlights: Vec<Vec<String>>,
    /// The title of the terminal's window.
    pub title: Option<String>,
}

impl ScreenText {
    /// A screen of plain text.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self { lines: text.lines().map(str::to_owned).collect(), ..Self::default() }
    }

    /// What a terminal shows now.
    #[must_use]
    #[doc(hidden)]
    pub fn of(screen: &vt100::Screen, title: &WindowTitle) -> Self {
        let (rows, columns) = screen.size();
        let (rows, columns) = (rows.get(), columns.get());
        Self {
            lines: screen.rows(0, columns).collect(),
            highlights: (0..rows).map(|row| highlights(screen, row, columns)).collect(),
            title: title.text().map(str::to_owned),
        }
    }
}

/// A background, with whether it is swapped with the foreground.
type Background = (vt100::Color, bool);

fn highlights(screen: &vt100::Screen, row: u16, columns: u16) -> Vec<String> {
    let mut runs: Vec<(Background, String)> = vec![];
    let mut widths: Vec<(Background, usize)> = vec![];
    for cell in (0..columns).filter_map(|column| screen.cell(row, column)) {
        let shade = (cell.bgcolor(), cell.inverse());
        let shown = if cell.has_contents() { cell.contents() } else { " " };
        match runs.last_mut() {
            Some((last, text)) if *last == shade => text.push_str(shown),
            Some(_) | None => runs.push((shade, shown.to_owned())),
        }
        match widths.iter_mut().find(|(known, _)| *known == shade) {
            Some((_, width)) => *width += 1,
            None => widths.push((shade, 1)),
        }
    }
    let usual = widths.iter().max_by_key(|(_, width)| *width).map(|(shade, _)| *shade);
    runs.into_iter()
        .filter(|(shade, text)| Some(*shade) != usual && !text.trim().is_empty())
        .map(|(_, text)| text.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    #[test]
    fn a_terminal_gives_lines_title_and_what_stands_out() {
        let size = |number| NonZeroU16::new(number).unwrap();
        let mut parser = vt100::Parser::new_with_callbacks(size(2), size(20), 0, WindowTitle::default());
        parser.process("\u{1b}]0;✳ Claude Code\u{7}one\r\n\u{1b}[48;5;3m Yes \u{1b}[0m  No".as_bytes());
        let text = ScreenText::of(parser.screen(), parser.callbacks());
        assert_eq!(text.lines, ["one", " Yes   No"]);
        assert_eq!(text.highlights, [vec![], vec!["Yes".to_owned()]]);
        assert_eq!(text.title.as_deref(), Some("✳ Claude Code"));
    }
}
