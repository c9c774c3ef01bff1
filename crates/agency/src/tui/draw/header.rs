//! The first line: how many runs there are, and how many questions wait.

use ratatui::layout::Rect;

use super::paint::{Paint, width};
use super::runs::cost_words;
use crate::tui::state::State;
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, state: &State) {
    let (live, over) = state.runs.count();
    let counts = match state.runs.loaded {
        true => vec![(format!("{live} live"), Role::Busy), (format!("{over} finished"), Role::Plain)],
        false => vec![("reading the runs".to_owned(), Role::Quiet)],
    };
    let failed = state.runs.new_failures();
    let failed = (failed > 0).then(|| (format!("{failed} failed since you last looked"), Role::Bad));
    let cost = state.runs.cost_of_a_day(state.now);
    let cost = (cost > 0.0).then(|| (format!("{} in 24 h", cost_words(cost)), Role::Quiet));
    let used = paint.right(area, &waiting(state), Role::Urgent);
    if used > 0 {
        let badge = Rect { x: area.right() - used, width: used, ..area };
        paint.restyle(badge, ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::REVERSED));
    }
    let left = Rect { width: area.width - used, ..area };
    let mut pieces = vec![("agency", Role::Accent), ("  ", Role::Plain)];
    let dot = (state.theme.glyph(" · ", " | "), Role::Quiet);
    for (index, (words, role)) in counts.iter().chain(&failed).chain(&cost).enumerate() {
        pieces.extend((index > 0).then_some(dot));
        pieces.push((words, *role));
    }
    paint.pieces(left, &pieces);
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
