//! Where everything of the form stands: for drawing it, for scrolling, and for knowing what was clicked.

use agency_engine::create::Adapter;
use ratatui::layout::Rect;

use super::{Agents, Complaint, Field, Form};
use crate::tui::layout::middle;
use crate::tui::theme::Role;
use crate::tui::wrap::wrap;

/// From this height on, there is room for a frame.
const FRAMED: u16 = 14;
/// How large the form is at most.
const LARGEST: (u16, u16) = (110, 30);
/// How wide the names of the fields are, with the sign before them.
const NAMES: u16 = 13;
/// How many lines of the prompt are shown at least.
const PROMPT: u16 = 4;

/// Something in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) enum Part {
    Field(Field),
    /// A line of words about it.
    Words(String, Role),
}

/// All of it, counted from the form's own first row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Places {
    pub(in crate::tui) parts: Vec<(Part, Rect)>,
    pub(in crate::tui) height: u16,
}

/// The frame around the form, where there is room for one.
pub(in crate::tui) fn frame(body: Rect) -> Option<Rect> {
    (body.height >= FRAMED).then(|| middle(body, LARGEST.0, LARGEST.1))
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
            let names = NAMES.min(place.width);
            Rect { x: place.x + names, width: place.width - names, ..place }
        }
    }
}

/// Puts everything one below the other; the prompt gets what is left.
pub(in crate::tui) fn places(form: &Form, agents: Option<&Agents>, width: u16, height: u16) -> Places {
    let mut rows = vec![];
    if let Some(complaint) = form.complaint.as_ref().filter(|complaint| complaint.field.is_none()) {
        rows.extend(complaint_words(complaint, width));
    }
    for field in Field::ALL {
        rows.push(Part::Field(field));
        let complaint = form.complaint.as_ref().filter(|complaint| complaint.field == Some(field));
        match (field, complaint) {
            // What is wrong with the prompt stands above it, where it is seen with its first lines.
            (Field::Prompt, Some(complaint)) => {
                let at = rows.len() - 1;
                rows.splice(at..at, complaint_words(complaint, width));
            }
            (Field::Runner, None) => rows.extend(missing_words(form, agents, width)),
            (_, Some(complaint)) => rows.extend(complaint_words(complaint, width)),
            (_, None) => {}
        }
    }
    let others = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let prompt = height.saturating_sub(others).max(PROMPT);
    let mut y = 0;
    let mut place = |part: Part| {
        let height = if part == Part::Field(Field::Prompt) { 1 + prompt } else { 1 };
        let place = Rect { x: 0, y, width, height };
        y += height;
        (part, place)
    };
    let parts = rows.into_iter().map(&mut place).collect();
    Places { parts, height: y }
}

impl Places {
    /// The place of a field.
    pub(in crate::tui) fn of(&self, field: Field) -> Rect {
        let found = self.parts.iter().find(|(part, _)| *part == Part::Field(field));
        found.map(|(_, place)| *place).unwrap_or_default()
    }

    /// The first row to be shown, so that this field is seen, and what is said about it.
    pub(in crate::tui) fn top_for(&self, field: Field, top: u16, height: u16) -> u16 {
        let index = self.parts.iter().position(|(part, _)| *part == Part::Field(field)).unwrap_or(0);
        let words = |(part, _): &&(Part, Rect)| matches!(part, Part::Words(..));
        let last = self.parts.iter().skip(index + 1).take_while(words).last().map(|(_, place)| place.bottom());
        let place = self.of(field);
        let first = match field {
            Field::Prompt => {
                self.parts.iter().take(index).rev().take_while(words).last().map_or(place.y, |(_, place)| place.y)
            }
            Field::Repository | Field::Base | Field::Runner | Field::Mode | Field::Host | Field::Name => place.y,
        };
        let bottom = last.unwrap_or(place.bottom());
        let most = self.height.saturating_sub(height);
        top.max(bottom.saturating_sub(height)).min(first).min(most)
    }
}

/// How to get an agent that is not there.
fn missing_words(form: &Form, agents: Option<&Agents>, width: u16) -> Vec<Part> {
    let adapter = agents.zip(form.runner(agents)).and_then(|(agents, name)| agents.find(name));
    let Some(Adapter { program: None, install, command, .. }) = adapter else { return vec![] };
    let words = match install {
        Some(install) => format!("not installed: {install}"),
        None => format!("'{command}' is not on the PATH"),
    };
    lines(&words, width, Role::Urgent)
}

fn complaint_words(complaint: &Complaint, width: u16) -> Vec<Part> {
    let mut parts = lines(&complaint.refusal.message, width, Role::Bad);
    if let Some(hint) = &complaint.refusal.hint {
        parts.extend(lines(hint, width, Role::Quiet));
    }
    parts
}

fn lines(text: &str, width: u16, role: Role) -> Vec<Part> {
    wrap(text, width.saturating_sub(2)).into_iter().map(|line| Part::Words(line, role)).collect()
}
