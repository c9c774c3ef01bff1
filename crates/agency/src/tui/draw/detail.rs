//! The tabs about one run.

mod screen;

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint::{Paint, width};
use crate::tui::detail::{Anchor, Body, PaneView, RowStyle, Scroll, Tab, Viewport};
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
            paint.restyle(place, state.theme.selected(state.focus == Focus::Detail && state.overlays.is_empty()));
        }
    }
    let Some(entry) = state.runs.current() else {
        paint.text(areas.detail, "Select a run to look inside.", Role::Quiet);
        return;
    };
    let live = !entry.row.state.is_terminal();
    let position = match state.detail.shown() {
        PaneView::Reading => "reading".to_owned(),
        PaneView::Nothing(why) => {
            sentence(paint, areas.detail, why);
            String::new()
        }
        PaneView::Text(body, _) if body.len() == 0 => {
            let words = match (state.detail.tab, live) {
                (Tab::Output, true) => "No output yet.",
                (Tab::Output, false) => "No output.",
                (Tab::Diff | Tab::Events | Tab::Logs | Tab::Info, true) => "Nothing yet.",
                (Tab::Diff | Tab::Events | Tab::Logs | Tab::Info, false) => "Nothing.",
            };
            sentence(paint, areas.detail, words);
            String::new()
        }
        PaneView::Text(body, scroll) => {
            text(paint, areas.detail, body, scroll, state.focus == Focus::Detail);
            for row in areas.detail.rows() {
                paint.mark(row, &state.search);
            }
            let viewport = Viewport { width: areas.detail.width, height: areas.detail.height };
            columns_in(scroll.left(body), position(body, scroll, viewport, live))
        }
        PaneView::Screen(shown) => {
            screen::draw(paint, areas.detail, shown);
            for row in areas.detail.rows() {
                paint.mark(row, &state.search);
            }
            let live = live && !shown.over;
            let position = match (shown.is_at_end(), shown.screen().scrollback()) {
                (true, _) => if live { "live" } else { "end" }.to_owned(),
                (false, up) => format!("{up} lines up"),
            };
            let part = shown.visible_rows(Viewport { width: areas.detail.width, height: areas.detail.height });
            let (_, columns) = shown.screen().size();
            let hidden = columns.get().saturating_sub(areas.detail.width);
            match (part.left, hidden) {
                (0, 0) => position,
                (0, _) => format!("{position}, L: more"),
                (left, _) => columns_in(left, position),
            }
        }
    };
    title(paint, areas.tabs, &position, &label(&entry.row));
}

/// A position, and how many columns are left of what is seen.
fn columns_in(left: u16, position: String) -> String {
    match (left, position.is_empty()) {
        (0, _) => position,
        (left, true) => format!("col {}", left + 1),
        (left, false) => format!("{position}, col {}", left + 1),
    }
}

/// What stands at the right of the tabs: where one is, and, if there is room, in which run.
fn title(paint: &mut Paint<'_>, tabs: Rect, position: &str, name: &str) {
    let Some((_, last)) = tab_places(tabs).pop() else { return };
    let x = last.right().saturating_add(2).min(tabs.right());
    let rest = Rect { x, width: tabs.right() - x, ..tabs };
    if width(position) + 2 > rest.width {
        return;
    }
    let framed = |words: &str| if words.is_empty() { String::new() } else { format!(" {words} ") };
    let used = paint.right(rest, &framed(position), Role::Quiet);
    let rest = Rect { width: rest.width.saturating_sub(used), ..rest };
    if width(name) + 2 <= rest.width {
        paint.right(rest, &framed(name), Role::Title);
    }
}

fn text(paint: &mut Paint<'_>, area: Rect, body: &dyn Body, scroll: &Scroll, in_front: bool) {
    let left = scroll.left(body);
    let row_style = RowStyle { width: area.width, left, theme: paint.theme };
    let left = if body.has_columns(area.width) { 0 } else { left };
    let mut rows = area.rows();
    for (item, seen) in scroll.seen(body, Viewport { width: area.width, height: area.height }) {
        let (heading, first) = (seen.start == 0, seen.start);
        for (index, line) in body.rows(item, seen, row_style).into_iter().enumerate() {
            let Some(row) = rows.next() else { return };
            if let Some(behind) = line.style.bg {
                paint.restyle(row, Style::new().bg(behind));
            }
            paint.line(row, &line, left);
            if index == 0 && heading && scroll.selected == Some(item) {
                paint.restyle(row, paint.theme.selected(in_front));
            }
            if scroll.cursor == Some(Anchor { item, row: first + index }) {
                paint.restyle(row, paint.theme.selected(true));
            }
        }
    }
}

/// Some words in a place, wrapped.
fn sentence(paint: &mut Paint<'_>, area: Rect, words: &str) {
    let wrapped = words
        .lines()
        .flat_map(|line| crate::tui::wrap::breaks(line, area.width).into_iter().map(move |row| &line[row]));
    for (row, text) in area.rows().zip(wrapped) {
        paint.text(row, text, Role::Quiet);
    }
}

/// Where one is in a text.
fn position(body: &dyn Body, scroll: &Scroll, viewport: Viewport, live: bool) -> String {
    let seen = scroll.seen(body, viewport);
    let (Some((first, first_rows)), Some((last, last_rows))) = (seen.first(), seen.last()) else {
        return String::new();
    };
    let all = *first == 0 && first_rows.start == 0;
    let end = *last + 1 == body.len() && last_rows.end == body.height(*last, viewport.width);
    match (body.grows(), scroll.following, all && end) {
        (true, true, _) if live => return "following".to_owned(),
        (_, _, true) => return String::new(),
        (true, true, false) => return "end".to_owned(),
        (_, _, false) => {}
    }
    let anchor = |item: usize, row: usize| crate::tui::detail::Anchor { item, row };
    body.position(anchor(*first, first_rows.start), anchor(*last, last_rows.end.saturating_sub(1)), viewport.width)
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

#[cfg(test)]
mod tests;
