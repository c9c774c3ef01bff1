//! What can happen in a conversation.

use super::{GivenAnswer, Message, OpenQuestion, ProcessStart, RequestFailure, ScreenReading, Timer};
use crate::run::State;
use crate::{Answer, Event, QuestionId, QuestionKey};

/// Everything that can happen in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A process was started, and the event of it is recorded.
    Started(ProcessStart),
    /// The agent reported something about its work, by its protocol.
    Event(Event),
    /// The agent wrote something that no protocol describes.
    Output,
    /// The agent's protocol reports that a turn began.
    TurnStarted,
    /// The agent's protocol reports that a turn is over.
    TurnEnded,
    /// The agent's protocol reports that the oldest message that it received is part of a turn.
    MessageTaken,
    /// The agent's protocol reports that a message that it received will not be part of any turn.
    MessageDropped,
    /// The agent's protocol reports how many background tasks run.
    BackgroundTasks(usize),
    /// Send a message.
    Message(Message),
    /// The oldest message that was being written by the protocol is, or could not be for this reason.
    MessageSent(Result<(), RequestFailure>),
    /// The agent is to stop what it is doing.
    Interrupt {
        /// The request that waits for what becomes of it.
        request: i64,
        /// Whether it is refused while the agent waits for an answer.
        unless_asked: bool,
    },
    /// An interrupt was written by the protocol, or could not be for this reason.
    InterruptSent {
        /// The request that waits for it.
        request: i64,
        /// The outcome.
        result: Result<(), RequestFailure>,
    },
    /// A question is asked.
    Asked {
        /// What the conversation needs to know about it.
        question: OpenQuestion,
        /// Who may answer it.
        answerer: Answerer,
    },
    /// A question is on disk.
    Stored {
        /// The question.
        id: QuestionId,
    },
    /// A question could not be stored.
    NotStored {
        /// The question.
        id: QuestionId,
    },
    /// The policy was consulted.
    Decided {
        /// The question.
        id: QuestionId,
        /// What a rule answers, and which rule.
        answer: Option<(Answer, String)>,
    },
    /// An answer to a question is on disk.
    Answered {
        /// The question.
        id: QuestionId,
        /// The answer.
        answer: GivenAnswer,
    },
    /// An answer was written or typed, or could not be.
    Sent {
        /// The question.
        id: QuestionId,
        /// The outcome.
        result: Result<Sent, SendError>,
    },
    /// The agent no longer waits for the answer to the questions with this key.
    Withdrawn {
        /// The agent's own id of the question.
        key: QuestionKey,
        /// Why.
        reason: String,
    },
    /// The screen was read.
    ScreenRead(ScreenReading),
    /// A timer fired. It is not running any more.
    Timer(Timer),
    /// The process of the agent has exited. What it wrote is still being read.
    Exiting,
    /// Everything that the process wrote has been read, except for a last line without an end.
    OutputRead,
    /// The process of the agent is gone.
    Exited,
    /// The next process will be started.
    Restarting {
        /// Whether it resumes the conversation, or begins anew.
        resumes: bool,
    },
    /// The run has ended in this state.
    RunEnded(State),
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answerer {
    /// A rule of the policy, else a user.
    RuleOrUser,
    /// Only a user: a rule would give an answer again that the agent does not take.
    User,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sent {
    /// The agent's protocol took it.
    Written {
        /// Whether the text of a denial went with it.
        takes_text: bool,
    },
    /// The agent's protocol sends it with the answers to the other questions of the request.
    Kept {
        /// Whether the text of a denial went with it.
        takes_text: bool,
    },
    /// It is being typed; the screen shows whether it was taken.
    Typed,
}

/// Why an answer could not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SendError {
    /// The agent does not wait for it.
    NotWaiting(String),
    /// The agent waits, but does not take this answer, or not now.
    Unsuitable(String),
}
