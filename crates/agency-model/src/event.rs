//! The facts of a run, one JSON object per line of `events.ndjson`.

mod activity;
mod progress;
mod words;
mod work;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::progress::{PlanStep, StepStatus, TaskStatus};
pub use self::words::{event_words, tool_subject};
pub use self::work::WorkEvent;
use crate::run::{Reason, State};
use crate::{Activity, Answer, JsonText, Question, QuestionId, Usage};

/// One fact with its number and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventLine {
    /// Counts the events of a run from 1; a reader's cursor.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The attempt it belongs to; 0 before the first.
    pub attempt: u32,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Places in the three logs of a run, in bytes from their beginnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogOffsets {
    /// In the log of the standard output.
    pub stdout: u64,
    /// In the log of the standard error.
    pub stderr: u64,
    /// In the log of both.
    pub combined: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(transform = with_all_types_on_one_level)]
pub enum Event {
    /// The run's state is another.
    StateChange {
        /// The state before; absent for a new run.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<State>,
        /// The state now.
        to: State,
    },
    /// A process was started.
    Attempt {
        /// The program.
        program: String,
        /// Its process id.
        pid: u32,
        /// Where its part of the logs begins.
        #[serde(default)]
        logs_from: LogOffsets,
    },
    /// The process is gone.
    Exit {
        /// Its exit code, if it exited.
        exit_code: Option<i32>,
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// The process crashed and another follows.
    Restart {
        /// How many crashes there were in a row.
        failures: u32,
        /// The pause before the next attempt.
        delay_ms: u64,
    },
    /// Something a user should know that is not an error.
    Notice {
        /// What.
        message: String,
    },
    /// Something went wrong.
    Error {
        /// What.
        message: String,
    },
    /// The agent said something.
    Output {
        /// The words, as the agent sent them; some agents send a message in pieces.
        text: String,
        /// The id of the tool use whose sub-agent this comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_tool_id: Option<String>,
    },
    /// The agent uses a tool.
    ToolUse {
        /// The agent's own name of the tool.
        tool_name: String,
        /// What the tool is given.
        input: Value,
        /// The agent's own id of this use.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
        /// The id of the tool use whose sub-agent this comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_tool_id: Option<String>,
    },
    /// A tool answered.
    ToolResult {
        /// The agent's own name of the tool.
        tool_name: String,
        /// What it answered; empty where the agent does not report it.
        #[schemars(with = "String")]
        output: JsonText,
        /// Whether it did what was asked.
        success: bool,
        /// The id of the use that this answers.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
        /// The id of the tool use whose sub-agent this comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_tool_id: Option<String>,
    },
    /// The model's reasoning before it answers, where the agent shows it.
    Thinking {
        /// The text, as the agent sent it.
        text: String,
        /// The id of the tool use whose sub-agent this comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_tool_id: Option<String>,
    },
    /// The agent's plan. Each such event replaces the one before.
    Plan {
        /// The steps, for agents that list them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<PlanStep>,
        /// The plan as a text, for agents that write one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Work in the background of the agent: a sub-agent, or a command that the agent does not wait for.
    Task {
        /// The agent's own id of the task.
        task_id: String,
        /// How far the task has come.
        status: TaskStatus,
        /// What the task does or, once it has ended, its result.
        description: String,
        /// The id of the tool use that started the task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
    },
    /// The vendor's usage limit, as the agent reports it.
    RateLimit {
        /// The agent's own word, such as `allowed`, `allowed_warning` or `rejected`.
        status: String,
        /// Which limit, such as `five_hour`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<String>,
        /// The used part of the limit, from 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<f64>,
        /// When the limit is reset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resets_at: Option<Timestamp>,
    },
    /// The agent replaced the conversation so far by a summary.
    Compaction {
        /// What caused it, in the agent's own word, such as `auto` or `manual`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<String>,
        /// The tokens of the conversation before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens_before: Option<u64>,
    },
    /// A message was sent to the agent.
    Message {
        /// The words.
        text: String,
    },
    /// The agent is doing something else than before.
    Activity {
        /// What.
        activity: Activity,
        /// The evidence: the event or the rule that led to it.
        because: String,
        /// The number of the screen line that the rule matched, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// The agent asks something.
    Question {
        /// The id to answer it by.
        question_id: QuestionId,
        /// What it asks.
        question: Question,
        /// The question of an earlier process or run that this one repeats.
        #[serde(skip_serializing_if = "Option::is_none")]
        repeats: Option<QuestionId>,
    },
    /// A question was answered, or withdrawn.
    Answer {
        /// The question.
        question_id: QuestionId,
        /// The answer; absent if the agent does not wait for one any more.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        answer: Option<Answer>,
        /// Who answered: a user, or the rule that did.
        by: String,
        /// The outcome.
        outcome: String,
        /// Whether the agent got the answer; absent in events of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delivered: Option<bool>,
        /// The process that answered, as the database holds it; absent for rules.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answered_from: Option<Value>,
    },
    /// What the model consumed since the last such event. The sum over a stream is the stream's total.
    Usage(Usage),
    /// The run has finished.
    Completed {
        /// The terminal state.
        state: State,
        /// The exit code of the last process.
        exit_code: Option<i32>,
        /// Why it has finished.
        reason: Reason,
        /// The error as the row holds it.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A line that this version does not know; kept, never dropped.
    Unknown {
        /// The line as it stands in the file.
        text: String,
    },
    /// Something that happened to the work of the run beside its agent. Its types are on the same level as those above.
    #[serde(untagged)]
    Work(WorkEvent),
}

/// Readers of the schema find every type in one list, as in the files.
fn with_all_types_on_one_level(schema: &mut Schema) {
    let Some(Value::Array(kinds)) = schema.remove("anyOf") else { return };
    let kinds = kinds.into_iter().flat_map(|mut kind| match kind.get_mut("oneOf").map(Value::take) {
        Some(Value::Array(below)) => below,
        _ => vec![kind],
    });
    schema.insert("oneOf".to_owned(), kinds.collect());
}

impl Event {
    /// Words of the agent itself, not of a sub-agent.
    #[must_use]
    pub fn output(text: impl Into<String>) -> Self {
        Self::Output { text: text.into(), parent_tool_id: None }
    }

    /// Reasoning of the agent itself, not of a sub-agent.
    #[must_use]
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking { text: text.into(), parent_tool_id: None }
    }

    /// The id of the tool use whose sub-agent this comes from.
    #[must_use]
    pub fn parent_tool_id(&self) -> Option<&str> {
        match self {
            Self::Output { parent_tool_id, .. }
            | Self::ToolUse { parent_tool_id, .. }
            | Self::ToolResult { parent_tool_id, .. }
            | Self::Thinking { parent_tool_id, .. } => parent_tool_id.as_deref(),
            Self::StateChange { .. }
            | Self::Attempt { .. }
            | Self::Exit { .. }
            | Self::Restart { .. }
            | Self::Notice { .. }
            | Self::Error { .. }
            | Self::Plan { .. }
            | Self::Task { .. }
            | Self::RateLimit { .. }
            | Self::Compaction { .. }
            | Self::Message { .. }
            | Self::Activity { .. }
            | Self::Question { .. }
            | Self::Answer { .. }
            | Self::Usage(_)
            | Self::Completed { .. }
            | Self::Unknown { .. }
            | Self::Work(_) => None,
        }
    }
}

impl EventLine {
    /// Reads one line. Total: what is not understood becomes [`Event::Unknown`] with its text.
    #[must_use]
    pub fn read(line: &str, previous_seq: u64) -> Self {
        if let Ok(known) = serde_json::from_str::<Self>(line) {
            return known;
        }
        let head: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        let number = |key: &str| head.get(key).and_then(Value::as_u64);
        Self {
            seq: number("seq").unwrap_or(previous_seq + 1),
            at: head.get("at").and_then(Value::as_str).and_then(|at| at.parse().ok()).unwrap_or(Timestamp::UNIX_EPOCH),
            attempt: number("attempt").and_then(|attempt| u32::try_from(attempt).ok()).unwrap_or(0),
            event: Event::Unknown { text: line.to_owned() },
        }
    }
}

#[cfg(test)]
mod tests;
