//! A text that is being written, and what it is for.

use agency_engine::store::{QuestionRow, RunRow};
use agency_model::Answer;
use ratatui::style::{Modifier, Style};
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

use super::effect::label;
use super::inbox::own_words;

/// What a text is for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Purpose {
    /// An answer in own words.
    Answer(Box<QuestionRow>),
    /// A message to a run, or how one that is over goes on.
    Message(Box<RunRow>),
}

impl Purpose {
    /// What a draft is kept by.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Answer(question) => question.id.to_string(),
            Self::Message(row) => row.id.to_string(),
        }
    }

    /// What stands above the text.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Answer(row) => match own_words(&row.question, String::new()) {
                Answer::Deny { .. } => format!("Deny, and say why: {}", row.question.title),
                Answer::Allow | Answer::AllowAll | Answer::Options { .. } | Answer::Text { .. } => {
                    format!("Answer: {}", row.question.title)
                }
            },
            Self::Message(row) if row.state.is_terminal() => {
                format!("{} is {}: go on with it by a new run", label(row), row.state)
            }
            Self::Message(row) => format!("Message to {}", label(row)),
        }
    }
}

/// A text that is being written.
#[derive(Debug)]
pub(super) struct Editor {
    pub(super) purpose: Purpose,
    pub(super) title: String,
    pub(super) area: TextArea<'static>,
}

impl Editor {
    pub(super) fn new(purpose: Purpose, text: &str) -> Self {
        Self { title: purpose.title(), purpose, area: area(text) }
    }

    /// What is written.
    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Takes another text.
    pub(super) fn set(&mut self, text: &str) {
        self.area = area(text);
    }

    /// Puts a text where the cursor is.
    pub(super) fn insert(&mut self, text: &str) {
        self.area.insert_str(harmless(text));
    }
}

fn area(text: &str) -> TextArea<'static> {
    let text = harmless(text);
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_cursor_line_style(Style::new());
    area.set_cursor_style(Style::new().add_modifier(Modifier::REVERSED));
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

/// A text as people write it: what moves a cursor has no place in it.
fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}
