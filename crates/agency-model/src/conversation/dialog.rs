//! What the screen shows of a conversation: the dialog that asks, whether it took an answer, and whether it is known.
//!
//! The one rule: an answer that was typed counts as delivered only when its dialog is gone.

use super::open_question::Stage;
use super::{Conversation, Effect, Origin, ScreenReading, Timer};
use crate::{Answer, QuestionId, QuestionKey};

/// A dialog that is being drawn anew is missing for one reading; after so many it is gone.
const READINGS_UNTIL_GONE: u8 = 2;

/// What is known of the screen between two readings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Dialog {
    /// The key of the dialog that asks and is not answered.
    shown: Option<QuestionKey>,
    /// How many readings in a row did not find it.
    missed: u8,
    recognition: Recognition,
}

/// Whether the screen is recognised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Recognition {
    /// It is, or was not read yet.
    #[default]
    Recognised,
    /// It is not, and not yet for long.
    Unrecognised,
    /// It is not, and there is or was a question about it: it is not asked a second time.
    Asked,
}

/// An answer to a dialog on the screen.
struct DialogAnswer {
    id: QuestionId,
    key: QuestionKey,
    answer: Answer,
    keys: Keys,
}

/// How far the keys of an answer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// The dialog does not take keys yet.
    TooEarly,
    /// They are typed when the dialog is seen.
    Due,
    /// They are being handed to the terminal.
    BeingTyped,
    /// They were typed.
    Typed,
    /// They were typed so long ago that the dialog did not take them if it is still there.
    Overdue,
}

impl Conversation {
    pub(super) fn screen_read(&mut self, reading: &ScreenReading, effects: &mut Vec<Effect>) {
        self.confirm_answer(reading, effects);
        match (&reading.dialog, self.dialog_answer()) {
            (None, None) => {
                self.see_dialog(None, effects);
                Self::screen_activity(reading, effects);
            }
            (Some(key), None) => {
                Self::screen_activity(reading, effects);
                self.see_dialog(Some(key), effects);
            }
            (None, Some(_)) => Self::screen_activity(reading, effects),
            (Some(_), Some(_)) => {}
        }
        self.see_recognition(reading.recognised, effects);
        self.confirm_message(reading, effects);
        self.type_waiting(reading.new_screen, effects);
        if self.dialog_answer().is_some() || self.dialog.missed > 0 || self.message_needs_screen() {
            // What is waited for may come without further output of the agent.
            effects.push(Effect::ReadScreen);
        }
    }

    /// Whether a dialog on the screen waits for an answer, or for the one that was typed to be taken.
    #[must_use]
    pub fn shows_dialog(&self) -> bool {
        self.dialog.shown.is_some() || self.is_confirming_answer()
    }

    /// Whether an answer was typed and the screen has not shown yet whether it was taken.
    #[must_use]
    pub fn is_confirming_answer(&self) -> bool {
        self.dialog_answer().is_some()
    }

    pub(super) fn dialog_is_answered(&mut self) {
        self.dialog.shown = None;
        self.dialog.missed = 0;
    }

    /// The dialog did not take its answer, and is asked about again.
    pub(super) fn dialog_waits(&mut self, key: QuestionKey) {
        self.dialog.shown = Some(key);
    }

    /// The question of the dialog that is being answered.
    fn dialog_answer(&self) -> Option<DialogAnswer> {
        self.questions.iter().find_map(|question| {
            let (given, keys) = match &question.stage {
                Stage::Due(given) if question.takes_keys => (given, Keys::Due),
                Stage::Due(given) => (given, Keys::TooEarly),
                Stage::Sending(given) if question.origin == Origin::Screen => (given, Keys::BeingTyped),
                Stage::Typed { given, overdue: false } => (given, Keys::Typed),
                Stage::Typed { given, overdue: true } => (given, Keys::Overdue),
                Stage::Storing(_) | Stage::Unstored(_) | Stage::Open | Stage::Sending(_) => return None,
            };
            Some(DialogAnswer {
                id: question.id.clone(),
                key: question.key.clone(),
                answer: given.answer.clone(),
                keys,
            })
        })
    }

