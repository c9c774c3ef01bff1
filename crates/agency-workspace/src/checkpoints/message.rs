//! The message of the commit of a checkpoint, which describes the moment at which it was taken.
//!
//! The one rule: an agent can write the ref, so any text is read, and only what this program writes counts.

use std::fmt::Write;

use agency_model::RunId;
use serde::{Deserialize, Serialize};

/// An id that an agent gave its conversation is not longer.
const MAX_CONVERSATION_BYTES: usize = 256;

/// Why a checkpoint was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointCause {
    /// A turn of the agent was over.
    Turn,
    /// A user or a program asked for it.
    Requested,
    /// The run ended.
    End,
    /// The files were about to be restored to another checkpoint.
    BeforeRestore,
    /// The files were restored.
    Restored,
}

impl CheckpointCause {
    const ALL: [Self; 5] = [Self::Turn, Self::Requested, Self::End, Self::BeforeRestore, Self::Restored];

    /// Its name in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Requested => "requested",
            Self::End => "end",
            Self::BeforeRestore => "before_restore",
            Self::Restored => "restored",
        }
    }
}

/// The moment at which a checkpoint is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointMoment {
    /// Why it is taken.
    pub cause: CheckpointCause,
    /// The run at whose time it is taken; a worktree may have had several.
    pub run: RunId,
    /// How many turns of that run were over.
    pub turn: Option<u32>,
    /// The last event of that run before it.
    pub event: Option<u64>,
    /// What the agent calls its conversation.
    pub conversation: Option<String>,
}

impl CheckpointMoment {
    /// A moment of which only the cause is known.
    #[must_use]
    pub const fn of(run: RunId, cause: CheckpointCause) -> Self {
        Self { cause, run, turn: None, event: None, conversation: None }
    }
}

/// The message of the commit.
pub(super) fn to_message(number: u32, moment: &CheckpointMoment) -> String {
    let mut text = format!("Checkpoint {number}\n\nRun: {}\nCause: {}\n", moment.run, moment.cause.as_str());
    let mut line = |key: &str, value: &str| {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{key}: {value}");
    };
    if let Some(turn) = moment.turn {
        line("Turn", &turn.to_string());
    }
    if let Some(event) = moment.event {
        line("Event", &event.to_string());
    }
    if let Some(conversation) = moment.conversation.as_deref().filter(|id| is_plain(id)) {
        line("Conversation", conversation);
    }
    text
}

/// Reads a message; `None` if it is not one of a checkpoint.
pub(super) fn parse(text: &str) -> Option<(u32, CheckpointMoment)> {
    let mut lines = text.lines();
    let number = lines.next()?.strip_prefix("Checkpoint ")?.parse().ok().filter(|number| *number > 0)?;
    let fields: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let value = |wanted: &str| fields.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
    let cause = CheckpointCause::ALL.into_iter().find(|cause| Some(cause.as_str()) == value("Cause"))?;
    let moment = CheckpointMoment {
        cause,
        run: value("Run")?.parse().ok()?,
        turn: value("Turn").and_then(|turn| turn.parse().ok()),
        event: value("Event").and_then(|event| event.parse().ok()),
        conversation: value("Conversation").filter(|id| is_plain(id)).map(str::to_owned),
    };
    Some((number, moment))
}

/// Whether a text of an agent stays on one line and does not fill the message.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_CONVERSATION_BYTES && !id.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment() -> CheckpointMoment {
        CheckpointMoment {
            cause: CheckpointCause::Turn,
            run: "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            turn: Some(3),
            event: Some(57),
            conversation: Some("c-1".to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(parse(&to_message(7, &moment())), Some((7, moment())));
        for cause in CheckpointCause::ALL {
            let bare = CheckpointMoment::of(moment().run, cause);
            assert_eq!(parse(&to_message(1, &bare)), Some((1, bare)));
        }
    }

    #[test]
    fn an_agents_id_adds_no_line() {
        let odd = CheckpointMoment { conversation: Some("x\nCause: end".to_owned()), ..moment() };
        let read = parse(&to_message(1, &odd)).unwrap().1;
        assert_eq!((read.cause, read.conversation), (CheckpointCause::Turn, None));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            parse(&text);
        }
    }
}
