//! The turns of an agent, its background tasks, and the end of the conversation.
//!
//! The one rule: a conversation in which nothing is left to do ends, by the agent's own exit or by a signal.

use super::process::ProcessStage;
use super::{Conversation, Effect, Evidence, Medium, Timer};
use crate::{Activity, Event};

/// How the conversation stands with one process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Turn {
    stage: TurnStage,
    /// Whether a message came since the turn began. It may be part of the turn, or begin another.
    has_message: bool,
    interrupt: Interrupt,
    /// How many tasks the agent runs in its background.
    background_tasks: usize,
    input: AgentInput,
}

/// Where the agent is between two turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum TurnStage {
    /// No turn has ended, and none is known to have begun.
    #[default]
    First,
    /// A turn is under way, for agents that say when one begins.
    Running,
    /// The last turn is over.
    Over,
}

/// Whether the agent was interrupted and waits for what it is to do instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Interrupt {
    /// It was not, or a message came since.
    #[default]
    None,
    /// It was, and its turn is not over yet.
    Sent,
    /// It was, and its turn is over, so that the next one is about something else.
    TurnOver,
}

/// Whether the agent can receive more, and how it is made to exit if not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum AgentInput {
    /// It can.
    #[default]
    Open,
    /// Its input is closed, so that it exits. A turn that begins by itself may take the time it needs.
    Closed { exit_is_due: bool },
    /// It did not exit and was sent TERM.
    Terminated,
    /// It did not exit then either and was sent KILL.
    Killed,
}

impl AgentInput {
    const fn is_open(self) -> bool {
        match self {
            Self::Open => true,
            Self::Closed { .. } | Self::Terminated | Self::Killed => false,
        }
    }

    const fn is_exit_due(self) -> bool {
        match self {
            Self::Open => false,
            Self::Closed { exit_is_due } => exit_is_due,
            Self::Terminated | Self::Killed => true,
        }
    }

    const fn is_terminated(self) -> bool {
        match self {
            Self::Open | Self::Closed { .. } => false,
            Self::Terminated | Self::Killed => true,
        }
    }
}

impl Conversation {
    /// A turn begins: the model is asked. One that begins by itself after the end of the conversation is finished too.
    pub(super) fn turn_started(&mut self, effects: &mut Vec<Effect>) {
        self.turn.stage = TurnStage::Running;
        if self.turn.interrupt == Interrupt::TurnOver {
            // It works on messages from before the interrupt now, and then the conversation is over.
            self.turn.interrupt = Interrupt::None;
        }
        disarm_end(effects);
        if !self.turn.input.is_terminated() {
            effects.push(Effect::Disarm(Timer::AgentExit));
        }
        if let AgentInput::Closed { exit_is_due } = &mut self.turn.input {
            *exit_is_due = false;
        }
        effects.push(Effect::Arm(Timer::Progress));
        effects.push(Effect::activity(Activity::Thinking, Evidence::Fact("its turn has begun".to_owned())));
    }

    /// A turn is over, and with it the conversation, unless a message may begin another one or background tasks run.
    pub(super) fn turn_ended(&mut self, effects: &mut Vec<Effect>) {
        self.turn.stage = TurnStage::Over;
        self.turn.interrupt = match self.turn.interrupt {
            Interrupt::None => Interrupt::None,
            Interrupt::Sent | Interrupt::TurnOver => Interrupt::TurnOver,
        };
        self.forget_unanswered();
        self.rest(effects);
        if !self.may_end() || self.turn.background_tasks > 0 {
            return;
        }
        if std::mem::take(&mut self.turn.has_message) {
            effects.extend([Effect::Disarm(Timer::BackgroundReport), Effect::Arm(Timer::NextTurn)]);
        } else {
            self.end_conversation(effects);
        }
    }

    /// The number of background tasks changed. When the last one is over, the agent reports on it in a turn of its own.
    pub(super) fn background_tasks(&mut self, count: usize, effects: &mut Vec<Effect>) {
        self.turn.background_tasks = count;
        effects.push(Effect::Arm(Timer::Progress));
        match self.turn.stage {
            TurnStage::First | TurnStage::Running => return,
            TurnStage::Over => self.rest(effects),
        }
        if count == 0 && self.may_end() && !self.turn.input.is_exit_due() {
            effects.extend([Effect::Disarm(Timer::NextTurn), Effect::Arm(Timer::BackgroundReport)]);
        }
    }

