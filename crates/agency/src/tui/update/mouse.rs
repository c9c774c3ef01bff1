//! The mouse: what can be clicked, and what the wheel turns.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::list::open;
use crate::tui::draw::{badge, tab_at};
use crate::tui::effect::Effect;
use crate::tui::keys::Move;
use crate::tui::layout::hits;
use crate::tui::state::{Focus, Overlay, State};

/// How many lines one notch of the wheel turns.
const WHEEL_ROWS: isize = 3;

pub(super) fn mouse(state: &mut State, event: MouseEvent) -> Vec<Effect> {
    let (column, row) = (event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(state, column, row, -WHEEL_ROWS),
        MouseEventKind::ScrollDown => wheel(state, column, row, WHEEL_ROWS),
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
    if let Some(Overlay::Inbox) = state.overlays.last() {
        super::inbox::scroll(state, lines);
    } else if !state.overlays.is_empty() {
        (0..WHEEL_ROWS).for_each(|_| super::app::go(state, direction));
    } else if hits(areas.list, column, row) {
        (0..WHEEL_ROWS).for_each(|_| state.runs.go(direction, usize::from(areas.list.height)));
    } else if hits(areas.detail, column, row) {
        state.detail.scroll(lines, areas.detail);
    }
}

fn click(state: &mut State, column: u16, row: u16) {
    let areas = state.areas();
    if hits(badge(areas.header, state), column, row) && super::typing::takes_keys(state) {
        return super::inbox::open(state);
    }
    match state.overlays.last() {
        Some(Overlay::Inbox) => return super::inbox::click(state, column, row),
        Some(Overlay::Form(_)) => return super::form::click(state, column, row),
        Some(Overlay::Steps(_)) => return super::steps::click(state, column, row),
        Some(
            Overlay::Help { .. }
            | Overlay::Filter
            | Overlay::Search
            | Overlay::Palette(_)
            | Overlay::Confirm(_)
            | Overlay::Editor(_)
            | Overlay::Yank(_)
            | Overlay::DiffLine,
        ) => {
            return;
        }
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

#[cfg(test)]
mod tests {
    use crossterm::event::KeyModifiers;

    use super::*;
    use crate::tui::detail::Tab;
    use crate::tui::fixture::{ended, permission, run, run_id, state};
    use crate::tui::input::Input;
    use crate::tui::keys::Scope;
    use crate::tui::runs::Pick;
    use crate::tui::update::update;

    fn point(state: &mut State, kind: MouseEventKind, column: u16, row: u16) {
        update(state, Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    fn click(state: &mut State, column: u16, row: u16) {
        point(state, MouseEventKind::Down(MouseButton::Left), column, row);
    }

    fn selected(state: &State) -> Option<Pick> {
        state.runs.selected.clone()
    }

    #[test]
    fn a_click_selects_a_run_and_a_second_one_opens_it() {
        let mut state = state((120, 30), vec![run(1, "one"), run(2, "two")], vec![]);
        assert_eq!(selected(&state), Some(Pick::Run(run_id(2))));
        // The header, the frame, the group, then the newest first.
        click(&mut state, 5, 4);
        assert_eq!((selected(&state), state.focus), (Some(Pick::Run(run_id(1))), Focus::List));
        click(&mut state, 5, 4);
        assert_eq!(state.focus, Focus::Detail);
        // The frame, a heading and the empty place below are nothing.
        click(&mut state, 5, 1);
        click(&mut state, 5, 2);
        click(&mut state, 5, 20);
        assert_eq!((selected(&state), state.focus), (Some(Pick::Run(run_id(1))), Focus::List));
    }

    #[test]
    fn a_click_unfolds_what_is_finished() {
        let mut state = state((120, 30), vec![run(2, "two"), ended(run(1, "one"))], vec![]);
        assert_eq!(state.runs.lines().len(), 3);
        click(&mut state, 2, 4);
        click(&mut state, 2, 4);
        assert_eq!(state.runs.lines().len(), 4);
    }

    #[test]
    fn tabs_and_the_badge_can_be_clicked() {
        let mut state = state((120, 30), vec![run(1, "one")], vec![permission(1, 1)]);
        let areas = state.areas();
        let column = (areas.tabs.x..areas.tabs.right()).find(|x| tab_at(&areas, *x, 1) == Some(Tab::Events)).unwrap();
        click(&mut state, column, 1);
        assert_eq!((state.detail.tab, state.focus), (Tab::Events, Focus::Detail));
        click(&mut state, 115, 0);
        assert_eq!(state.scope(), Scope::Inbox);
    }

    #[test]
    fn the_wheel_turns_what_it_is_over() {
        let runs = (1..=20).map(|number| run(number, "run")).collect();
        let mut state = state((120, 10), runs, vec![]);
        point(&mut state, MouseEventKind::ScrollDown, 5, 5);
        assert_eq!(selected(&state), Some(Pick::Run(run_id(17))));
        point(&mut state, MouseEventKind::ScrollDown, 100, 5);
        assert_eq!(selected(&state), Some(Pick::Run(run_id(17))), "the tabs are elsewhere");
        point(&mut state, MouseEventKind::ScrollUp, 5, 5);
        assert_eq!(selected(&state), Some(Pick::Run(run_id(20))));
    }
}
