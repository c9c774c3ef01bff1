//! What the agent is doing, as far as the conversation shows it.
//!
//! The one rule: an agent that waits for an answer is waiting, whatever else it reports meanwhile.

use super::{Conversation, Effect, Medium, ScreenReading, Timer, turn};
use crate::{Activity, Event};

/// The agent does something else than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityChange {
    /// What it does.
    pub activity: Activity,
    /// How that is known.
    pub evidence: Evidence,
}

/// What an activity follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// The event that was recorded before, in a few words.
    Event(String),
    /// Something that is not an event.
    Fact(String),
    /// The screen.
    Screen {
        /// The rule that describes it, and the text that it found.
        rule: String,
        /// The line of that text.
        line: Option<u32>,
    },
}

impl Conversation {
    /// What the agent is doing, as long as it has a process.
    #[must_use]
    pub const fn activity(&self) -> Option<Activity> {
        self.activity
    }

    /// The agent reported something about its work.
    pub(super) fn event(event: Event, effects: &mut Vec<Effect>) {
        if !matches!(event, Event::Error { .. } | Event::Unknown { .. }) {
            effects.push(Effect::Arm(Timer::Progress));
        }
        let change = event.activity();
        effects.push(Effect::RecordEvent { event: Box::new(event), shown: true });
        if let Some((activity, evidence)) = change {
            turn::disarm_end(effects);
            effects.push(Effect::activity(activity, Evidence::Event(evidence)));
        }
    }

    /// The agent wrote something that no protocol describes. What it does is seen on its screen, if anywhere.
    pub(super) fn output(&self, effects: &mut Vec<Effect>) {
        effects.push(Effect::Arm(Timer::Progress));
        if !self.is_screen_understood() {
            let evidence = Evidence::Fact("its output is not understood".to_owned());
            effects.push(Effect::activity(Activity::Unknown, evidence));
        }
    }

    pub(super) fn screen_activity(reading: &ScreenReading, effects: &mut Vec<Effect>) {
        let evidence = Evidence::Screen { rule: reading.evidence.clone(), line: reading.line };
        effects.push(Effect::activity(reading.activity, evidence));
    }

    pub(super) const fn is_screen_understood(&self) -> bool {
        match self.process.medium {
            Medium::Screen { understood } => understood,
            Medium::Protocol | Medium::OneWay => false,
        }
    }

    /// Drops the activities from the effects of a step that change nothing, or that are not seen while the agent waits.
    pub(super) fn keep_changes_of_activity(&mut self, effects: &mut Vec<Effect>) {
        let waits = self.is_waiting();
        let current = &mut self.activity;
        effects.retain(|effect| {
            let Effect::RecordActivity(ActivityChange { activity, evidence }) = effect else { return true };
            let on_screen = matches!(evidence, Evidence::Screen { .. });
            if waits && *activity != Activity::WaitingForUser && !on_screen {
                return false;
            }
            current.replace(*activity) != Some(*activity)
        });
    }
}