    /// What an agent does between its turns.
    fn rest(&self, effects: &mut Vec<Effect>) {
        let (activity, fact) = match self.turn.background_tasks {
            0 => (Activity::Idle, "its turn is over".to_owned()),
            1 => (Activity::RunningCommand, "a background task runs".to_owned()),
            count => (Activity::RunningCommand, format!("{count} background tasks run")),
        };
        effects.push(Effect::activity(activity, Evidence::Fact(fact)));
    }

    /// Whether the conversation is over when the agent has nothing to do.
    fn may_end(&self) -> bool {
        self.process.medium == Medium::Protocol && !self.is_interrupted() && !self.process.stays
    }

    /// Whether the agent was interrupted and waits for what it is to do instead.
    pub(super) const fn is_interrupted(&self) -> bool {
        match self.turn.interrupt {
            Interrupt::None => false,
            Interrupt::Sent | Interrupt::TurnOver => true,
        }
    }

    /// Whether the agent's input is open.
    pub(super) const fn input_is_open(&self) -> bool {
        self.turn.input.is_open()
    }

    /// The agent received a message: the turn that is over, or will be, need not be the last one.
    pub(super) fn turn_has_message(&mut self, effects: &mut Vec<Effect>) {
        self.turn.has_message = true;
        self.turn.interrupt = Interrupt::None;
        disarm_end(effects);
    }

    /// The agent received an interrupt.
    pub(super) fn turn_is_interrupted(&mut self, effects: &mut Vec<Effect>) {
        self.turn.interrupt = Interrupt::Sent;
        disarm_end(effects);
    }

    /// Closes the agent's input, so that it exits.
    pub(super) fn end_conversation(&mut self, effects: &mut Vec<Effect>) {
        disarm_end(effects);
        match self.process.stage {
            ProcessStage::Gone => return,
            ProcessStage::Running | ProcessStage::Exiting => {}
        }
        self.turn.input = match self.turn.input {
            AgentInput::Open | AgentInput::Closed { .. } => AgentInput::Closed { exit_is_due: true },
            AgentInput::Terminated => AgentInput::Terminated,
            AgentInput::Killed => AgentInput::Killed,
        };
        effects.extend([Effect::CloseInput, Effect::Disarm(Timer::Termination), Effect::Arm(Timer::AgentExit)]);
    }

    /// The conversation is over, and the agent does not exit.
    pub(super) fn exit_overdue(&mut self, effects: &mut Vec<Effect>) {
        match self.turn.input {
            AgentInput::Open => {}
            AgentInput::Closed { .. } => {
                self.turn.input = AgentInput::Terminated;
                effects.extend([Effect::TerminateAgent, Effect::Arm(Timer::Termination)]);
                let message = "the conversation is over and the agent does not leave; it is ended".to_owned();
                effects.push(Effect::record(Event::Notice { message }));
            }
            AgentInput::Terminated | AgentInput::Killed => {
                self.turn.input = AgentInput::Killed;
                effects.push(Effect::KillAgent);
            }
        }
    }

    /// The time without progress is over. An agent that waits for a human or for a message need not make any.
    pub(super) fn no_progress(&self, effects: &mut Vec<Effect>) {
        let waits_for_message = self.process.stays && self.activity == Some(Activity::Idle);
        let exempt = self.is_waiting() || self.is_interrupted() || waits_for_message;
        effects.push(if exempt { Effect::Arm(Timer::Progress) } else { Effect::StopForNoProgress });
    }

    /// Whether the agent had to be ended after its conversation was over.
    #[must_use]
    pub const fn was_terminated(&self) -> bool {
        self.turn.input.is_terminated()
    }

    /// Whether the agent had not finished what it had begun.
    #[must_use]
    pub const fn is_cut_off(&self) -> bool {
        let in_turn = matches!(self.turn.stage, TurnStage::Running);
        self.turn.background_tasks > 0 || (self.was_terminated() && in_turn)
    }

    /// Why a run whose agent reported success is not plainly completed.
    #[must_use]
    pub fn shortcoming(&self) -> Option<String> {
        match (self.turn.background_tasks, self.was_terminated()) {
            (1, _) => Some("the agent ended while 1 background task was running".to_owned()),
            (count @ 2.., _) => Some(format!("the agent ended while {count} background tasks were running")),
            (0, true) => Some("the agent did not exit after its last turn and was terminated".to_owned()),
            (0, false) => None,
        }
    }
}

/// The agent continues: a turn that seemed to be the last one is not.
pub(super) fn disarm_end(effects: &mut Vec<Effect>) {
    effects.extend([Timer::NextTurn, Timer::BackgroundReport].map(Effect::Disarm));
}
