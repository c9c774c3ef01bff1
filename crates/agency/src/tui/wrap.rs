//! Long lines, broken where they fit; whatever a text holds, nothing in it can move the cursor.

use ratatui::style::Style;
use ratatui::text::Span;

/// How far a tab goes.
const TAB: &str = "    ";

/// The lines of a text, none wider than this: broken between words where one ends near, else wherever it has to be.
pub(super) fn wrap(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width.max(1));
    let mut lines = vec![];
    for line in text.lines() {
        wrap_line(&harmless(line), width, &mut lines);
    }
    lines
}

/// The same with something before the first line, and as much room before the others.
pub(super) fn wrap_after(before: &str, text: &str, width: u16) -> Vec<String> {
    let indent = Span::raw(before).width();
    let left = usize::from(width).saturating_sub(indent);
    let wrapped = wrap(text, u16::try_from(left).unwrap_or(u16::MAX));
    let room = " ".repeat(indent);
    let lines = wrapped.iter().enumerate();
    lines.map(|(index, line)| format!("{}{line}", if index == 0 { before } else { &room })).collect()
}

fn harmless(line: &str) -> String {
    let line = line.replace('\t', TAB);
    line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn wrap_line(line: &str, width: usize, lines: &mut Vec<String>) {
    let span = Span::raw(line);
    let (mut current, mut used) = (String::new(), 0);
    for letter in span.styled_graphemes(Style::new()) {
        let wide = if letter.symbol.is_ascii() { letter.symbol.len() } else { Span::raw(letter.symbol).width() };
        if used + wide > width && !current.is_empty() {
            // A word that begins near the end goes to the next line as a whole.
            let rest = match current.rfind(' ') {
                Some(space) if space >= current.len() / 2 && letter.symbol != " " => current.split_off(space + 1),
                Some(_) | None => String::new(),
            };
            used = Span::raw(rest.as_str()).width();
            lines.push(std::mem::replace(&mut current, rest).trim_end().to_owned());
            if letter.symbol == " " && current.is_empty() {
                continue;
            }
        }
        current.push_str(letter.symbol);
        used += wide;
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrap("rm the old target", 10), ["rm the old", "target"]);
        assert_eq!(wrap("rm --recursive target", 16), ["rm --recursive", "target"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("one\n\n\ttwo", 20), ["one", "", "    two"]);
        assert_eq!(wrap_after("1. ", "a b c d", 6), ["1. a b", "   c d"]);
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(wrap("safe\x1b[2J\x07\rnot", 40), ["safe [2J  not"]);
    }

    proptest! {
        #[test]
        fn no_letter_is_lost_and_no_line_is_too_wide(text in "[ -~äöü漢字é\n]{0,200}", width in 2_u16..50) {
            let lines = wrap(&text, width);
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            for line in lines {
                prop_assert!(Span::raw(line.as_str()).width() <= usize::from(width), "{line:?} in {width}");
            }
        }
    }
}
