//! Really? What would happen is said before it is done.

use ratatui::layout::Rect;

use super::draw::width;
use super::effect::Job;
use super::layout::middle;
use super::wrap::wrap;

/// The keys have room in it.
const MIN_WIDTH: u16 = 32;
/// Longer lines are broken.
const MAX_WIDTH: u16 = 100;

/// Whether all that would happen is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    /// It is still being found out; nothing is done at yes.
    Reading,
    /// It is.
    Ready,
}

/// A confirmation that the TUI asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Confirm {
    /// One line.
    pub(super) title: String,
    /// What will happen, line by line.
    pub(super) lines: Vec<String>,
    /// What is done at yes.
    pub(super) job: Job,
    pub(super) readiness: Readiness,
    /// The first line that is shown.
    pub(super) top: usize,
}

/// How it looks now.
#[derive(Debug)]
pub(super) struct DialogLayout {
    /// The place with its frame.
    pub(super) place: Rect,
    pub(super) lines: Vec<String>,
    /// How many of them are shown at once.
    pub(super) height: usize,
}

impl Confirm {
    /// A question about something that is known.
    pub(super) fn new(title: String, lines: Vec<String>, job: Job) -> Self {
        Self { title, lines, job, readiness: Readiness::Ready, top: 0 }
    }

    /// Puts together how it looks in this place.
    pub(super) fn layout(&self, body: Rect) -> DialogLayout {
        let widest = self.lines.iter().map(|line| width(line)).max().unwrap_or_default();
        let inside = widest.max(width(&self.title) + 2).clamp(MIN_WIDTH, MAX_WIDTH).min(body.width.saturating_sub(4));
        let lines: Vec<String> = self.lines.iter().flat_map(|line| wrap(line, inside)).collect();
        let high = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(4);
        let place = middle(body, inside + 4, high);
        let height = usize::from(place.height.saturating_sub(4)).max(1);
        DialogLayout { place, lines, height }
    }
}
