//! What is shown in a tab, whatever it is.

use super::info::Info;
use super::lines::LoadedLines;
use super::patch::{Changes, Commented};
use super::screen::Screen;
use super::scroll::{Anchor, Body, RowStyle, Scroll, Viewport};
use super::transcript::TranscriptBody;
use super::window::Ask;
use super::{Content, Move, Timeline};

/// More is loaded when one comes so near to the edge of what is.
const NEAR: usize = 200;

/// Something to read, and where one reads in it.
#[derive(Debug)]
pub(in crate::tui) struct Scrolled<B> {
    pub(in crate::tui) body: B,
    pub(in crate::tui) scroll: Scroll,
}

/// What is shown.
#[derive(Debug, Default)]
pub(super) enum Pane {
    #[default]
    Reading,
    /// Why there is nothing.
    Nothing(String),
    Transcript(Scrolled<TranscriptBody>),
    Lines(Scrolled<LoadedLines>),
    Changes(Scrolled<Changes>),
    Info(Scrolled<Info>),
    Screen(Box<Screen>),
}

/// What to draw.
pub(in crate::tui) enum PaneView<'a> {
    Reading,
    Nothing(&'a str),
    Text(&'a dyn Body, &'a Scroll),
    Screen(&'a Screen),
}

impl Pane {
    /// Takes in what was read.
    pub(super) fn learn(&mut self, content: Content) {
        match (content, &mut *self) {
            (Content::Nothing(why), _) => *self = Self::Nothing(why),
            (Content::Transcript(load), Self::Transcript(talk)) => talk.body.take(load, &mut talk.scroll),
            (Content::Lines(load), Self::Lines(lines)) => lines.body.take(load, &mut lines.scroll),
            (Content::Diff(patch, timeline), Self::Changes(changes)) => {
                changes.body.take(patch, timeline, &mut changes.scroll);
            }
            (Content::Highlights(highlights), Self::Changes(changes)) => changes.body.highlight(highlights),
            (Content::Comments(comments), Self::Changes(changes)) => changes.body.comment(comments),
            (Content::Info(paragraphs), Self::Info(info)) => info.body.paragraphs = paragraphs,
            (Content::Transcript(load), _) => {
                let mut talk = Scrolled { body: TranscriptBody::default(), scroll: Scroll::END };
                talk.body.take(load, &mut talk.scroll);
                *self = Self::Transcript(talk);
            }
            (Content::Lines(load), _) => {
                let mut lines = Scrolled { body: LoadedLines::default(), scroll: Scroll::END };
                lines.body.take(load, &mut lines.scroll);
                *self = Self::Lines(lines);
            }
            (Content::Diff(patch, timeline), _) => {
                let mut changes = Scrolled { body: Changes::default(), scroll: Scroll::START };
                changes.body.take(patch, timeline, &mut changes.scroll);
                *self = Self::Changes(changes);
            }
            (Content::Info(paragraphs), _) => {
                *self = Self::Info(Scrolled { body: Info { paragraphs }, scroll: Scroll::START });
            }
            (Content::Screen(screen), _) => *self = Self::Screen(screen),
            (Content::ScreenBytes(bytes), Self::Screen(screen)) => screen.feed(&bytes),
            // They belong to a screen or a patch that never came.
            (Content::ScreenBytes(_) | Content::Highlights(_) | Content::Comments(_), _) => {}
        }
    }

    /// What a comment on the row that is being chosen is about, or on the first row that is seen.
    pub(super) fn commented(&self, viewport: Viewport) -> Option<Commented> {
        let Self::Changes(changes) = self else { return None };
        let first = || {
            let seen = changes.scroll.seen(&changes.body, viewport);
            seen.first().map(|(item, rows)| Anchor { item: *item, row: rows.start })
        };
        changes.body.commented(changes.scroll.cursor.or_else(first)?, viewport.width)
    }

    /// What can be scrolled by items, and where one is in it.
    pub(super) fn scrolled(&mut self) -> Option<(&mut dyn Body, &mut Scroll)> {
        match self {
            Self::Reading | Self::Nothing(_) | Self::Screen(_) => None,
            Self::Transcript(talk) => Some((&mut talk.body, &mut talk.scroll)),
            Self::Lines(lines) => Some((&mut lines.body, &mut lines.scroll)),
            Self::Changes(changes) => Some((&mut changes.body, &mut changes.scroll)),
            Self::Info(info) => Some((&mut info.body, &mut info.scroll)),
        }
    }

    /// The checkpoints, if what changed in one of them is shown.
    pub(super) fn timeline(&self) -> Option<&Timeline> {
        match self {
            Self::Changes(changes) => changes.body.timeline(),
            Self::Reading
            | Self::Nothing(_)
            | Self::Transcript(_)
            | Self::Lines(_)
            | Self::Info(_)
            | Self::Screen(_) => None,
        }
    }

    /// Moves by a key, and returns what to load for it.
    pub(super) fn go(&mut self, direction: Move, viewport: Viewport) -> Option<Ask> {
        if let Self::Screen(screen) = self {
            screen.go(direction, viewport);
        }
        if let Some((body, scroll)) = self.scrolled() {
            scroll.go(direction, body, viewport);
        }
        match (self, direction) {
            (Self::Transcript(talk), Move::First) => talk.body.window.seek_first(),
            (Self::Transcript(talk), Move::Last) => talk.body.window.seek_last(),
            (Self::Lines(lines), Move::First) => lines.body.window.seek_first(),
            (Self::Lines(lines), Move::Last) => lines.body.window.seek_last(),
            (
                Self::Reading
                | Self::Nothing(_)
                | Self::Transcript(_)
                | Self::Lines(_)
                | Self::Changes(_)
                | Self::Info(_)
                | Self::Screen(_),
                _,
            ) => None,
        }
    }

    /// Moves by some rows.
    pub(super) fn scroll(&mut self, rows: isize, viewport: Viewport) {
        if let Self::Screen(screen) = self {
            screen.by(rows, viewport);
        }
        if let Some((body, scroll)) = self.scrolled() {
            scroll.by(rows, body, viewport);
        }
    }

    /// Moves by some columns; false where every line is seen as a whole.
    pub(super) fn slide(&mut self, columns: i16, viewport: Viewport) -> bool {
        if let Self::Screen(screen) = self {
            screen.slide(columns, viewport);
            return true;
        }
        let cut = self.scrolled().filter(|(body, _)| body.cuts());
        cut.map(|(_, scroll)| scroll.slide(columns)).is_some()
    }

    /// Goes to the next row that matches, or to the one before; `None` if nothing is shown.
    pub(super) fn find(
        &mut self,
        forwards: bool,
        is_match: &dyn Fn(&str) -> bool,
        row_style: RowStyle,
        viewport: Viewport,
    ) -> Option<bool> {
        if let Self::Screen(screen) = self {
            return Some(screen.find(forwards, is_match, viewport));
        }
        let (body, scroll) = self.scrolled()?;
        Some(scroll.find(forwards, is_match, body, row_style, viewport))
    }

    /// What to load because the view is near an edge.
    pub(super) fn wants(&mut self, viewport: Viewport) -> Option<Ask> {
        let (has_end, is_loaded) = match self {
            Self::Transcript(talk) => (talk.body.window.has_end(), talk.body.window.is_loaded()),
            Self::Lines(lines) => (lines.body.window.has_end(), lines.body.window.is_loaded()),
            Self::Reading | Self::Nothing(_) | Self::Changes(_) | Self::Info(_) | Self::Screen(_) => return None,
        };
        if !is_loaded {
            return None;
        }
        let (body, scroll) = self.scrolled()?;
        // The end of what is loaded is not the end of the file.
        if !has_end && scroll.following {
            scroll.stop_following(body, viewport);
        }
        let seen = scroll.seen(body, viewport);
        let first = seen.first().map_or(0, |(item, _)| *item);
        let last = seen.last().map_or(0, |(item, _)| *item);
        let after = body.len().saturating_sub(last + 1);
        // While one follows the end, only what fills the place is needed.
        let near = if scroll.following { usize::from(first == 0) } else { NEAR };
        match self {
            Self::Transcript(talk) => talk.body.window.wants(first, after, near),
            Self::Lines(lines) => lines.body.window.wants(first, after, near),
            Self::Reading | Self::Nothing(_) | Self::Changes(_) | Self::Info(_) | Self::Screen(_) => None,
        }
    }

    pub(super) fn shown(&self) -> PaneView<'_> {
        match self {
            Self::Reading => PaneView::Reading,
            Self::Nothing(why) => PaneView::Nothing(why),
            Self::Transcript(talk) => PaneView::Text(&talk.body, &talk.scroll),
            Self::Lines(lines) => PaneView::Text(&lines.body, &lines.scroll),
            Self::Changes(changes) => PaneView::Text(&changes.body, &changes.scroll),
            Self::Info(info) => PaneView::Text(&info.body, &info.scroll),
            Self::Screen(screen) => PaneView::Screen(screen),
        }
    }
}
