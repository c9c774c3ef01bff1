//! The tabs about one run: what is shown of it, and how far one has read.

mod find;
#[cfg(test)]
pub(super) mod fixture;
mod info;
mod lines;
mod log_line;
mod pane;
mod patch;
mod screen;
mod scroll;
mod timeline;
mod transcript;
mod window;

use std::sync::Arc;

use agency_engine::store::RunRow;
use agency_model::EventLine;
use agency_model::patch::Patch;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde::{Deserialize, Serialize};

use super::keys::Move;
use crate::highlight::Highlights;
pub(super) use info::Paragraph;
pub(super) use log_line::log_line;
use pane::Pane;
pub(super) use pane::PaneView;
pub(super) use patch::{Commented, LineComment};
pub(super) use screen::Screen;
pub(super) use scroll::{Anchor, Body, RowStyle, Scroll, Viewport};
pub(super) use timeline::{DiffPart, Timeline, TimelineEntry};
pub(super) use window::{Ask, Load, Piece};

/// The tabs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tab {
    #[default]
    Output,
    Diff,
    Events,
    Logs,
    Info,
}

impl Tab {
    pub(super) const ALL: [Self; 5] = [Self::Output, Self::Diff, Self::Events, Self::Logs, Self::Info];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Diff => "Diff",
            Self::Events => "Events",
            Self::Logs => "Logs",
            Self::Info => "Info",
        }
    }

    pub(super) const fn next(self) -> Self {
        match self {
            Self::Output => Self::Diff,
            Self::Diff => Self::Events,
            Self::Events => Self::Logs,
            Self::Logs => Self::Info,
            Self::Info => Self::Output,
        }
    }

    pub(super) const fn previous(self) -> Self {
        match self {
            Self::Output => Self::Info,
            Self::Diff => Self::Output,
            Self::Events => Self::Diff,
            Self::Logs => Self::Events,
            Self::Info => Self::Logs,
        }
    }
}

/// What to read for a tab.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    /// Counts what was shown; what comes late for an older one is dropped. The same one again means that the row of
    /// the run is another.
    pub(super) generation: u64,
    pub(super) row: RunRow,
    pub(super) tab: Tab,
    /// Which part, in the tab of the diff.
    pub(super) part: DiffPart,
}

/// A further part of what a tab shows, to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageRequest {
    pub(super) generation: u64,
    pub(super) ask: Ask,
}

/// What was read.
#[derive(Debug)]
pub(super) enum Content {
    /// Why there is nothing.
    Nothing(String),
    /// Events, for the agent's output.
    Transcript(Load<Arc<EventLine>>),
    /// Lines of events or logs.
    Lines(Load<Line<'static>>),
    /// What changed, and which checkpoint that is the diff of.
    Diff(Patch, Option<Timeline>),
    /// What the parts of its lines are, which takes longer.
    Highlights(Highlights),
    /// The comments on its lines.
    Comments(Vec<LineComment>),
    Info(Vec<Paragraph>),
    /// The screen of the agent, with its history.
    Screen(Box<Screen>),
    /// What its terminal got since.
    ScreenBytes(Vec<u8>),
}

/// What the tabs show.
#[derive(Debug, Default)]
pub(super) struct Detail {
    pub(super) tab: Tab,
    part: DiffPart,
    subject: Option<Subject>,
    generation: u64,
    pane: Pane,
    /// What to load because of a key.
    wanted: Option<Ask>,
}

impl Detail {
    /// Shows this run, or nothing. Returns what to read for it, if the run changed.
    pub(super) fn turn_to(&mut self, row: Option<&RunRow>) -> Option<Option<Subject>> {
        match (&mut self.subject, row) {
            (None, None) => return None,
            (Some(subject), Some(row))
                if subject.row.id == row.id && subject.tab == self.tab && subject.part == self.part =>
            {
                let same = subject.row.updated_at == row.updated_at && subject.row.state == row.state;
                if same {
                    return None;
                }
                subject.row = row.clone();
                return Some(Some(subject.clone()));
            }
            (Some(_) | None, Some(_) | None) => {}
        }
        if self.tab != Tab::Diff || self.subject.as_ref().map(|subject| &subject.row.id) != row.map(|row| &row.id) {
            self.part = DiffPart::Whole;
        }
        self.generation += 1;
        self.pane = Pane::default();
        self.wanted = None;
        let (generation, tab, part) = (self.generation, self.tab, self.part);
        self.subject = row.map(|row| Subject { generation, row: row.clone(), tab, part });
        Some(self.subject.clone())
    }

    /// Takes in what was read; what is late is dropped.
    pub(super) fn learn(&mut self, generation: u64, content: Content) {
        if generation == self.generation {
            self.pane.learn(content);
        }
    }

