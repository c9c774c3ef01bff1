//! The first line: how many runs there are, and how many questions wait.

use ratatui::layout::Rect;

use super::paint::{Paint, width};
use super::runs::cost_words;
use crate::tui::state::State;
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, state: &State) {
    let (live, over) = state.runs.count();
    let dot = state.theme.glyph(" · ", " | ");
    let counts = match state.runs.loaded {
        true => {
            let failed = match state.runs.new_failures() {
                0 => String::new(),
                count => format!("{dot}{count} failed since you last looked"),
            };
            let cost = match state.runs.cost_of_a_day(state.now) {
                cost if cost > 0.0 => format!("{dot}{} in 24 h", cost_words(cost)),
                _ => String::new(),
            };
            format!("{live} live{dot}{over} finished{failed}{cost}")
        }
        false => "reading the runs".to_owned(),
    };
    let used = paint.right(area, &waiting(state), Role::Urgent);
    if used > 0 {
        let badge = Rect { x: area.right() - used, width: used, ..area };
        paint.restyle(badge, ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::REVERSED));
    }
    let left = Rect { width: area.width - used, ..area };
    paint.pieces(left, &[("agency", Role::Accent), ("  ", Role::Plain), (&counts, Role::Plain)]);
}

fn waiting(state: &State) -> String {
    match state.questions.len() {
        0 => String::new(),
        1 => " ? 1 question: press i ".to_owned(),
        count => format!(" ? {count} questions: press i "),
    }
}

/// Where it is said that questions wait.
pub(in crate::tui) fn badge(area: Rect, state: &State) -> Rect {
    let wide = width(&waiting(state)).min(area.width);
    Rect { x: area.right() - wide, width: wide, ..area }
}
