//! The one function that changes the state. I/O is returned as effects.

mod app;
mod background;
mod confirm;
mod editor;
mod form;
mod inbox;
mod list;
mod mouse;
mod run;
mod steps;
mod typing;
mod view;

use crossterm::event::KeyEvent;

use super::effect::Effect;
use super::input::Input;
use super::keys::{Action, Key, lookup};
use super::state::{Overlay, State};

/// Takes an input, and returns the effects.
pub(super) fn update(state: &mut State, input: Input) -> Vec<Effect> {
    let mut effects = match input {
        Input::Key(event) => key(state, event),
        Input::Mouse(event) => mouse::mouse(state, event),
        Input::Paste(text) => typing::paste(state, &text),
        Input::Resize(columns, rows) => {
            state.size = (columns, rows);
            form::resized(state);
            vec![]
        }
        Input::Focus(has_focus) => {
            state.has_focus = has_focus;
            vec![]
        }
        Input::Tick(now) => {
            state.now = now;
            state.forget_said();
            steps::tick(state)
        }
        Input::NewRun => form::open(state),
        Input::Background(news) => background::apply(state, news),
    };
    let areas = state.areas();
    state.runs.show_selected(usize::from(areas.list.height));
    let row = state.runs.current().map(|entry| &entry.row).filter(|_| areas.shows_detail());
    effects.extend(state.detail.turn_to(row).map(|subject| Effect::Show(subject.map(Box::new))));
    effects.extend(state.detail.wants(areas.detail).map(Effect::Page));
    if state.leaving && state.jobs.is_empty() {
        effects.push(Effect::Quit);
    }
    if effects.contains(&Effect::Quit) {
        effects.insert(0, state.memory());
    }
    effects
}

fn key(state: &mut State, event: KeyEvent) -> Vec<Effect> {
    let Some(key) = Key::pressed(event) else { return vec![] };
    // A user who presses a key has seen the message.
    state.said.take_if(|said| said.trouble);
    match lookup(state.scope(), key) {
        Some(action) => act(state, action),
        None => typing::typed(state, event),
    }
}

/// Does what was chosen among the commands.
fn palette_chosen(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Palette(palette)) = state.overlays.pop() else { return vec![] };
    let found = palette.found(state);
    let chosen = found.get(palette.selected.min(found.len().saturating_sub(1))).map(|binding| binding.action);
    chosen.map_or_else(Vec::new, |action| act(state, action))
}

/// Does what a key stands for.
fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Move(direction) => {
            app::go(state, direction);
            vec![]
        }
        Action::App(action) => app::act(state, action),
        Action::List(action) => list::act(state, action),
        Action::Run(action) => run::act(state, action),
        Action::Tab(turn) => {
            view::switch_tab(state, turn);
            vec![]
        }
        Action::View(action) => view::act(state, action),
        Action::Inbox(action) => inbox::act(state, action),
        Action::Yank(action) => run::yank(state, action),
        Action::Steps(action) => steps::act(state, action),
        Action::Text(action) => typing::act(state, action),
        Action::Confirm(action) => confirm::act(state, action),
    }
}
