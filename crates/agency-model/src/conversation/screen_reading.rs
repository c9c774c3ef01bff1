//! What was read from the agent's screen.

use crate::{Activity, QuestionKey};

/// What was read from the screen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ScreenReading {
    /// The key of the dialog that asks.
    pub dialog: Option<QuestionKey>,
    /// What the agent is doing.
    pub activity: Activity,
    /// The rule that says so, and the text that it found.
    pub evidence: String,
    /// The line of that text.
    pub line: Option<u32>,
    /// Whether any rule describes the screen.
    pub recognised: bool,
    /// Whether keys are still being typed.
    pub typing: bool,
    /// Whether the message that was typed last is shown, and not in the prompt any more.
    pub shows_message: bool,
    /// What the present process itself has drawn, while that is kept apart.
    pub new_screen: Option<NewScreen>,
}

/// What a new process has drawn. The one before left its own screen, which may look ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NewScreen {
    /// What it is doing.
    pub activity: Activity,
    /// Whether a line of the screen says so: a title is set before there is anything to type into.
    pub by_line: bool,
    /// Whether its terminal takes pasted text.
    pub takes_text: bool,
}

impl NewScreen {
    /// Whether it shows a screen into which a message can be typed.
    pub(super) const fn is_understood(self) -> bool {
        match self.activity {
            Activity::Idle | Activity::Thinking | Activity::Writing | Activity::RunningCommand => self.by_line,
            Activity::Setup | Activity::Starting | Activity::WaitingForUser | Activity::Unknown => false,
        }
    }
}
