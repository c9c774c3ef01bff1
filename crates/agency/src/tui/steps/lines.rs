//! The lines about a session: what it is, then its steps.

use agency_engine::orchestrator::Overview;

use super::Steps;
use super::columns::{Columns, said};
use crate::output::dollars;
use crate::tui::theme::Role;
use crate::tui::wrap::wrap;

/// How wide the names of facts are.
const LABEL_WIDTH: u16 = 8;
/// How many lines of one fact are shown.
const MAX_FACT_LINES: usize = 3;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) enum StepsLine {
    /// The workflow, the session and how it stands.
    Title,
    Fact {
        name: &'static str,
        text: String,
        role: Role,
    },
    Empty,
    Step(usize),
    /// What a step did, where that has no room beside it.
    Said {
        step: usize,
        text: String,
    },
}

impl StepsLine {
    /// The step that it is about.
    pub(super) const fn step(&self) -> Option<usize> {
        match self {
            Self::Step(step) | Self::Said { step, .. } => Some(*step),
            Self::Title | Self::Fact { .. } | Self::Empty => None,
        }
    }
}

/// All lines for a place of this width.
pub(in crate::tui) fn lines(steps: &Steps, width: u16) -> Vec<StepsLine> {
    let mut lines = vec![StepsLine::Title];
    if let Some(trouble) = &steps.trouble {
        put(&mut lines, width, ("trouble", &trouble.message, Role::Bad));
        put(&mut lines, width, ("", trouble.hint.as_deref().unwrap_or_default(), Role::Quiet));
    }
    let Some(overview) = &steps.overview else { return lines };
    put_facts(&mut lines, width, overview);
    lines.push(StepsLine::Empty);
    let columns = Columns::of(&overview.steps, width);
    for (index, step) in overview.steps.iter().enumerate() {
        lines.push(StepsLine::Step(index));
        if columns.has_room(step) || said(step).is_empty() {
            continue;
        }
        let indent = u16::try_from(2 * step.depth + 2).unwrap_or(u16::MAX);
        let most = if step.error.is_some() { MAX_FACT_LINES } else { 1 };
        let wrapped = shortened(wrap(said(step), width.saturating_sub(indent + 1)), most);
        lines.extend(wrapped.into_iter().map(|text| StepsLine::Said { step: index, text }));
    }
    lines
}

fn put_facts(lines: &mut Vec<StepsLine>, width: u16, overview: &Overview) {
    let cost = overview.cost_usd.map(dollars).unwrap_or_default();
    let resume = format!("it has no driver; agency workflow resume {} continues it", overview.session);
    let alone = !overview.driven && !overview.state.is_settled();
    let facts = [
        ("why", overview.reason.as_deref().unwrap_or_default(), Role::Plain),
        ("task", overview.task.as_str(), Role::Plain),
        ("branch", overview.branch.as_deref().unwrap_or_default(), Role::Plain),
        ("cost", cost.as_str(), Role::Plain),
        ("", if alone { resume.as_str() } else { "" }, Role::Urgent),
    ];
    for fact in facts {
        put(lines, width, fact);
    }
}

fn put(lines: &mut Vec<StepsLine>, width: u16, (name, text, role): (&'static str, &str, Role)) {
    if text.trim().is_empty() {
        return;
    }
    let wrapped = shortened(wrap(text, width.saturating_sub(LABEL_WIDTH + 1)), MAX_FACT_LINES);
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    lines.extend(wrapped.into_iter().zip(names).map(|(text, name)| StepsLine::Fact { name, text, role }));
}

/// The first lines, with a sign where there are more.
fn shortened(mut lines: Vec<String>, most: usize) -> Vec<String> {
    let more = lines.len() > most;
    lines.truncate(most);
    if let Some(last) = lines.last_mut().filter(|_| more) {
        last.push_str("...");
    }
    lines
}