    /// The next part to read, now that this much is visible.
    pub(super) fn wants(&mut self, area: Rect) -> Option<PageRequest> {
        let ask = self.wanted.take().or_else(|| self.pane.wants(viewport(area)))?;
        Some(PageRequest { generation: self.generation, ask })
    }

    /// Shows what changed in an earlier or a later turn; after the last one, all that changed.
    pub(super) fn step_checkpoint(&mut self, earlier: bool) {
        let is_new = std::mem::replace(&mut self.tab, Tab::Diff) != Tab::Diff;
        self.part = match (self.part, self.pane.timeline()) {
            (DiffPart::Whole, _) if earlier => DiffPart::LastTurn,
            (part @ (DiffPart::LastTurn | DiffPart::Checkpoint(_)), Some(timeline)) if !is_new => {
                let next = timeline.step(earlier);
                if next == DiffPart::Checkpoint(timeline.shown) { part } else { next }
            }
            (part, _) if earlier => part,
            (_, _) => DiffPart::Whole,
        };
    }

    /// Moves by a key.
    pub(super) fn go(&mut self, direction: Move, area: Rect) {
        self.wanted = self.pane.go(direction, viewport(area)).or(self.wanted);
    }

    /// Moves by some rows.
    pub(super) fn scroll(&mut self, rows: isize, area: Rect) {
        self.pane.scroll(rows, viewport(area));
    }

    /// Jumps to the next tool call or file, or to the one before.
    pub(super) fn jump(&mut self, forwards: bool, area: Rect) {
        if let Some((body, scroll)) = self.pane.scrolled() {
            scroll.jump(forwards, body, viewport(area));
        }
    }

    /// Goes to the next tool call, file or hunk, or to the one before.
    pub(super) fn go_to_landmark(&mut self, forwards: bool, area: Rect) {
        if let Some((body, scroll)) = self.pane.scrolled() {
            scroll.go_to_landmark(forwards, body, viewport(area));
        }
    }

    /// Folds or unfolds the tool call or file at hand.
    pub(super) fn fold(&mut self, area: Rect) {
        if let Some((body, scroll)) = self.pane.scrolled()
            && let Some(item) = scroll.at_hand(body, viewport(area))
        {
            scroll.fold(item, body, viewport(area));
        }
    }

    /// Folds or unfolds all of them.
    pub(super) fn fold_all(&mut self, area: Rect) {
        if let Some((body, scroll)) = self.pane.scrolled() {
            scroll.fold_all(body, viewport(area));
        }
    }

    /// Goes to the next row that matches, or to the one before; `None` if what is shown cannot be searched.
    pub(super) fn find(
        &mut self,
        forwards: bool,
        is_match: &dyn Fn(&str) -> bool,
        area: Rect,
        theme: super::theme::Theme,
    ) -> Option<bool> {
        self.pane.find(forwards, is_match, RowStyle { width: area.width, left: 0, theme }, viewport(area))
    }

    /// Moves by some columns; false where every line is seen as a whole.
    pub(super) fn slide(&mut self, columns: i16, area: Rect) -> bool {
        self.pane.slide(columns, viewport(area))
    }

    /// Folds or unfolds what was clicked: a tool call, or a file by its first row.
    pub(super) fn click(&mut self, row: u16, area: Rect) {
        let Some((body, scroll)) = self.pane.scrolled() else { return };
        if let Some((item, true)) = scroll.item_at(row.saturating_sub(area.y), body, viewport(area))
            && body.folds(item)
        {
            scroll.fold(item, body, viewport(area));
        }
    }

    /// Begins to choose a line of the diff; false if there is none.
    pub(super) fn begin_choosing(&mut self, area: Rect) -> bool {
        let Pane::Changes(changes) = &mut self.pane else { return false };
        if changes.body.timeline().is_some() {
            return false;
        }
        changes.scroll.begin_choosing(&changes.body, viewport(area))
    }

    /// Moves to another line.
    pub(super) fn move_cursor(&mut self, direction: Move, area: Rect) {
        if let Some((body, scroll)) = self.pane.scrolled() {
            scroll.move_cursor(direction, body, viewport(area));
        }
    }

    /// No line is being chosen any more.
    pub(super) fn end_choosing(&mut self) {
        if let Some((_, scroll)) = self.pane.scrolled() {
            scroll.cursor = None;
        }
    }

    /// What a comment would be about.
    pub(super) fn commented(&self, area: Rect) -> Option<Commented> {
        self.pane.commented(viewport(area))
    }

    /// What to read again, because something about it changed that the row does not have.
    pub(super) fn again(&self) -> Option<Subject> {
        self.subject.clone()
    }

    /// What to draw.
    pub(super) fn shown(&self) -> PaneView<'_> {
        self.pane.shown()
    }
}

fn viewport(area: Rect) -> Viewport {
    Viewport { width: area.width, height: area.height }
}
