//! What stands beside the name of a step, and how wide it is.

use agency_engine::orchestrator::StepOverview;
use ratatui::text::Span;

/// So much room is wanted for what a step did; with less, that gets a line of its own.
const WHAT: u16 = 24;

/// What stands beside the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Column {
    Word,
    Times,
    Took,
    Cost,
    Run,
}

impl Column {
    /// In the order in which they stand.
    const ORDER: [Self; 5] = [Self::Word, Self::Times, Self::Took, Self::Cost, Self::Run];
    /// In the order in which they get room.
    const IMPORTANCE: [Self; 5] = [Self::Word, Self::Took, Self::Cost, Self::Times, Self::Run];

    const fn width(self) -> u16 {
        match self {
            Self::Word => 8,
            Self::Times => 4,
            Self::Took => 7,
            Self::Cost => 10,
            Self::Run => 22,
        }
    }
}

/// The columns that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Columns {
    /// How wide the names are, with their signs and how deep they stand.
    pub(in crate::tui) name: u16,
    pub(in crate::tui) shown: Vec<(Column, u16)>,
    /// What is left for what a step did; 0 if it needs a line of its own.
    pub(in crate::tui) what: u16,
}

impl Columns {
    pub(in crate::tui) fn of(steps: &[StepOverview], width: u16) -> Self {
        let widest = steps.iter().map(|step| 2 * step.depth + 2 + Span::raw(name(step)).width()).max().unwrap_or(0);
        let widest = u16::try_from(widest).unwrap_or(u16::MAX).saturating_add(1);
        let most = width.saturating_sub(Column::Word.width() + Column::Took.width()).max(width / 2);
        let name = widest.min(most);
        let mut left = width - name;
        let mut shown = vec![];
        for column in Column::IMPORTANCE {
            if column.width() <= left {
                left -= column.width();
                shown.push(column);
            }
        }
        let order = Column::ORDER.into_iter().filter(|column| shown.contains(column));
        let shown = order.map(|column| (column, column.width())).collect();
        Self { name, shown, what: if left >= WHAT { left } else { 0 } }
    }

    /// Whether what a step did stands beside it. Of what it did the beginning is enough; why it failed is wanted whole.
    pub(in crate::tui) fn has_room(&self, step: &StepOverview) -> bool {
        self.what > 0 && (step.error.is_none() || Span::raw(said(step)).width() <= usize::from(self.what))
    }
}

/// What a step is called.
pub(in crate::tui) fn name(step: &StepOverview) -> String {
    let round = step.round.map_or_else(String::new, |round| format!(" (round {round})"));
    format!("{}{round}", step.name)
}

/// What a step did, or why it failed, in a line.
pub(in crate::tui) fn said(step: &StepOverview) -> &str {
    let said = step.error.as_deref().or(step.summary.as_deref()).unwrap_or_default();
    said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
