//! The form for a new run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::Paint;
use crate::tui::form::{Agents, Field, Form, FormItem, frame, inside, layout, value_of};
use crate::tui::theme::Role;

pub(super) fn draw(paint: &mut Paint<'_>, body: Rect, form: &Form, agents: Option<&Agents>) {
    match frame(body) {
        Some(frame) => {
            paint.boxed(frame, "New run");
        }
        None => super::clear(paint.buffer, body),
    }
    let shown = inside(body).intersection(paint.buffer.area);
    if shown.is_empty() {
        return;
    }
    let layout = layout(form, agents, shown.width, shown.height);
    // All of it is drawn elsewhere, and the visible part is copied from there.
    let mut whole = Buffer::empty(Rect::new(0, 0, shown.width, layout.height));
    let mut inner = Paint { buffer: &mut whole, theme: paint.theme };
    for (item, place) in &layout.items {
        match item {
            FormItem::Field(field) => draw_field(&mut inner, *place, *field, form, agents),
            FormItem::Words(words, role) => {
                let place = Rect { x: 2.min(place.width), width: place.width.saturating_sub(2), ..*place };
                inner.text(place, words, *role);
            }
        }
    }
    let top = form.top.min(layout.height.saturating_sub(shown.height));
    for row in 0..shown.height.min(layout.height - top) {
        for column in 0..shown.width {
            paint.buffer[(shown.x + column, shown.y + row)] = whole[(column, top + row)].clone();
        }
    }
    let corner = |y| Rect { x: shown.right() - 1, y, width: 1, height: 1 };
    if top > 0 {
        paint.text(corner(shown.y), paint.theme.glyph("↑", "^"), Role::Accent);
    }
    if layout.height - top > shown.height {
        paint.text(corner(shown.bottom() - 1), paint.theme.glyph("↓", "v"), Role::Accent);
    }
}

fn draw_field(paint: &mut Paint<'_>, place: Rect, field: Field, form: &Form, agents: Option<&Agents>) {
    let focused = form.focus() == field;
    let sign = if focused { paint.theme.glyph("› ", "> ") } else { "  " };
    let role = if focused { Role::Accent } else { Role::Title };
    paint.pieces(place, &[(sign, role), (field.title(), role)]);
    let value = value_of(field, place);
    if let Some(writing) = form.writing(field) {
        return writing.draw(value, paint.buffer);
    }
    let chosen = match field {
        Field::Runner => form.runner(agents).unwrap_or("reading the agents").to_owned(),
        Field::Mode => form.mode().to_string(),
        Field::Host => form.host(agents).map_or_else(|| "as configured".to_owned(), |host| host.to_string()),
        Field::Repository | Field::Base | Field::Name | Field::Prompt => String::new(),
    };
    let about = match field {
        Field::Runner => about_runner(&chosen, agents),
        Field::Repository | Field::Base | Field::Mode | Field::Host | Field::Name | Field::Prompt => String::new(),
    };
    let (left, right) = (paint.theme.glyph("‹ ", "< "), paint.theme.glyph(" ›", " >"));
    let around = if focused { Role::Accent } else { Role::Quiet };
    let shown = if field == Field::Runner { chosen.replace('_', "-") } else { chosen };
    paint.pieces(value, &[(left, around), (&shown, Role::Plain), (right, around), (&about, Role::Quiet)]);
}

fn about_runner(name: &str, agents: Option<&Agents>) -> String {
    let adapter = agents.and_then(|agents| agents.find(name));
    match adapter {
        Some(adapter) if adapter.program.is_none() => "  not there".to_owned(),
        Some(adapter) => adapter.version.as_ref().map_or_else(String::new, |version| format!("  {version}")),
        None => String::new(),
    }
}
