//! What is typed where a text is wanted.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::effect::{Effect, Failure, ForegroundProgram, TextFor};
use crate::tui::keys::{Move, Scope, TextAction};
use crate::tui::state::{Overlay, State};

/// A key that stands for nothing else.
pub(super) fn typed(state: &mut State, event: KeyEvent) -> Vec<Effect> {
    match state.overlays.last_mut() {
        Some(Overlay::Filter) => type_filter(state, event),
        Some(Overlay::Palette(palette)) => {
            if let Some(text) = typed_line(&palette.text, event) {
                (palette.text, palette.selected) = (text, 0);
            }
        }
        Some(Overlay::Search) => {
            if let Some(text) = typed_line(state.search.text(), event) {
                state.search.set(&text);
            }
        }
        Some(Overlay::Editor(editor)) => {
            editor.writing.typed(event);
        }
        Some(Overlay::Form(_)) => super::form::typed(state, event),
        Some(Overlay::Steps(steps)) => steps.typed(event),
        Some(Overlay::Help { .. } | Overlay::Confirm(_) | Overlay::Inbox | Overlay::Yank(_) | Overlay::DiffLine)
        | None => {}
    }
    vec![]
}

/// Whether keys stand for something else than text.
pub(super) fn takes_keys(state: &State) -> bool {
    match state.overlays.last() {
        Some(Overlay::Filter | Overlay::Search | Overlay::Palette(_) | Overlay::Editor(_) | Overlay::Form(_)) => false,
        Some(Overlay::Steps(steps)) => steps.scope() == Scope::Steps,
        Some(Overlay::Help { .. } | Overlay::Confirm(_) | Overlay::Inbox | Overlay::Yank(_) | Overlay::DiffLine)
        | None => true,
    }
}

/// A text that was pasted.
pub(super) fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    match state.overlays.last_mut() {
        Some(Overlay::Filter) => {
            let line = text.split(['\r', '\n']).next().unwrap_or_default();
            let filter = format!("{}{line}", state.runs.filter());
            state.runs.set_filter(&filter);
        }
        Some(Overlay::Palette(palette)) => {
            palette.text.push_str(text.split(['\r', '\n']).next().unwrap_or_default());
            palette.selected = 0;
        }
        Some(Overlay::Search) => {
            let line = text.split(['\r', '\n']).next().unwrap_or_default();
            let text = format!("{}{line}", state.search.text());
            state.search.set(&text);
        }
        Some(Overlay::Editor(editor)) => editor.writing.paste(text),
        Some(Overlay::Form(_)) => super::form::paste(state, text),
        Some(Overlay::Steps(steps)) => steps.paste(text),
        // A paste is never taken for keys.
        Some(Overlay::Help { .. } | Overlay::Confirm(_) | Overlay::Inbox | Overlay::Yank(_) | Overlay::DiffLine)
        | None => {}
    }
    vec![]
}

/// A text that was written in the user's editor.
pub(super) fn written(state: &mut State, text: Result<String, Failure>) {
    match (text, state.overlays.last_mut()) {
        (Ok(text), Some(Overlay::Form(_))) => super::form::written(state, &text),
        (Ok(text), Some(Overlay::Steps(steps))) => steps.written(&text),
        (Ok(text), Some(Overlay::Editor(editor))) => editor.writing.replace(&text),
        (
            Ok(_),
            Some(
                Overlay::Help { .. }
                | Overlay::Filter
                | Overlay::Search
                | Overlay::Palette(_)
                | Overlay::Confirm(_)
                | Overlay::Inbox
                | Overlay::Yank(_)
                | Overlay::DiffLine,
            )
            | None,
        ) => {}
        (Err(failure), _) => state.show_error(&failure),
    }
}

/// Opens the text in the user's own editor.
pub(super) const fn in_editor(text: String) -> Effect {
    Effect::RunForeground(ForegroundProgram::Text { purpose: TextFor::Overlay, text })
}

pub(super) fn act(state: &mut State, action: TextAction) -> Vec<Effect> {
    match (state.overlays.last_mut(), action) {
        (Some(Overlay::Filter), TextAction::Accept) => {
            state.overlays.pop();
        }
        (Some(Overlay::Filter), TextAction::Close) => {
            state.overlays.pop();
            state.runs.set_filter("");
        }
        (Some(Overlay::Palette(_)), TextAction::Accept) => return super::palette_chosen(state),
        (Some(Overlay::Palette(_)), TextAction::Close) => {
            state.overlays.pop();
        }
        (Some(Overlay::Search), TextAction::Accept) => {
            state.overlays.pop();
            super::view::find(state, true);
        }
        (Some(Overlay::Search), TextAction::Close) => {
            state.overlays.pop();
            state.search.set("");
        }
        (Some(Overlay::Editor(_)), action) => return super::editor::act(state, action),
        (Some(Overlay::Form(_)), action) => return super::form::act(state, action),
        (Some(Overlay::Steps(_)), action) => return super::steps::write(state, action),
        (_, _) => {}
    }
    vec![]
}

fn type_filter(state: &mut State, event: KeyEvent) {
    let height = usize::from(state.areas().list.height);
    if event.code == KeyCode::Up {
        return state.runs.go(Move::Up, height);
    }
    if event.code == KeyCode::Down {
        return state.runs.go(Move::Down, height);
    }
    if let Some(filter) = typed_line(state.runs.filter(), event) {
        state.runs.set_filter(&filter);
    }
}

/// A line after one more key; `None` if the key types nothing.
fn typed_line(line: &str, event: KeyEvent) -> Option<String> {
    let mut line = line.to_owned();
    match (event.code.as_char(), event.modifiers.contains(KeyModifiers::CONTROL)) {
        (Some('u'), true) => line.clear(),
        (Some(letter), false) => line.push(letter),
        (None, _) if event.code == KeyCode::Backspace => {
            line.pop();
        }
        (Some(_) | None, _) => return None,
    }
    Some(line)
}
