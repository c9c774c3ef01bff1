//! The tabs about one run.

use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::tui::detail::Tab;
use crate::tui::effect::label;
use crate::tui::layout::{Areas, hits};
use crate::tui::state::{Focus, State};
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, areas: &Areas, state: &State) {
    if !areas.shows_detail() {
        return;
    }
    for (tab, place) in tab_places(areas.tabs) {
        let role = if tab == state.detail.tab { Role::Title } else { Role::Quiet };
        paint.text(place, tab.title(), role);
        if tab == state.detail.tab {
            paint.restyle(place, state.theme.selected(state.focus == Focus::Detail && state.fronts.is_empty()));
        }
    }
    let Some(entry) = state.runs.current() else {
        paint.text(areas.detail, "Select a run to look inside.", Role::Quiet);
        return;
    };
    if let Some((_, last)) = tab_places(areas.tabs).last() {
        let rest =
            Rect { x: last.right() + 2, width: areas.tabs.right().saturating_sub(last.right() + 2), ..areas.tabs };
        paint.right(rest, &label(&entry.row), Role::Quiet);
    }
    if let Some(why) = state.detail.nothing() {
        paint.text(areas.detail, why, Role::Quiet);
    }
}

/// Where the name of each tab stands.
fn tab_places(area: Rect) -> Vec<(Tab, Rect)> {
    let mut x = area.x;
    let place = |tab: Tab| {
        let wide = width(tab.title()).min(area.right().saturating_sub(x));
        let place = Rect { x, width: wide, ..area };
        x = (x + wide + 2).min(area.right());
        (tab, place)
    };
    Tab::ALL.into_iter().map(place).collect()
}

/// The tab whose name was clicked.
pub(in crate::tui) fn tab_at(areas: &Areas, column: u16, row: u16) -> Option<Tab> {
    tab_places(areas.tabs).into_iter().find(|(_, place)| hits(*place, column, row)).map(|(tab, _)| tab)
}