    fn type_answer(&mut self, id: &QuestionId, effects: &mut Vec<Effect>) {
        let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) else { return };
        if let Stage::Due(given) = &question.stage {
            effects.push(Effect::TypeAnswer { id: id.clone(), answer: given.answer.clone() });
            question.stage = Stage::Sending(given.clone());
        }
    }

    pub(super) fn dialog_takes_keys(&mut self, id: &QuestionId, effects: &mut Vec<Effect>) {
        if let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) {
            question.takes_keys = true;
            if let Stage::Due(_) = question.stage {
                effects.push(Effect::ReadScreenNow);
            }
        }
    }

    pub(super) fn answer_overdue(&mut self, effects: &mut Vec<Effect>) {
        for question in &mut self.questions {
            if let Stage::Typed { overdue, .. } = &mut question.stage {
                *overdue = true;
                effects.push(Effect::ReadScreen);
            }
        }
    }

    /// Types the answer that is due, and checks whether the dialog accepted the one that was typed.
    fn confirm_answer(&mut self, reading: &ScreenReading, effects: &mut Vec<Effect>) {
        let Some(DialogAnswer { id, key, answer, keys }) = self.dialog_answer() else { return };
        let seen = reading.dialog.as_ref() == Some(&key);
        match (keys, seen) {
            (Keys::TooEarly | Keys::Due, false) => {
                self.dialog.missed += 1;
                if self.dialog.missed >= READINGS_UNTIL_GONE {
                    let reason = "the dialog was gone before the answer could be typed";
                    self.answer_ended(&id, Err(reason.into()), effects);
                }
            }
            (Keys::TooEarly, true) => self.dialog.missed = 0,
            (Keys::Due, true) => {
                self.dialog.missed = 0;
                self.type_answer(&id, effects);
            }
            (Keys::Typed | Keys::Overdue, false) if !reading.typing => {
                let text = text_not_typed(&answer);
                let outcome = format!("typed; the dialog is gone, and the agent is {}{text}", reading.activity);
                self.answer_ended(&id, Ok(outcome), effects);
            }
            (Keys::Overdue, _) => {
                let reason = "typed, but the dialog is still on the screen".to_owned();
                if seen {
                    self.dialog_waits(key);
                    self.ask_again(&id, reason, effects);
                } else {
                    self.answer_ended(&id, Err(reason.into()), effects);
                }
            }
            (Keys::BeingTyped | Keys::Typed, _) => {}
        }
    }

    fn see_dialog(&mut self, key: Option<&QuestionKey>, effects: &mut Vec<Effect>) {
        if key.is_none() && self.dialog.shown.is_some() {
            self.dialog.missed += 1;
            if self.dialog.missed < READINGS_UNTIL_GONE {
                return;
            }
        }
        self.dialog.missed = 0;
        if self.dialog.shown.as_ref() == key {
            return;
        }
        if let Some(gone) = self.dialog.shown.take() {
            self.withdrawn(&gone, "it is no longer on the screen", effects);
        }
        if let Some(key) = key {
            self.dialog.shown = Some(key.clone());
            effects.push(Effect::AskAboutDialog);
        }
    }

    fn see_recognition(&mut self, recognised: bool, effects: &mut Vec<Effect>) {
        match (recognised, self.dialog.recognition) {
            (true, Recognition::Recognised) | (false, Recognition::Unrecognised | Recognition::Asked) => {}
            (true, Recognition::Unrecognised | Recognition::Asked) => {
                self.dialog.recognition = Recognition::Recognised;
                effects.push(Effect::Disarm(Timer::UnrecognisedScreen));
                let about_screen = |origin| match origin {
                    Origin::Supervisor => true,
                    Origin::Protocol | Origin::Screen => false,
                };
                self.withdraw(|question| about_screen(question.origin), "the screen is recognised again", effects);
            }
            (false, Recognition::Recognised) => {
                self.dialog.recognition = Recognition::Unrecognised;
                effects.push(Effect::Arm(Timer::UnrecognisedScreen));
            }
        }
    }

    pub(super) fn unrecognised_for_long(&mut self, effects: &mut Vec<Effect>) {
        match self.dialog.recognition {
            Recognition::Unrecognised => {
                self.dialog.recognition = Recognition::Asked;
                effects.push(Effect::AskAboutScreen);
            }
            Recognition::Recognised | Recognition::Asked => {}
        }
    }
}

/// What to add where the text of a denial has no place on the screen.
const fn text_not_typed(answer: &Answer) -> &'static str {
    match answer {
        Answer::Deny { message: Some(_) } => "; the reason was not typed: send it as a message",
        Answer::Deny { message: None }
        | Answer::Allow { .. }
        | Answer::AllowAll
        | Answer::Options { .. }
        | Answer::Text { .. } => "",
    }
}
