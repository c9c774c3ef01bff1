//! Keys and results of the form for a new run.

use agency_model::RunId;
use crossterm::event::{KeyCode, KeyEvent};

use crate::tui::effect::{Effect, Failure, Job, JobNumber};
use crate::tui::form::{Agents, Direction, Field, FieldError, Form, FormItem, inside, layout, value_of};
use crate::tui::keys::{Move, Scope, TextAction};
use crate::tui::layout::hits;
use crate::tui::state::{Overlay, State};

/// Opens the form: the one that was closed last, or an empty one.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let form = state.forms.drafts.pop().unwrap_or_else(|| {
        let row = state.runs.current().map(|entry| &entry.row);
        let here = state.current_directory.to_string_lossy().into_owned();
        let repository = row.map_or(here, |row| row.repo_path.clone());
        Form::new(&repository, row.map(|row| row.runner_kind.clone()))
    });
    state.overlays.push(Overlay::Form(Box::new(form)));
    change(state, |_, _| {});
    if state.forms.reading.is_some() {
        return vec![];
    }
    // What is known already is shown; another agent may have been installed since.
    let (number, effect) = state.begin_quietly(Job::Agents);
    state.forms.reading = Some(number);
    vec![effect]
}

/// Changes the form in front, and keeps the field in sight that takes the keys.
fn change(state: &mut State, how: impl FnOnce(&mut Form, Option<&Agents>)) {
    let body = state.areas().body;
    if let Some(Overlay::Form(form)) = state.overlays.last_mut() {
        how(form, state.forms.agents.as_ref());
        keep_in_sight(form, state.forms.agents.as_ref(), inside(body).as_size());
    }
}

fn keep_in_sight(form: &mut Form, agents: Option<&Agents>, size: ratatui::layout::Size) {
    form.top = layout(form, agents, size.width, size.height).top_for(form.focus(), form.top, size.height);
}

/// The terminal has another size.
pub(super) fn resized(state: &mut State) {
    change(state, |_, _| {});
}

pub(super) fn typed(state: &mut State, event: KeyEvent) {
    change(state, |form, agents| {
        let field = form.focus();
        match (event.code, field) {
            (KeyCode::Left, Field::Runner | Field::Mode | Field::Host) => form.choose(Direction::Back, agents),
            (KeyCode::Right | KeyCode::Char(' '), Field::Runner | Field::Mode | Field::Host) => {
                form.choose(Direction::Forth, agents);
            }
            (KeyCode::Up, field) if field != Field::Prompt => form.go_back(),
            (KeyCode::Down, field) if field != Field::Prompt => form.go_on(),
            (_, field) => {
                if form.writing_mut(field).is_some_and(|writing| writing.typed(event)) {
                    form.touch();
                }
            }
        }
    });
}

pub(super) fn paste(state: &mut State, text: &str) {
    change(state, |form, _| {
        if let Some(writing) = form.writing_mut(form.focus()) {
            writing.paste(text);
            form.touch();
        }
    });
}

/// The prompt comes back from the user's editor.
pub(super) fn written(state: &mut State, text: &str) {
    change(state, |form, _| {
        form.go_to(Field::Prompt);
        if let Some(writing) = form.writing_mut(Field::Prompt) {
            writing.replace(text);
            form.touch();
        }
    });
}

pub(super) fn act(state: &mut State, action: TextAction) -> Vec<Effect> {
    match action {
        TextAction::Submit => return submit(state),
        TextAction::OtherEditor => {
            if let Some(Overlay::Form(form)) = state.overlays.last() {
                return vec![super::typing::in_editor(form.settings(None).prompt)];
            }
        }
        TextAction::Accept => change(state, |form, _| match form.focus() {
            Field::Prompt => {
                form.touch();
                if let Some(writing) = form.writing_mut(Field::Prompt) {
                    writing.break_line();
                }
            }
            Field::Repository | Field::Base | Field::Runner | Field::Mode | Field::Host | Field::Name => form.go_on(),
        }),
        TextAction::NextField => change(state, |form, _| form.go_on()),
        TextAction::PreviousField => change(state, |form, _| form.go_back()),
        TextAction::Close => close(state),
    }
    vec![]
}

