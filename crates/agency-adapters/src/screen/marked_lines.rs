//! Which lines of a dialog hold its title, and which the rest.

use std::ops::Range;

use serde::Deserialize;

use super::pattern::Pattern;
use super::unframed_screen::UnframedScreen;

/// A title is one line.
const MAX_TITLE_CHARS: usize = 120;

/// Some lines of a dialog, between markers. Empty lines at its beginning do not count.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MarkedLines {
    /// It begins with the first such line.
    from: Option<Pattern>,
    /// It begins with the last such line, for what an agent may have put into the dialog comes before it.
    from_last: Option<Pattern>,
    /// It begins below the first such line.
    below: Option<Pattern>,
    /// It ends with the first such line.
    to: Option<Pattern>,
    /// It ends above the first such line.
    above: Option<Pattern>,
    /// It ends above the last such line.
    above_last: Option<Pattern>,
}

impl MarkedLines {
    /// The lines; where a marker is missing, as far as the dialog goes.
    fn within(&self, unframed: &UnframedScreen<'_>, dialog: Range<usize>) -> Range<usize> {
        let Self { from, from_last, below, to, above, above_last } = self;
        let mut range = dialog;
        if let Some(hit) = from.as_ref().and_then(|from| from.first_in(unframed, range.clone())) {
            range.start = hit.first;
        }
        if let Some(hit) = from_last.as_ref().and_then(|from| from.last_in(unframed, range.clone())) {
            range.start = hit.first;
        }
        if let Some(hit) = below.as_ref().and_then(|below| below.first_in(unframed, range.clone())) {
            range.start = hit.last + 1;
        }
        let filled = unframed.lines(range.clone()).find(|(_, line)| !line.trim().is_empty());
        range.start = filled.map_or(range.end, |(number, _)| number);
        if let Some(hit) = to.as_ref().and_then(|to| to.first_in(unframed, range.clone())) {
            range.end = hit.last + 1;
        }
        if let Some(hit) = above.as_ref().and_then(|above| above.first_in(unframed, range.clone())) {
            range.end = hit.first;
        }
        if let Some(hit) = above_last.as_ref().and_then(|above| above.last_in(unframed, range.clone())) {
            range.end = hit.first;
        }
        range
    }

    /// Its words in one line.
    pub(super) fn title(&self, unframed: &UnframedScreen<'_>, dialog: Range<usize>) -> String {
        let joined = unframed.joined(self.within(unframed, dialog)).text;
        let title = without_bullet(&joined);
        if title.chars().count() <= MAX_TITLE_CHARS {
            return title.to_owned();
        }
        title.chars().take(MAX_TITLE_CHARS - 1).chain(['…']).collect()
    }

    /// Its lines as they stand there.
    pub(super) fn block(&self, unframed: &UnframedScreen<'_>, dialog: Range<usize>) -> String {
        unframed.block(self.within(unframed, dialog))
    }
}

/// `# Shell command` and `→ Edit a` without the sign before them.
fn without_bullet(text: &str) -> &str {
    match text.split_once(' ') {
        Some((sign, rest)) if sign.chars().count() == 1 && !sign.chars().all(char::is_alphanumeric) => {
            rest.trim_start()
        }
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::ScreenText;

    const DIALOG: &str = "\n # Shell\n\n Do you\n want it?\n ───\n  ls\n    -l\n ───\n";

    fn of(span: &str) -> (String, String) {
        let span: MarkedLines = toml::from_str(span).unwrap();
        let screen = ScreenText::plain(DIALOG);
        let unframed = UnframedScreen::new(&screen);
        (span.title(&unframed, unframed.all()), span.block(&unframed, unframed.all()))
    }

    #[test]
    fn markers_bound_the_lines() {
        assert_eq!(of("above = '/^$/'"), ("Shell".to_owned(), "# Shell".to_owned()));
        assert_eq!(of("from = 'Do you want'\nto = '?'").0, "Do you want it?");
        assert_eq!(of("below = '/──/'\nabove = '/──/'").1, "ls\n  -l");
        assert_eq!(of("from_last = '/l/'\nabove_last = '/──/'").1, "-l");
    }

    #[test]
    fn a_missing_marker_bounds_nothing() {
        assert_eq!(of("below = 'nowhere'\nabove = 'nowhere either'"), of(""));
    }

    #[test]
    fn a_title_is_short() {
        let screen = ScreenText::plain(&"word ".repeat(100));
        let unframed = UnframedScreen::new(&screen);
        assert_eq!(MarkedLines::default().title(&unframed, unframed.all()).chars().count(), MAX_TITLE_CHARS);
    }
}
