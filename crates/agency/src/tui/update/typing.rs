//! What is typed where a text is wanted.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::effect::{Effect, Lending, Refusal, TextFor};
use crate::tui::keys::{Move, Scope, TextAction};
use crate::tui::state::{Front, State};

/// A key that stands for nothing else.
pub(super) fn typed(state: &mut State, event: KeyEvent) -> Vec<Effect> {
    match state.fronts.last_mut() {
        Some(Front::Filter) => type_filter(state, event),
        Some(Front::Editor(editor)) => {
            editor.writing.typed(event);
        }
        Some(Front::Form(_)) => super::form::typed(state, event),
        Some(Front::Steps(steps)) => steps.typed(event),
        Some(Front::Help { .. } | Front::Confirm(_) | Front::Inbox | Front::Yank(_)) | None => {}
    }
    vec![]
}

/// Whether keys stand for something else than text.
pub(super) fn takes_keys(state: &State) -> bool {
    match state.fronts.last() {
        Some(Front::Filter | Front::Editor(_) | Front::Form(_)) => false,
        Some(Front::Steps(steps)) => steps.scope() == Scope::Steps,
        Some(Front::Help { .. } | Front::Confirm(_) | Front::Inbox | Front::Yank(_)) | None => true,
    }
}

/// A text that was pasted.
pub(super) fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    match state.fronts.last_mut() {
        Some(Front::Filter) => {
            let line = text.split(['\r', '\n']).next().unwrap_or_default();
            let filter = format!("{}{line}", state.runs.filter());
            state.runs.set_filter(&filter);
        }
        Some(Front::Editor(editor)) => editor.writing.paste(text),
        Some(Front::Form(_)) => super::form::paste(state, text),
        Some(Front::Steps(steps)) => steps.paste(text),
        // A paste is never taken for keys.
        Some(Front::Help { .. } | Front::Confirm(_) | Front::Inbox | Front::Yank(_)) | None => {}
    }
    vec![]
}

/// A text that was written in the user's editor.
pub(super) fn written(state: &mut State, text: Result<String, Refusal>) {
    match (text, state.fronts.last_mut()) {
        (Ok(text), Some(Front::Form(_))) => super::form::written(state, &text),
        (Ok(text), Some(Front::Steps(steps))) => steps.written(&text),
        (Ok(text), Some(Front::Editor(editor))) => editor.writing.replace(&text),
        (
            Ok(_),
            Some(Front::Help { .. } | Front::Filter | Front::Confirm(_) | Front::Inbox | Front::Yank(_)) | None,
        ) => {}
        (Err(refusal), _) => state.complain(&refusal),
    }
}

/// Lets the user go on with a text in an editor of their own.
pub(super) const fn in_editor(text: String) -> Effect {
    Effect::Lend(Lending::Text { purpose: TextFor::Front, text })
}

pub(super) fn act(state: &mut State, action: TextAction) -> Vec<Effect> {
    match (state.fronts.last_mut(), action) {
        (Some(Front::Filter), TextAction::Accept) => {
            state.fronts.pop();
        }
        (Some(Front::Filter), TextAction::Close) => {
            state.fronts.pop();
            state.runs.set_filter("");
        }
        (Some(Front::Editor(_)), action) => return super::editor::act(state, action),
        (Some(Front::Form(_)), action) => return super::form::act(state, action),
        (Some(Front::Steps(_)), action) => return super::steps::write(state, action),
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
    let mut filter = state.runs.filter().to_owned();
    match (event.code.as_char(), event.modifiers.contains(KeyModifiers::CONTROL)) {
        (Some('u'), true) => filter.clear(),
        (Some(letter), false) => filter.push(letter),
        (None, _) if event.code == KeyCode::Backspace => {
            filter.pop();
        }
        (Some(_) | None, _) => return,
    }
    state.runs.set_filter(&filter);
}
