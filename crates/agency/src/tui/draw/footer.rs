//! The last line: what is being done, what was said, or which keys there are.

use ratatui::layout::Rect;

use super::paint::{Paint, width};
use crate::tui::applies::applies;
use crate::tui::keys::{BINDINGS, Key, lookup};
use crate::tui::state::{Overlay, State, StatusMessage};
use crate::tui::theme::Role;
use crate::tui::wrap::wrap;

/// How many lines a message takes at most.
const MAX_MESSAGE_ROWS: u16 = 4;

/// What stands at the end, whatever else there is.
const LAST: [&str; 3] = ["help", "quit", "close"];

/// The hint of the key that opens the inbox.
const INBOX: &str = "inbox";

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, state: &State) {
    if let Some(Overlay::Filter) = state.overlays.last() {
        let cursor = state.theme.glyph("▏", "_");
        let used =
            paint.pieces(area, &[("/", Role::Accent), (state.runs.filter(), Role::Plain), (cursor, Role::Accent)]);
        return hints(paint, after(area, used + 2), state);
    }
    if let Some(Overlay::Search) = state.overlays.last() {
        let cursor = state.theme.glyph("▏", "_");
        let used =
            paint.pieces(area, &[("find ", Role::Accent), (state.search.text(), Role::Plain), (cursor, Role::Accent)]);
        return hints(paint, after(area, used + 2), state);
    }
    if state.leaving {
        let words = state.jobs.iter().map(|(_, job)| job.words()).collect::<Vec<_>>().join(", ");
        paint.text(area, &format!("leaving after {words}; q again leaves now"), Role::Urgent);
        return;
    }
    if let Some(said) = &state.said {
        return draw_said(paint, area, said);
    }
    let mut used = 0;
    if let Some((_, job)) = state.jobs.last() {
        let more = match state.jobs.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        used = paint.text(area, &format!("{}{more}{}", job.words(), state.theme.glyph("…", "...")), Role::Busy) + 2;
    } else if !state.runs.filter().is_empty() {
        used = paint.pieces(area, &[("/", Role::Accent), (state.runs.filter(), Role::Plain)]) + 2;
    }
    hints(paint, after(area, used), state);
}

/// What was said, as a whole: what does not fit on the line takes some of those above it.
fn draw_said(paint: &mut Paint<'_>, area: Rect, said: &StatusMessage) {
    let role = if said.trouble { Role::Bad } else { Role::Good };
    let lines = wrap(&said.text, area.width);
    let high = u16::try_from(lines.len()).unwrap_or(u16::MAX).clamp(1, MAX_MESSAGE_ROWS).min(area.y.max(1));
    let place = Rect { y: area.bottom().saturating_sub(high), height: high, ..area };
    super::clear(paint.buffer, place.intersection(paint.buffer.area));
    for (row, line) in place.rows().zip(&lines) {
        paint.text(row, line, role);
    }
}

fn after(area: Rect, used: u16) -> Rect {
    let used = used.min(area.width);
    Rect { x: area.x + used, width: area.width - used, ..area }
}

/// The keys of what is in front, as many as there is room for. How to get help and how to leave have theirs first.
fn hints(paint: &mut Paint<'_>, area: Rect, state: &State) {
    let here = state.scope();
    let all = here.chain().iter().flat_map(|scope| BINDINGS.iter().filter(move |binding| binding.scope == *scope));
    // A key that means something else here is not shown.
    let meant = all.filter_map(|binding| Some((*binding.keys.first()?, binding)));
    let meant =
        meant.filter(|(key, binding)| lookup(here, *key) == Some(binding.action) && applies(state, binding.action));
    let shown = meant.filter_map(|(key, binding)| Some((Key::name(key), binding.hint?)));
    let (mut first, mut last): (Vec<_>, Vec<_>) = shown.partition(|(_, hint)| !LAST.contains(hint));
    // Where the selected run waits for an answer, that key has its room before all others.
    let waits = state.runs.current().is_some_and(|entry| entry.asks > 0);
    first.sort_by_key(|(_, hint)| !(waits && *hint == INBOX));
    last.sort_by_key(|(_, hint)| LAST.iter().position(|last| last == hint));
    let wide = |(key, hint): &(String, &str)| width(key) + 1 + width(hint) + 2;
    let mut room = area.width.saturating_sub(last.iter().map(wide).sum());
    let fits = |hint: &(String, &str)| {
        let fits = wide(hint) <= room;
        room -= if fits { wide(hint) } else { 0 };
        fits
    };
    let first: Vec<_> = first.into_iter().filter(fits).collect();
    let mut left = area;
    for (key, hint) in first.iter().chain(&last) {
        paint.pieces(left, &[(key, Role::Accent), (" ", Role::Plain), (hint, Role::Quiet)]);
        left = after(left, wide(&(key.clone(), hint)));
    }
}
