//! Really?

use ratatui::layout::Rect;

use super::paint::Paint;
use crate::tui::confirm::{Confirm, Readiness};
use crate::tui::effect::Job;
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, confirm: &Confirm) {
    let layout = confirm.layout(body);
    let inside = paint.boxed(layout.place, &confirm.title);
    let keys = Rect { y: inside.bottom().saturating_sub(1), height: inside.height.min(1), ..inside };
    let top = confirm.top.min(layout.lines.len().saturating_sub(layout.height));
    for (row, line) in inside.rows().take(layout.height).zip(layout.lines.iter().skip(top)) {
        paint.text(row, line, Role::Plain);
    }
    let more = layout.lines.len() > top + layout.height;
    let mut pieces = vec![("y", Role::Accent), (" yes   ", Role::Plain), ("n", Role::Accent), (" no", Role::Plain)];
    if confirm.readiness == Readiness::Reading {
        pieces = vec![("reading what will be kept and saved", Role::Busy)];
    }
    if more {
        pieces.extend([("   j", Role::Accent), (" read on", Role::Plain)]);
    }
    if let (Job::Remove { row, .. }, Readiness::Ready) = (&confirm.job, confirm.readiness)
        && row.new_branch.is_some()
    {
        pieces.extend([("   b", Role::Accent), (" branch too, or not", Role::Plain)]);
    }
    super::clear(paint.buffer, keys.intersection(paint.buffer.area));
    paint.pieces(keys, &pieces);
}
