//! Parts of a line, in columns of the screen. Half of a wide character is a space.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// What of a line is right of a column.
pub(super) fn without_start(line: &Line<'_>, columns: u16) -> Line<'static> {
    let mut left = usize::from(columns);
    let mut spans = vec![];
    for span in &line.spans {
        let mut text = String::new();
        for part in span.styled_graphemes(Style::new()) {
            let wide = Span::raw(part.symbol).width();
            match left {
                0 => text.push_str(part.symbol),
                _ if wide > left => {
                    text.extend(std::iter::repeat_n(' ', wide - left));
                    left = 0;
                }
                _ => left -= wide,
            }
        }
        spans.push(Span::styled(text, span.style));
    }
    Line { style: line.style, alignment: line.alignment, spans }
}

/// A line that takes exactly so many columns; what is added has the style of the line.
pub(super) fn exactly(line: &Line<'_>, columns: usize) -> Vec<Span<'static>> {
    let mut left = columns;
    let mut spans = vec![];
    for span in &line.spans {
        let style = line.style.patch(span.style);
        let mut text = String::new();
        for part in span.styled_graphemes(Style::new()) {
            let wide = Span::raw(part.symbol).width();
            if wide > left {
                spans.extend([Span::styled(text, style), Span::styled(" ".repeat(left), line.style)]);
                return spans;
            }
            left -= wide;
            text.push_str(part.symbol);
        }
        spans.push(Span::styled(text, style));
    }
    spans.push(Span::styled(" ".repeat(left), line.style));
    spans
}
