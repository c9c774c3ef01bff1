//! The driver's side of the driver protocol, on its standard streams.
//!
//! The one rule: a failed write is ignored. That the supervisor is gone is noticed at the end of the input.

mod claude_lines;

use std::io::Write;

use agency_adapters::driver_protocol::{DRIVER_PROTOCOL_VERSION, DriverMessage, DriverQuestion, SupervisorMessage};
use agency_model::workflow::Approval;
use agency_model::{Answer, SessionId};
use serde::{Deserialize, Serialize};

/// The form of the messages between a driver and its supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum DriverProtocol {
    /// The newest version of the driver protocol.
    Current,
    /// What supervisors understand that name no version.
    ClaudeLines,
}

impl DriverProtocol {
    /// The form for a supervisor that named this version, or none; `None` if this driver cannot write that version.
    #[must_use]
    pub const fn for_version(version: Option<u32>) -> Option<Self> {
        match version {
            None => Some(Self::ClaudeLines),
            Some(DRIVER_PROTOCOL_VERSION) => Some(Self::Current),
            Some(_) => None,
        }
    }

    fn encode(self, message: &DriverMessage) -> serde_json::Result<String> {
        match self {
            Self::Current => serde_json::to_string(message),
            Self::ClaudeLines => Ok(claude_lines::encode(message).to_string()),
        }
    }

    /// Reads a line of the supervisor; `None` for one that is not part of the protocol.
    pub(super) fn parse(self, line: &str) -> Option<DriverInput> {
        let message = match self {
            Self::Current => serde_json::from_str(line).ok()?,
            Self::ClaudeLines => claude_lines::parse(line)?,
        };
        match message {
            SupervisorMessage::Answer { key, answer } => Some(DriverInput::Answer(DriverAnswer::new(key, answer))),
            SupervisorMessage::Message { text } => serde_json::from_str(&text).ok().map(DriverInput::DriverOrder),
        }
    }
}

/// What a driver writes to its supervisor.
#[doc(hidden)]
pub struct DriverStream {
    out: Box<dyn Write + Send>,
    protocol: DriverProtocol,
    /// Lines that are not written yet: many at once are cheaper to read.
    buffer: Vec<u8>,
}

impl std::fmt::Debug for DriverStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("DriverStream")
    }
}

impl DriverStream {
    /// Writes there, in this form.
    #[must_use]
    pub fn new(out: Box<dyn Write + Send>, protocol: DriverProtocol) -> Self {
        Self { out, protocol, buffer: vec![] }
    }

    /// The form of the messages, in both directions.
    pub(super) const fn protocol(&self) -> DriverProtocol {
        self.protocol
    }

    /// Writes which session this is.
    pub(super) fn write_started(&mut self, session: &SessionId) {
        self.write(&DriverMessage::Started { version: DRIVER_PROTOCOL_VERSION, session: session.to_string() });
    }

    /// Writes a line for users.
    pub(super) fn write_progress(&mut self, text: String) {
        self.write(&DriverMessage::Progress { text });
    }

    /// Writes a question for a user.
    pub(super) fn write_question(&mut self, question: DriverQuestion) {
        self.write(&DriverMessage::Question(question));
    }

    /// Withdraws a question.
    pub(super) fn write_withdrawal(&mut self, key: String) {
        self.write(&DriverMessage::Withdrawn { key });
    }

    /// Writes that the session is completed.
    pub(super) fn write_completed(&mut self, summary: String) {
        self.write(&DriverMessage::Completed { summary });
    }

    /// Writes why the session stopped before it was completed.
    pub(super) fn write_stopped(&mut self, reason: String) {
        self.write(&DriverMessage::Stopped { reason });
    }

    /// Writes why this driver cannot drive the session at all.
    pub(crate) fn report_refusal(&mut self, session: &SessionId, reason: String) {
        self.write_started(session);
        self.write_stopped(reason);
        self.flush();
    }

    fn write(&mut self, message: &DriverMessage) {
        // Plain data always has a JSON form, and writing to memory does not fail.
        let _ = self.protocol.encode(message).map(|line| writeln!(self.buffer, "{line}"));
    }

    /// Writes all lines since the last call.
    pub(super) fn flush(&mut self) {
        if !self.buffer.is_empty() {
            // A supervisor that is gone is noticed at the end of the input.
            let _ = self.out.write_all(&self.buffer).and_then(|()| self.out.flush());
            self.buffer.clear();
        }
    }
}

/// What a driver reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DriverInput {
    /// A user answered.
    Answer(DriverAnswer),
    /// An order for the driver.
    DriverOrder(DriverOrder),
}

/// What a user answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DriverAnswer {
    /// The key of the question.
    pub(super) key: String,
    pub(super) verdict: Approval,
    /// As free text.
    pub(super) message: Option<String>,
    /// The option that was chosen, where options were offered.
    pub(super) choice: Option<String>,
}

impl DriverAnswer {
    fn new(key: String, answer: Answer) -> Self {
        let (verdict, message, choice) = match answer {
            Answer::Allow { message } => (Approval::Approved, message, None),
            Answer::AllowAll => (Approval::Approved, None, None),
            Answer::Deny { message } => (Approval::Rejected, message, None),
            Answer::Options { chosen } => (Approval::Approved, None, Some(chosen.join(", "))),
            Answer::Text { text } => (Approval::Approved, None, Some(text)),
        };
        Self { key, verdict, message, choice }
    }
}

/// What a driver can be asked to do, as a message to its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DriverOrder {
    /// A user says that a task is done.
    CompleteTask {
        /// The path of its step.
        step: String,
    },
}

#[cfg(test)]
mod tests;
