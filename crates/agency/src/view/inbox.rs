//! The open questions of all runs.

use agency_engine::agency::Agency;
use schemars::JsonSchema;
use serde::Serialize;

use super::QuestionView;
use crate::problem::Problem;

/// The answer of `agency inbox`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    pub(crate) questions: Vec<QuestionView>,
}

impl Inbox {
    /// The questions that wait for an answer.
    pub(crate) fn read(agency: &mut Agency) -> Result<Self, Problem> {
        let rows = agency.inbox()?;
        Ok(Self { questions: rows.into_iter().map(|row| QuestionView::new(row, agency)).collect() })
    }
}
