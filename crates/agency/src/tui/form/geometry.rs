//! Where everything of the form stands: for drawing it, for scrolling, and for knowing what was clicked.

use agency_engine::runs::create::Adapter;
use ratatui::layout::Rect;

use super::{Agents, Field, FieldError, Form};
use crate::tui::layout::middle;
use crate::tui::theme::Role;
use crate::tui::wrap::wrap;

/// From this height on, there is room for a frame.
const MIN_FRAMED_HEIGHT: u16 = 14;
/// How large the form is at most.
const MAX_SIZE: (u16, u16) = (110, 30);
/// How wide the names of the fields are, with the sign before them.
const LABEL_WIDTH: u16 = 13;
/// How many lines of the prompt are shown at least.
const PROMPT: u16 = 4;

/// Something in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) enum FormItem {
    Field(Field),
    /// A line of words about it.
    Words(String, Role),
}

/// All of it, counted from the form's own first row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct FormLayout {
    pub(in crate::tui) items: Vec<(FormItem, Rect)>,
    pub(in crate::tui) height: u16,
}

/// The frame around the form, where there is room for one.
pub(in crate::tui) fn frame(body: Rect) -> Option<Rect> {
    (body.height >= MIN_FRAMED_HEIGHT).then(|| middle(body, MAX_SIZE.0, MAX_SIZE.1))
}

/// The place of the form itself.
pub(in crate::tui) fn inside(body: Rect) -> Rect {
    match frame(body) {
        Some(frame) if frame.width >= 4 => Rect::new(frame.x + 2, frame.y + 1, frame.width - 4, frame.height - 2),
        Some(_) | None => body,
    }
}

/// The part of a field in which its value stands.
pub(in crate::tui) fn value_of(field: Field, place: Rect) -> Rect {
    match field {
        Field::Prompt => Rect {
            x: place.x + 2.min(place.width),
            y: place.y + 1,
            width: place.width.saturating_sub(2),
            height: place.height - 1,
        },
        Field::Repository | Field::Base | Field::Runner | Field::Mode | Field::Host | Field::Name => {
            let names = LABEL_WIDTH.min(place.width);
            Rect { x: place.x + names, width: place.width - names, ..place }
        }
    }
}

/// Puts everything one below the other; the prompt gets what is left.
pub(in crate::tui) fn layout(form: &Form, agents: Option<&Agents>, width: u16, height: u16) -> FormLayout {
    let mut rows = vec![];
    if let Some(field_error) = form.field_error.as_ref().filter(|field_error| field_error.field.is_none()) {
        rows.extend(error_words(field_error, width));
    }
    for field in Field::ALL {
        rows.push(FormItem::Field(field));
        let field_error = form.field_error.as_ref().filter(|field_error| field_error.field == Some(field));
        match (field, field_error) {
            // What is wrong with the prompt stands above it, where it is seen with its first lines.
            (Field::Prompt, Some(field_error)) => {
                let at = rows.len() - 1;
                rows.splice(at..at, error_words(field_error, width));
            }
            (Field::Runner, None) => rows.extend(missing_words(form, agents, width)),
            (_, Some(field_error)) => rows.extend(error_words(field_error, width)),
            (_, None) => {}
        }
    }
    let others = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let prompt = height.saturating_sub(others).max(PROMPT);
    let mut y = 0;
    let mut place = |item: FormItem| {
        let height = if item == FormItem::Field(Field::Prompt) { 1 + prompt } else { 1 };
        let place = Rect { x: 0, y, width, height };
        y += height;
        (item, place)
    };
    let items = rows.into_iter().map(&mut place).collect();
    FormLayout { items, height: y }
}

impl FormLayout {
    /// The place of a field.
    pub(in crate::tui) fn of(&self, field: Field) -> Rect {
        let found = self.items.iter().find(|(item, _)| *item == FormItem::Field(field));
        found.map(|(_, place)| *place).unwrap_or_default()
    }

    /// The first row to be shown, so that this field is seen, and what is said about it.
    pub(in crate::tui) fn top_for(&self, field: Field, top: u16, height: u16) -> u16 {
        let index = self.items.iter().position(|(item, _)| *item == FormItem::Field(field)).unwrap_or(0);
        let words = |(item, _): &&(FormItem, Rect)| matches!(item, FormItem::Words(..));
        let last = self.items.iter().skip(index + 1).take_while(words).last().map(|(_, place)| place.bottom());
        let place = self.of(field);
        let first = match field {
            Field::Prompt => {
                self.items.iter().take(index).rev().take_while(words).last().map_or(place.y, |(_, place)| place.y)
            }
            Field::Repository | Field::Base | Field::Runner | Field::Mode | Field::Host | Field::Name => place.y,
        };
        let bottom = last.unwrap_or(place.bottom());
        let most = self.height.saturating_sub(height);
        top.max(bottom.saturating_sub(height)).min(first).min(most)
    }
}

/// How to get an agent that is not there.
fn missing_words(form: &Form, agents: Option<&Agents>, width: u16) -> Vec<FormItem> {
    let adapter = agents.zip(form.runner(agents)).and_then(|(agents, name)| agents.find(name));
    let Some(Adapter { program: None, install, command, .. }) = adapter else { return vec![] };
    let words = match install {
        Some(install) => format!("not installed: {install}"),
        None => format!("'{command}' is not on the PATH"),
    };
    lines(&words, width, Role::Urgent)
}

fn error_words(field_error: &FieldError, width: u16) -> Vec<FormItem> {
    let mut items = lines(&field_error.failure.message, width, Role::Bad);
    if let Some(hint) = &field_error.failure.hint {
        items.extend(lines(hint, width, Role::Quiet));
    }
    items
}

fn lines(text: &str, width: u16, role: Role) -> Vec<FormItem> {
    wrap(text, width.saturating_sub(2)).into_iter().map(|line| FormItem::Words(line, role)).collect()
}
