//! The steps of a workflow session, as a tree: which one is selected, and what is being done about it.
//!
//! The one rule: the selection is a step, not a line; it stays with its step whatever happens to the others.

mod columns;
mod lines;
#[cfg(test)]
mod tests;

use agency_engine::orchestrator::{Overview, StepOverview, StepState};
use agency_model::SessionId;
use agency_model::workflow::SessionState;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

pub(super) use columns::{Column, Columns, name, said};
pub(super) use lines::{StepsLine, lines};

use super::effect::{Failure, JobNumber};
use super::keys::{Move, Scope};
use super::text_input::{Cursor, TextInput};
use super::theme::{Role, Theme};

/// How high the place is at most in which a reason is written.
const REASON: u16 = 8;

/// The steps of one session.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) session: SessionId,
    pub(super) overview: Option<Box<Overview>>,
    /// Why it could not be read.
    pub(super) trouble: Option<Failure>,
    /// The path of the selected step.
    selected: Option<String>,
    /// The first line that is shown.
    pub(super) top: usize,
    /// The job that reads it.
    pub(super) reading: Option<JobNumber>,
    /// Whether something happened since that began.
    pub(super) stale: bool,
    reason: TextInput,
    /// Whether the reason of a rejection is being written.
    pub(super) rejecting: bool,
}

impl Steps {
    pub(super) fn new(session: SessionId) -> Self {
        let mut reason = TextInput::lines("", "why not");
        reason.show_cursor(Cursor::Shown);
        Self {
            session,
            overview: None,
            trouble: None,
            selected: None,
            top: 0,
            reading: None,
            stale: false,
            reason,
            rejecting: false,
        }
    }

    /// Whose keys are pressed.
    pub(super) const fn scope(&self) -> Scope {
        if self.rejecting { Scope::Editor } else { Scope::Steps }
    }

    pub(super) fn steps(&self) -> &[StepOverview] {
        self.overview.as_ref().map_or(&[], |overview| &overview.steps)
    }

    /// The number of the selected step.
    pub(super) fn selected_index(&self) -> Option<usize> {
        let selected = self.selected.as_deref()?;
        self.steps().iter().position(|step| step.path == selected)
    }

    pub(super) fn current(&self) -> Option<&StepOverview> {
        self.steps().get(self.selected_index()?)
    }

    pub(super) fn select(&mut self, index: usize) {
        if let Some(step) = self.steps().get(index) {
            self.selected = Some(step.path.clone());
        }
    }

    /// Takes in how the session stands now.
    pub(super) fn learn(&mut self, overview: Box<Overview>) {
        let before = self.selected_index();
        self.overview = Some(overview);
        self.trouble = None;
        if self.selected_index().is_some() {
            return;
        }
        match before {
            // The selected step is gone: what stands in its place.
            Some(index) => self.select(index.min(self.steps().len().saturating_sub(1))),
            None => self.select(most_urgent(self.steps())),
        }
    }

    /// Moves the selection in a place of this size.
    pub(super) fn go(&mut self, direction: Move, body: Rect) {
        let now = self.selected_index().unwrap_or(0);
        let last = self.steps().len().saturating_sub(1);
        let page = usize::from(body.height.saturating_sub(1).max(1));
        let index = match direction {
            Move::Up => now.saturating_sub(1),
            Move::Down => (now + 1).min(last),
            Move::PageUp => now.saturating_sub(page),
            Move::PageDown => (now + page).min(last),
            Move::First => 0,
            Move::Last => last,
        };
        self.select(index);
        self.keep_in_sight(body);
    }

    /// Shows another part, if the selected step is not in it. What is said of it is shown with it.
    pub(super) fn keep_in_sight(&mut self, body: Rect) {
        let lines = lines(self, body.width);
        let height = usize::from(body.height.max(1));
        let most = lines.len().saturating_sub(height);
        if let Some(index) = self.selected_index() {
            let of_step = |line: &StepsLine| line.step() == Some(index);
            let first = lines.iter().position(of_step).unwrap_or(0);
            let last = lines.iter().rposition(of_step).unwrap_or(first);
            // The first step also scrolls the heading above it into view.
            let wanted = if index == 0 && last < height { 0 } else { first };
            self.top = self.top.max((last + 1).saturating_sub(height)).min(wanted);
        }
        self.top = self.top.min(most);
    }

    /// The text of the reason.
    pub(super) fn reason(&self) -> &TextInput {
        &self.reason
    }

    pub(super) fn typed(&mut self, event: KeyEvent) {
        if self.rejecting {
            self.reason.typed(event);
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if self.rejecting {
            self.reason.paste(text);
        }
    }

    /// The reason comes back from the user's editor.
    pub(super) fn written(&mut self, text: &str) {
        if self.rejecting {
            self.reason.replace(text);
        }
    }

    /// Forgets the reason, which was sent.
    pub(super) fn forget_reason(&mut self) {
        self.reason.replace("");
    }
}

/// The place in which a reason is written.
pub(super) fn reason_place(body: Rect) -> Rect {
    let height = REASON.min(body.height);
    Rect { y: body.bottom() - height, height, ..body }
}

/// The step that needs the user most, the innermost one first.
fn most_urgent(steps: &[StepOverview]) -> usize {
    let first_in = |state: StepState| {
        let found = steps.iter().enumerate().filter(|(_, step)| step.state == state);
        found.rev().max_by_key(|(_, step)| step.depth).map(|(index, _)| index)
    };
    [StepState::Waiting, StepState::Failed, StepState::Running].into_iter().find_map(first_in).unwrap_or(0)
}

/// How a step stands: a sign and a role. The word is its own.
pub(super) const fn step_sign(theme: Theme, state: StepState) -> (&'static str, Role) {
    match state {
        StepState::Pending => (theme.glyph("◌", "."), Role::Quiet),
        StepState::Running => (theme.glyph("●", "@"), Role::Busy),
        StepState::Waiting => ("?", Role::Urgent),
        StepState::Done => (theme.glyph("✓", "+"), Role::Good),
        StepState::Failed => (theme.glyph("✗", "x"), Role::Bad),
        StepState::Skipped => (theme.glyph("–", "-"), Role::Quiet),
    }
}

/// How a session stands.
pub(super) const fn session_sign(theme: Theme, state: SessionState) -> (&'static str, Role) {
    match state {
        SessionState::Running => (theme.glyph("●", "@"), Role::Busy),
        SessionState::Waiting | SessionState::PendingMerge => ("?", Role::Urgent),
        SessionState::Completed => (theme.glyph("✓", "+"), Role::Good),
        SessionState::Blocked | SessionState::Failed => (theme.glyph("✗", "x"), Role::Bad),
        SessionState::Cancelled => (theme.glyph("■", "#"), Role::Ended),
    }
}
