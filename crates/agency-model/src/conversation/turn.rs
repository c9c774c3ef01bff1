//! The turns of an agent, its background tasks, and the end of the conversation.
//!
//! The one rule: a conversation in which nothing is left to do ends, by the agent's own exit or by a signal.

use super::process::ProcessStage;
use super::{Conversation, Effect, Evidence, Medium, ProcessStart, Timer};
use crate::{Activity, Event};

/// How the conversation stands with one process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Turn {
    stage: TurnStage,
    /// Whether a message came since the turn began. It may be part of the turn, or begin another.
    has_message: bool,
    /// How many messages, the prompt among them, are not known to have had a turn.
    awaited: usize,
    reports: TurnReports,
    interrupt: Interrupt,
    /// How many tasks the agent runs in its background.
    background_tasks: usize,
    input: AgentInput,
}

/// What the agent reports about the turns of its messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum TurnReports {
    /// That is not known. A turn may begin without a report, and one turn may be about several messages.
    #[default]
    Unknown,
    /// The beginning of each turn. One turn may be about several messages.
    EachTurn,
    /// The turn of each message.
    EachMessage,
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

impl Turn {
    /// The turns of a new process.
    pub(super) fn of_process(start: &ProcessStart) -> Self {
        let reports = if start.reports_turns { TurnReports::EachTurn } else { TurnReports::Unknown };
        Self { awaited: usize::from(start.has_prompt), reports, ..Self::default() }
    }

    /// A turn that is about at least one message, if the agent does not report which messages it is about.
    const fn is_about_a_message(&mut self) {
        match self.reports {
            TurnReports::Unknown | TurnReports::EachTurn => self.awaited = self.awaited.saturating_sub(1),
            TurnReports::EachMessage => {}
        }
    }

    /// What limits the time until the turn of a message begins.
    fn limit(&self, else_by: Timer) -> Timer {
        match (self.awaited, self.reports) {
            (0, _) | (_, TurnReports::EachTurn) => else_by,
            (_, TurnReports::Unknown | TurnReports::EachMessage) => Timer::SilentTurn,
        }
    }
}

impl Conversation {
    /// The agent reports that a turn begins.
    pub(super) fn turn_started(&mut self, effects: &mut Vec<Effect>) {
        match self.turn.stage {
            TurnStage::First => self.turn.is_about_a_message(),
            TurnStage::Running => {}
            TurnStage::Over => {
                self.turn.is_about_a_message();
                if self.turn.reports == TurnReports::Unknown {
                    self.turn.reports = TurnReports::EachTurn;
                }
            }
        }
        self.begin_turn(effects);
    }

    /// The agent reports that a message is part of a turn.
    pub(super) fn message_taken(&mut self, effects: &mut Vec<Effect>) {
        self.turn.reports = TurnReports::EachMessage;
        self.turn.awaited = self.turn.awaited.saturating_sub(1);
        match self.turn.stage {
            TurnStage::First | TurnStage::Over => self.begin_turn(effects),
            TurnStage::Running => {}
        }
    }

    /// The agent reports that a message will not be part of any turn.
    pub(super) fn message_dropped(&mut self, effects: &mut Vec<Effect>) {
        self.turn.reports = TurnReports::EachMessage;
        self.turn.awaited = self.turn.awaited.saturating_sub(1);
        if self.turn.stage == TurnStage::Over && self.turn.awaited == 0 {
            self.forget_unanswered(0);
            self.rest(effects);
            if self.may_end() && self.turn.background_tasks == 0 && !self.turn.input.is_exit_due() {
                effects.extend([Effect::Disarm(Timer::SilentTurn), Effect::Arm(Timer::NextTurn)]);
            }
        }
    }

    /// A turn begins: the model is asked. One that begins by itself after the end of the conversation is finished too.
    fn begin_turn(&mut self, effects: &mut Vec<Effect>) {
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
        match self.turn.stage {
            TurnStage::First | TurnStage::Over => self.turn.is_about_a_message(),
            TurnStage::Running => {}
        }
        self.turn.stage = TurnStage::Over;
        self.turn.interrupt = match self.turn.interrupt {
            Interrupt::None => Interrupt::None,
            Interrupt::Sent | Interrupt::TurnOver => Interrupt::TurnOver,
        };
        self.forget_unanswered(self.turn.awaited);
        self.rest(effects);
        if self.is_interrupted() || self.process.medium != Medium::Protocol || self.turn.background_tasks > 0 {
            return;
        }
        let has_message = std::mem::take(&mut self.turn.has_message);
        if self.turn.awaited > 0 || (has_message && self.may_end()) {
            let limit = self.turn.limit(Timer::NextTurn);
            effects.extend([Effect::Disarm(Timer::BackgroundReport), Effect::Arm(limit)]);
        } else if self.may_end() {
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
            disarm_end(effects);
            effects.push(Effect::Arm(self.turn.limit(Timer::BackgroundReport)));
        }
    }

    /// The time in which another turn could begin is over: none will.
    pub(super) fn no_next_turn(&mut self, effects: &mut Vec<Effect>) {
        self.turn.awaited = 0;
        self.forget_unanswered(0);
        self.rest(effects);
        if self.process.stays {
            disarm_end(effects);
        } else {
            self.end_conversation(effects);
        }
    }

    /// What an agent does between its turns.
    fn rest(&self, effects: &mut Vec<Effect>) {
        let (activity, fact) = match (self.turn.background_tasks, self.turn.awaited) {
            (0, 0) => (Activity::Idle, "its turn is over".to_owned()),
            (0, _) => (Activity::Thinking, "a message has had no turn yet".to_owned()),
            (1, _) => (Activity::RunningCommand, "a background task runs".to_owned()),
            (count, _) => (Activity::RunningCommand, format!("{count} background tasks run")),
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
        self.turn.awaited += 1;
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
                let message = "the conversation has ended, but the agent did not exit; it is terminated".to_owned();
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
    effects.extend([Timer::NextTurn, Timer::SilentTurn, Timer::BackgroundReport].map(Effect::Disarm));
}
