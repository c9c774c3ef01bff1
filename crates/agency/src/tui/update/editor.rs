//! A text that is written: where it comes from, and where it goes.

use crate::tui::editor::{EditPurpose, Editor};
use crate::tui::effect::{Effect, ForegroundProgram, Job, TextFor, label};
use crate::tui::inbox::{AnswerStatus, own_words, standing};
use crate::tui::keys::TextAction;
use crate::tui::state::{Overlay, State};

/// Begins to write, with what was written before and not sent.
pub(super) fn open(state: &mut State, purpose: EditPurpose) -> Vec<Effect> {
    let draft = state.drafts.get(&purpose.key()).cloned().unwrap_or_default();
    state.overlays.push(Overlay::Editor(Box::new(Editor::new(purpose, &draft))));
    vec![]
}

pub(super) fn act(state: &mut State, action: TextAction) -> Vec<Effect> {
    let Some(Overlay::Editor(editor)) = state.overlays.last_mut() else { return vec![] };
    match action {
        TextAction::Submit => submit(state),
        TextAction::OtherEditor => {
            vec![Effect::RunForeground(ForegroundProgram::Text { purpose: TextFor::Overlay, text: editor.text() })]
        }
        TextAction::Close => {
            let (key, text) = (editor.purpose.key(), editor.text());
            keep(state, key, text);
            state.overlays.pop();
            vec![]
        }
        TextAction::Accept | TextAction::NextField | TextAction::PreviousField => vec![],
    }
}

/// Keeps what is written for the next time.
fn keep(state: &mut State, key: String, text: String) {
    match text.trim().is_empty() {
        true => state.drafts.remove(&key),
        false => state.drafts.insert(key, text),
    };
}

fn submit(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Editor(editor)) = state.overlays.last() else { return vec![] };
    let (purpose, text) = (editor.purpose.clone(), editor.text());
    if text.trim().is_empty() {
        state.refuse("nothing is written yet");
        return vec![];
    }
    let key = purpose.key();
    let Some(job) = job(state, purpose, text.clone()) else { return vec![] };
    let effects = state.begin_once(job);
    // What is refused stays in front.
    if !effects.is_empty() {
        keep(state, key, text);
        state.overlays.pop();
    }
    effects
}

/// What sends the text; why it cannot be sent is said.
fn job(state: &mut State, purpose: EditPurpose, text: String) -> Option<Job> {
    match purpose {
        EditPurpose::Answer(question) => match standing(state, &question.id) {
            AnswerStatus::Open => {
                let answer = own_words(&question.question, text);
                Some(Job::Answer { question, answer })
            }
            AnswerStatus::Sending => {
                state.refuse("another answer is on its way already");
                None
            }
            AnswerStatus::Answered | AnswerStatus::Gone => {
                state.refuse("this question is no longer open");
                None
            }
        },
        EditPurpose::Comment(row, about) => Some(Job::Comment { row: *row, about, text }),
        EditPurpose::Message(before) => {
            let row = state.runs.get(&before.id).map_or_else(|| (*before).clone(), |entry| entry.row.clone());
            if row.state.is_terminal() == before.state.is_terminal() {
                return Some(match row.state.is_terminal() {
                    true => Job::Resume { row, text },
                    false => Job::Send { row, text },
                });
            }
            // Continuing by a new run is not a message.
            let message = format!("{} is {} now; send it again if you mean that", label(&row), row.state);
            let purpose = EditPurpose::Message(Box::new(row));
            if let Some(Overlay::Editor(editor)) = state.overlays.last_mut() {
                editor.title = purpose.title();
                editor.purpose = purpose;
            }
            state.refuse(message);
            None
        }
    }
}

/// What was sent needs no draft.
pub(super) fn sent(state: &mut State, job: &Job) {
    if let Some((purpose, text)) = job.written()
        && state.drafts.get(&purpose.key()).is_some_and(|draft| draft == text)
    {
        state.drafts.remove(&purpose.key());
    }
}

/// A text that could not be sent is offered for editing again, unless the user is writing another one.
pub(super) fn come_back(state: &mut State, job: &Job) {
    let Some((purpose, text)) = job.written() else { return };
    keep(state, purpose.key(), text.to_owned());
    if super::typing::takes_keys(state) {
        state.overlays.push(Overlay::Editor(Box::new(Editor::new(purpose, text))));
    }
}

#[cfg(test)]
mod tests;
