//! The process of the agent, as far as the conversation depends on it.
//!
//! The one rule: nothing that waits for a process outlives the run without an outcome.

use super::dialog::Dialog;
use super::turn::Turn;
use super::{Conversation, Effect, Evidence, Timer};
use crate::Activity;
use crate::run::State;

/// A process that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStart {
    /// Its process id.
    pub pid: u32,
    /// How it receives messages.
    pub medium: Medium,
    /// Whether it was started with something to do.
    pub has_prompt: bool,
    /// Whether it waits for the next message when a turn is over, for as long as the run lives.
    pub stays: bool,
    /// Whether its protocol reports the beginning of each turn. Of others it is observed.
    pub reports_turns: bool,
}

/// How an agent receives messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Medium {
    /// By its protocol.
    Protocol,
    /// By keys on its terminal.
    Screen {
        /// Whether its screen is read by rules.
        understood: bool,
    },
    /// It does not receive any.
    #[default]
    OneWay,
}

/// What is known of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) stage: ProcessStage,
    pub(super) medium: Medium,
    pub(super) stays: bool,
    /// Whether the last process had nothing to do when it exited.
    was_idle: bool,
    /// Whether any process of the run did more than start.
    has_acted: bool,
}

/// How far the process is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum ProcessStage {
    /// It runs.
    Running,
    /// It has exited, and what it wrote is still being read.
    Exiting,
    /// There is none.
    #[default]
    Gone,
}

impl Conversation {
    pub(super) fn started(&mut self, start: ProcessStart, effects: &mut Vec<Effect>) {
        let ProcessStart { pid, medium, has_prompt, stays, .. } = start;
        self.process = Process { stage: ProcessStage::Running, medium, stays, ..self.process };
        self.turn = Turn::of_process(&start);
        let evidence = Evidence::Event(format!("process {pid} started"));
        effects.push(Effect::activity(Activity::Starting, evidence));
        effects.push(Effect::Arm(Timer::Progress));
        match medium {
            Medium::Protocol => {
                if !has_prompt {
                    let evidence = Evidence::Fact("it has received no message yet".to_owned());
                    effects.push(Effect::activity(Activity::Idle, evidence));
                }
                self.send_waiting(effects);
            }
            Medium::Screen { understood } => self.type_waiting_at_start(understood, effects),
            Medium::OneWay => {}
        }
    }

    /// The process has exited. From now on messages wait for the next one.
    pub(super) const fn exiting(&mut self) {
        self.process.stage = ProcessStage::Exiting;
    }

    /// Notes what the process was doing before anything is concluded from its end.
    pub(super) fn output_read(&mut self) {
        self.process.stage = ProcessStage::Gone;
        self.process.was_idle = self.activity == Some(Activity::Idle) && self.unanswered().is_empty();
        self.process.has_acted |= self.activity.is_some_and(|activity| activity != Activity::Starting);
    }

    /// The process is gone: nothing that it asked waits any longer.
    pub(super) fn exited(&mut self, effects: &mut Vec<Effect>) {
        self.process.stage = ProcessStage::Gone;
        self.typed_message_failed("the agent exited before delivery could be confirmed", effects);
        self.questions_end("the process that asked is gone", effects);
        self.dialog = Dialog::default();
        self.activity = None;
        effects.extend(Timer::of_process().map(Effect::Disarm));
    }

    /// The run has ended: no process follows.
    pub(super) fn run_ended(&mut self, state: State, effects: &mut Vec<Effect>) {
        self.exited(effects);
        self.messages_end(state, effects);
    }

    /// Whether the last process had nothing to do when it exited.
    #[must_use]
    pub const fn was_idle(&self) -> bool {
        self.process.was_idle
    }

    /// Whether any process of the run did more than start.
    #[must_use]
    pub const fn has_acted(&self) -> bool {
        self.process.has_acted
    }
}
