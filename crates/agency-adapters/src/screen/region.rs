//! Where on the screen to look.

use std::ops::Range;

use serde::Deserialize;

use super::pattern::Pattern;
use super::unframed_screen::UnframedScreen;

/// A part of the screen; each key narrows what the ones before it left, in the order in which they stand here.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Region {
    /// Only the last lines that have a frame at their side.
    framed: bool,
    /// Only what is above the last such line.
    above: Option<Pattern>,
    /// Only the last such line and what is below it.
    from: Option<Pattern>,
    /// Only what is below the last such line.
    below: Option<Pattern>,
    /// Only so many of the last lines that are not empty.
    last: Option<usize>,
}

impl Region {
    /// The lines; none where one that bounds them is missing.
    pub(super) fn on(&self, unframed: &UnframedScreen<'_>) -> Option<Range<usize>> {
        let Self { framed, above, from, below, last } = self;
        let mut range = if *framed { unframed.last_frame()? } else { unframed.all() };
        if let Some(above) = above {
            range.end = above.last_in(unframed, range.clone())?.first;
        }
        if let Some(from) = from {
            range.start = from.last_in(unframed, range.clone())?.first;
        }
        if let Some(below) = below {
            range.start = below.last_in(unframed, range.clone())?.last + 1;
        }
        if let Some(last) = last {
            let filled = unframed.lines(range.clone()).rev().filter(|(_, line)| !line.trim().is_empty());
            range.start = filled.take(*last).last().map_or(range.end, |(number, _)| number);
        }
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::ScreenText;

    fn lines(region: &str, screen: &str) -> Option<String> {
        let region: Region = toml::from_str(region).unwrap();
        let screen = ScreenText::plain(screen);
        let unframed = UnframedScreen::new(&screen);
        let range = region.on(&unframed)?;
        Some(unframed.lines(range).map(|(_, line)| line).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn each_key_narrows_what_the_others_left() {
        let screen = "> a\none\n> b\ntwo\n\nthree\n> c\nend\n\n";
        assert_eq!(lines("", screen).as_deref(), Some("> a|one|> b|two||three|> c|end"));
        assert_eq!(lines("last = 2", screen).as_deref(), Some("> c|end"));
        assert_eq!(lines("above = '/^> /'\nbelow = '/^> /'", screen).as_deref(), Some("two||three"));
        assert_eq!(lines("above = '/^> /'\nlast = 2", screen).as_deref(), Some("two||three"));
        assert_eq!(lines("from = 'two three'", screen).as_deref(), Some("two||three|> c|end"));
        assert_eq!(lines("below = 'end'", screen).as_deref(), Some(""));
        assert_eq!(lines("below = 'nowhere'", screen), None);
        assert_eq!(lines("last = 3", ""), Some(String::new()));
    }
}
