//! The mouse: what can be clicked, and what the wheel turns.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::list::open;
use crate::tui::draw::{badge, tab_at};
use crate::tui::effect::Effect;
use crate::tui::keys::Move;
use crate::tui::layout::hits;
use crate::tui::state::{Focus, Front, State};

/// How many lines one notch of the wheel turns.
const NOTCH: isize = 3;

pub(super) fn mouse(state: &mut State, event: MouseEvent) -> Vec<Effect> {
    let (column, row) = (event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(state, column, row, -NOTCH),
        MouseEventKind::ScrollDown => wheel(state, column, row, NOTCH),
        MouseEventKind::Down(MouseButton::Left) => click(state, column, row),
        MouseEventKind::Down(MouseButton::Right | MouseButton::Middle)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => {}
    }
    vec![]
}

fn wheel(state: &mut State, column: u16, row: u16, lines: isize) {
    let areas = state.areas();
    let direction = if lines < 0 { Move::Up } else { Move::Down };
    if let Some(Front::Inbox) = state.fronts.last() {
        super::inbox::scroll(state, lines);
    } else if !state.fronts.is_empty() {
        (0..NOTCH).for_each(|_| super::app::go(state, direction));
    } else if hits(areas.list, column, row) {
        (0..NOTCH).for_each(|_| state.runs.go(direction, usize::from(areas.list.height)));
    } else if hits(areas.detail, column, row) {
        state.detail.scroll(lines, areas.detail);
    }
}

fn click(state: &mut State, column: u16, row: u16) {
    let areas = state.areas();
    if hits(badge(areas.header, state), column, row) && super::typing::takes_keys(state) {
        return super::inbox::open(state);
    }
    match state.fronts.last() {
        Some(Front::Inbox) => return super::inbox::click(state, column, row),
        Some(Front::Form(_)) => return super::form::click(state, column, row),
        Some(Front::Steps(_)) => return super::steps::click(state, column, row),
        Some(Front::Help { .. } | Front::Filter | Front::Confirm(_) | Front::Editor(_) | Front::Yank(_)) => return,
        None => {}
    }
    if hits(areas.list, column, row) {
        state.focus = Focus::List;
        let line = state.runs.top + usize::from(row - areas.list.y);
        if state.runs.select_line(line) == Some(true) {
            open(state);
        }
    } else if let Some(tab) = tab_at(&areas, column, row) {
        state.detail.tab = tab;
        state.focus = Focus::Detail;
    } else if hits(areas.detail, column, row) {
        state.focus = Focus::Detail;
        state.detail.click(row, areas.detail);
    }
}
