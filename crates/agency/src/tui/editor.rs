//! A text that is being written, and what it is for.

use agency_engine::store::{QuestionRow, RunRow};
use agency_model::review::{CommentPlace, Side};
use agency_model::{Answer, escaped_line};

use super::detail::Commented;
use super::effect::label;
use super::inbox::own_words;
use super::text_input::{Cursor, TextInput};

/// What a text is for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EditPurpose {
    /// An answer in own words.
    Answer(Box<QuestionRow>),
    /// A message to a run, or the prompt that continues a finished one.
    Message(Box<RunRow>),
    /// A comment on what a run changed.
    Comment(Box<RunRow>, Commented),
}

impl EditPurpose {
    /// What a draft is kept by.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Answer(question) => question.id.to_string(),
            Self::Message(row) => row.id.to_string(),
            Self::Comment(row, about) => format!("{} {}", row.id, place(about)),
        }
    }

    /// What stands above the text.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Answer(row) => match own_words(&row.question, String::new()) {
                Answer::Deny { .. } => format!("Deny, and say why: {}", row.question.title),
                Answer::Allow { .. } | Answer::AllowAll | Answer::Options { .. } | Answer::Text { .. } => {
                    format!("Answer: {}", row.question.title)
                }
            },
            Self::Message(row) if row.state.is_terminal() => {
                format!("{} is {}: resume it in a new run", label(row), row.state)
            }
            Self::Message(row) => format!("Message to {}", label(row)),
            Self::Comment(_, about) => format!("Comment on {}: {}", place(about), escaped_line(about.text.trim())),
        }
    }
}

/// The file and the line of a comment.
fn place(about: &Commented) -> String {
    let CommentPlace { path, side, lines } = &about.place;
    match (lines, side) {
        (None, _) => path.clone(),
        (Some(lines), Side::New) => format!("{path}:{lines}"),
        (Some(lines), Side::Old) => format!("{path}:-{lines}"),
    }
}

/// A text that is being written.
#[derive(Debug)]
pub(super) struct Editor {
    pub(super) purpose: EditPurpose,
    pub(super) title: String,
    pub(super) writing: TextInput,
}

impl Editor {
    pub(super) fn new(purpose: EditPurpose, text: &str) -> Self {
        let mut writing = TextInput::lines(text, "");
        writing.show_cursor(Cursor::Shown);
        Self { title: purpose.title(), purpose, writing }
    }

    /// What is written.
    pub(super) fn text(&self) -> String {
        self.writing.text()
    }
}
