//! A screen as the rules look at it: without frames, without the empty end.

use std::ops::Range;

use super::ScreenText;

/// What frames are drawn with at the sides of a text.
const FRAME: [char; 4] = ['│', '┃', '║', '▌'];

/// Whether a character only decorates.
fn is_ornament(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '─'..='╿' | '▀'..='▟' | '▲' | '▼')
}

/// The lines of a screen.
pub(super) struct UnframedScreen<'screen> {
    screen: &'screen ScreenText,
    lines: Vec<String>,
    framed: Vec<bool>,
}

/// Where a text was found: its first and its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchedLines {
    pub(super) first: usize,
    pub(super) last: usize,
}

impl<'screen> UnframedScreen<'screen> {
    pub(super) fn new(screen: &'screen ScreenText) -> Self {
        let (mut lines, framed): (Vec<String>, Vec<bool>) = screen.lines.iter().map(|line| unframed(line)).unzip();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines.truncate(end);
        Self { screen, lines, framed }
    }

    pub(super) fn line(&self, number: usize) -> Option<&str> {
        self.lines.get(number).map(String::as_str)
    }

    pub(super) fn all(&self) -> Range<usize> {
        0..self.lines.len()
    }

    /// The lines of a range with their numbers.
    pub(super) fn lines(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        range.filter_map(|number| Some((number, self.line(number)?)))
    }

    /// The lines of a range as they are on the screen, frames and all.
    pub(super) fn drawn(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        self.lines(range).filter_map(|(number, _)| Some((number, self.screen.lines.get(number)?.trim_end())))
    }

    /// The words of a line that stand out.
    pub(super) fn highlights(&self, number: usize) -> &[String] {
        self.screen.highlights.get(number).map_or(&[], Vec::as_slice)
    }

    /// The last lines that have a frame at their side.
    pub(super) fn last_frame(&self) -> Option<Range<usize>> {
        let is_framed = |number: &usize| self.framed.get(*number).copied().unwrap_or_default();
        let last = (0..self.framed.len()).rev().find(is_framed)?;
        let first = (0..last).rev().take_while(is_framed).last().unwrap_or(last);
        Some(first..(last + 1).min(self.lines.len()).max(first))
    }

    /// The words of a range in one line, as they were before the terminal's width broke them.
    pub(super) fn joined(&self, range: Range<usize>) -> JoinedLines {
        let mut joined = JoinedLines { text: String::new(), starts: vec![] };
        for (number, line) in self.lines(range).filter(|(_, line)| !line.trim().is_empty()) {
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            joined.starts.push((joined.text.len(), number));
            joined.text.push_str(line.trim());
        }
        joined
    }

    /// The lines of a range as they stand there, without what all of them are indented by and without ornaments.
    pub(super) fn block(&self, range: Range<usize>) -> String {
        let indent = |line: &str| line.chars().take_while(|letter| *letter == ' ').count();
        let lines: Vec<&str> = self
            .lines(range)
            .map(|(_, line)| line)
            .filter(|line| line.is_empty() || !line.chars().all(is_ornament))
            .collect();
        let common = lines.iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min().unwrap_or_default();
        let lines: Vec<&str> = lines.into_iter().map(|line| line.get(common..).unwrap_or_default()).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    }
}

/// Lines joined to one, with the place where each begins.
pub(super) struct JoinedLines {
    pub(super) text: String,
    starts: Vec<(usize, usize)>,
}

impl JoinedLines {
    pub(super) fn first(&self, words: &str) -> Option<MatchedLines> {
        self.text.find(words).and_then(|start| self.hit(start, words.len()))
    }

    pub(super) fn last(&self, words: &str) -> Option<MatchedLines> {
        self.text.rfind(words).and_then(|start| self.hit(start, words.len()))
    }

    fn hit(&self, start: usize, length: usize) -> Option<MatchedLines> {
        let line = |offset: usize| {
            let after = self.starts.partition_point(|(start, _)| *start <= offset);
            self.starts.get(after.checked_sub(1)?).map(|(_, number)| *number)
        };
        Some(MatchedLines { first: line(start)?, last: line(start + length.saturating_sub(1))? })
    }
}

/// The line without the frame at its sides, and whether there was one.
fn unframed(line: &str) -> (String, bool) {
    let mut rest = line.trim_end();
    let whole = rest;
    while let Some(inner) = rest.trim_start().strip_prefix(FRAME) {
        rest = inner.trim_end();
        rest = rest.strip_suffix(FRAME).unwrap_or(rest).trim_end();
    }
    (rest.to_owned(), rest.len() != whole.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_off_and_the_rest_stays_where_it_is() {
        assert_eq!(unframed(" │ │ touch a  │ │ "), (" touch a".to_owned(), true));
        assert_eq!(unframed("  ┃  a │ b"), ("  a │ b".to_owned(), true));
        assert_eq!(unframed("  a │"), ("  a │".to_owned(), false));
        assert_eq!(unframed("┃"), (String::new(), true));
    }

    #[test]
    fn words_are_found_across_lines() {
        let screen = ScreenText::plain("a\n Do you want\n │ to go? │\n\n");
        let unframed = UnframedScreen::new(&screen);
        assert_eq!(unframed.joined(unframed.all()).first("want to go"), Some(MatchedLines { first: 1, last: 2 }));
        assert_eq!(unframed.joined(unframed.all()).last("a"), Some(MatchedLines { first: 1, last: 1 }));
        assert_eq!(unframed.joined(0..0).first("a"), None);
    }

    #[test]
    fn a_block_keeps_its_shape() {
        let screen = ScreenText::plain("\n───\n  if x\n\n    y\n ╰──╯\n");
        let unframed = UnframedScreen::new(&screen);
        assert_eq!(unframed.block(unframed.all()), "if x\n\n  y");
    }

    #[test]
    fn the_last_frame_is_the_last_run_of_framed_lines() {
        let screen = ScreenText::plain("┃ a\nb\n┃ c\n┃\nd");
        assert_eq!(UnframedScreen::new(&screen).last_frame(), Some(2..4));
        assert_eq!(UnframedScreen::new(&ScreenText::plain("┃\n┃")).last_frame(), Some(0..0));
        assert_eq!(UnframedScreen::new(&ScreenText::plain("a")).last_frame(), None);
    }
}