/// Closes the form, and keeps what was written.
fn close(state: &mut State) {
    match state.overlays.pop() {
        Some(Overlay::Form(form)) if form.is_touched() => state.forms.drafts.push(*form),
        Some(Overlay::Form(_)) | None => {}
        Some(other) => state.overlays.push(other),
    }
}

/// Asks for the run.
fn submit(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Form(_)) = state.overlays.last() else { return vec![] };
    let Some(Overlay::Form(mut form)) = state.overlays.pop() else { return vec![] };
    form.field_error = None;
    let effect = state.begin(Job::Create(Box::new(form.settings(state.forms.agents.as_ref()))));
    if let Some((number, _)) = state.jobs.last() {
        state.forms.sent.push((*number, *form));
    }
    vec![effect]
}

/// Turns the form by a row.
pub(super) fn go(state: &mut State, direction: Move) {
    let inside = inside(state.areas().body);
    if let Some(Overlay::Form(form)) = state.overlays.last_mut() {
        let lines = layout(form, state.forms.agents.as_ref(), inside.width, inside.height).height;
        let top = super::app::moved(form.top.into(), direction, lines.into(), inside.height.into());
        form.top = u16::try_from(top).unwrap_or(u16::MAX);
    }
}

/// Lets the keys go to what was clicked.
pub(super) fn click(state: &mut State, column: u16, row: u16) {
    let inside = inside(state.areas().body);
    if !hits(inside, column, row) {
        return;
    }
    change(state, |form, agents| {
        let layout = layout(form, agents, inside.width, inside.height);
        let top = form.top.min(layout.height.saturating_sub(inside.height));
        let (column, row) = (column - inside.x, row - inside.y + top);
        let clicked = layout.items.iter().find(|(_, place)| hits(*place, column, row));
        let Some((FormItem::Field(field), place)) = clicked else { return };
        let (again, value) = (form.focus() == *field, value_of(*field, *place));
        form.go_to(*field);
        match form.writing_mut(*field) {
            Some(writing) if hits(value, column, row) => writing.click(column - value.x, row - value.y),
            Some(_) => {}
            None if again => form.choose(Direction::Forth, agents),
            None => {}
        }
    });
}

/// The agents are known.
pub(super) fn learn_agents(state: &mut State, agents: Agents) {
    state.forms.reading = None;
    state.forms.agents = Some(agents);
    change(state, |_, _| {});
}

/// The run is there: it is selected now, or as soon as it is in the list.
pub(super) fn created(state: &mut State, number: JobNumber, id: RunId, said: String) {
    state.forms.sent.retain(|(job, _)| *job != number);
    state.forms.wished = Some(id);
    state.say(said);
    select_wished(state);
}

/// Selects the new run, if it is in the list by now.
pub(super) fn select_wished(state: &mut State) {
    if let Some(id) = state.forms.wished.take_if(|id| state.runs.get(id).is_some()) {
        state.runs.select(&id);
    }
}

/// Takes in that something was refused; false if it was not about a form.
pub(super) fn refused(state: &mut State, number: JobNumber, field: Option<Field>, failure: &Failure) -> bool {
    if state.forms.reading.take_if(|job| *job == number).is_some() {
        state.show_error(failure);
        return true;
    }
    let Some(index) = state.forms.sent.iter().position(|(job, _)| *job == number) else { return false };
    let (_, mut form) = state.forms.sent.remove(index);
    form.show_error(FieldError { field, failure: failure.clone() });
    let size = inside(state.areas().body).as_size();
    keep_in_sight(&mut form, state.forms.agents.as_ref(), size);
    let form = Overlay::Form(Box::new(form));
    match state.scope() {
        Scope::Runs
        | Scope::Detail
        | Scope::Diff
        | Scope::DiffLine
        | Scope::Run
        | Scope::Inbox
        | Scope::Steps
        | Scope::Help
        | Scope::Main
        | Scope::Everywhere => {
            state.overlays.push(form);
        }
        // A user who is writing another text continues there, and finds the form behind it.
        Scope::Form | Scope::Editor | Scope::Filter | Scope::Search | Scope::Palette | Scope::Confirm | Scope::Yank => {
            state.overlays.insert(0, form);
            state.show_error(failure);
        }
    }
    true
}
