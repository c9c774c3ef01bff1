//! The steps of a workflow session.

use agency_engine::orchestrator::{StepOverview, StepState};
use ratatui::layout::Rect;

use super::paint::Paint;
use crate::output::{dollars, took};
use crate::tui::effect::label;
use crate::tui::state::{Overlay, State};
use crate::tui::steps::{Column, Columns, Steps, StepsLine, lines, name, reason_place, said, session_sign, step_sign};
use crate::tui::theme::Role;

/// How wide the names of facts are.
const LABEL_WIDTH: u16 = 8;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, steps: &Steps, state: &State) {
    super::clear(paint.buffer, body);
    let columns = Columns::of(steps.steps(), body.width);
    let in_front = matches!(state.overlays.last(), Some(Overlay::Steps(_))) && !steps.rejecting;
    for (row, line) in body.rows().zip(lines(steps, body.width).into_iter().skip(steps.top)) {
        match line {
            StepsLine::Title => draw_title(paint, row, steps),
            StepsLine::Fact { name, text, role } => {
                paint.text(row, name, Role::Quiet);
                paint.text(after(row, LABEL_WIDTH), &text, role);
            }
            StepsLine::Empty => {}
            StepsLine::Step(index) => {
                let Some(step) = steps.steps().get(index) else { continue };
                draw_step(paint, row, step, &columns, state);
                if steps.selected_index() == Some(index) {
                    paint.restyle(row, state.theme.selected(in_front));
                }
            }
            StepsLine::Said { step, text } => {
                let Some(step) = steps.steps().get(step) else { continue };
                let role = if step.error.is_some() { Role::Bad } else { Role::Quiet };
                paint.text(after(row, indent(step) + 2), &text, role);
            }
        }
    }
    if steps.rejecting {
        let inside = paint.boxed(reason_place(body), "Reject it: why?");
        steps.reason().draw(inside, paint.buffer);
    }
}

fn draw_title(paint: &mut Paint<'_>, row: Rect, steps: &Steps) {
    let session = steps.session.to_string();
    let Some(overview) = &steps.overview else {
        let word = if steps.trouble.is_some() { "cannot be read" } else { "is being read" };
        paint.pieces(row, &[(&session, Role::Title), (" ", Role::Plain), (word, Role::Quiet)]);
        return;
    };
    let (sign, role) = session_sign(paint.theme, overview.state);
    let word = format!("{sign} {}", overview.state);
    let gap = ("  ", Role::Plain);
    paint.pieces(row, &[(&overview.workflow, Role::Title), gap, (&word, role), gap, (&session, Role::Quiet)]);
}

fn draw_step(paint: &mut Paint<'_>, row: Rect, step: &StepOverview, columns: &Columns, state: &State) {
    let (sign, role) = step_sign(state.theme, step.state);
    let names = after(Rect { width: columns.name.saturating_sub(1).min(row.width), ..row }, indent(step));
    paint.pieces(names, &[(sign, role), (" ", Role::Plain), (&name(step), Role::Plain)]);
    let mut left = after(row, columns.name);
    for (column, wide) in &columns.shown {
        let place = Rect { width: wide.saturating_sub(1).min(left.width), ..left };
        match column {
            Column::Word => paint.text(place, step.state.as_str(), role),
            Column::Times => paint.right(place, &times(step, state), Role::Quiet),
            Column::Took => paint.right(place, &duration(step, state), Role::Plain),
            Column::Cost => paint.right(place, &step.cost_usd.map(dollars).unwrap_or_default(), Role::Plain),
            Column::Run => paint.text(place, &run(step, state), Role::Quiet),
        };
        left = after(left, *wide);
    }
    if columns.has_room(step) {
        let role = if step.error.is_some() { Role::Bad } else { Role::Quiet };
        paint.text(left, said(step), role);
    }
}

fn times(step: &StepOverview, state: &State) -> String {
    match step.attempts {
        0 | 1 => String::new(),
        attempts => format!("{}{attempts}", state.theme.glyph("×", "x")),
    }
}

fn duration(step: &StepOverview, state: &State) -> String {
    let begun = step.started_at.filter(|_| step.state != StepState::Pending);
    begun.map_or_else(String::new, |begun| took(begun, step.ended_at.unwrap_or(state.now)))
}

/// The run of a step by its name, else its id.
fn run(step: &StepOverview, state: &State) -> String {
    let Some(id) = &step.run_id else { return String::new() };
    state.runs.get(id).map_or_else(|| id.to_string(), |entry| label(&entry.row))
}

fn indent(step: &StepOverview) -> u16 {
    u16::try_from(2 * step.depth).unwrap_or(u16::MAX)
}

fn after(area: Rect, used: u16) -> Rect {
    let used = used.min(area.width);
    Rect { x: area.x + used, width: area.width - used, ..area }
}
