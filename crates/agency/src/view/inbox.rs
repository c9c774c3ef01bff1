//! The open questions and comments of all runs.

use std::io::{self, Write};

use agency_engine::agency::Agency;
use agency_engine::store::RunRow;
use agency_model::{RunId, shell_quoted};
use schemars::JsonSchema;
use serde::Serialize;

use super::QuestionView;
use crate::problem::Problem;

/// The answer of `agency inbox`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    pub(crate) questions: Vec<QuestionView>,
    /// The runs whose work has comments that wait for something.
    pub(crate) comments: Vec<OpenComments>,
}

/// The comments on the work of one run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenComments {
    run_id: RunId,
    name: Option<String>,
    /// How many were not sent to the agent.
    open: u32,
    /// How many were sent and not seen to be addressed.
    sent: u32,
}

impl Inbox {
    /// The questions that wait for an answer, and the comments that wait to be sent or addressed.
    pub(crate) fn read(agency: &mut Agency) -> Result<Self, Problem> {
        let rows = agency.inbox()?;
        let comments = agency.runs_with_comments()?;
        Ok(Self {
            questions: rows.into_iter().map(|row| QuestionView::new(row, agency)).collect(),
            comments: comments.into_iter().map(|(row, open, sent)| OpenComments::new(row, open, sent)).collect(),
        })
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.questions.is_empty() {
            writeln!(out, "No open questions.")?;
        }
        for (index, question) in self.questions.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            question.write(out, false)?;
        }
        if !self.comments.is_empty() {
            writeln!(out)?;
        }
        self.comments.iter().try_for_each(|comments| comments.write(out))
    }
}

impl OpenComments {
    fn new(row: RunRow, open: u32, sent: u32) -> Self {
        Self { run_id: row.id, name: row.name, open, sent }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let label = self.name.as_deref().unwrap_or(self.run_id.as_str());
        let counted = |count: u32, what: &str| match count {
            0 => None,
            1 => Some(format!("1 comment {what}")),
            _ => Some(format!("{count} comments {what}")),
        };
        let counts: Vec<String> =
            [counted(self.open, "to send"), counted(self.sent, "not addressed")].into_iter().flatten().collect();
        writeln!(out, "{label}: {}   agency review {}", counts.join(", "), shell_quoted(label))
    }
}
