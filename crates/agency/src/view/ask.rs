//! The answer to a question about sources.

use agency_engine::ask::Answer;
use agency_model::{RunId, Usage};
use schemars::JsonSchema;
use serde::Serialize;

/// An answer, with what it took.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    /// What the agent answered.
    pub(crate) answer: String,
    /// The sources it had.
    sources: Vec<String>,
    /// What the model consumed, where the agent reports it.
    usage: Option<Usage>,
    /// How many seconds it took.
    duration: f64,
    /// The run that gave it.
    run: RunId,
}

impl Answered {
    pub(crate) fn new(answer: Answer) -> Self {
        Self {
            answer: answer.answer,
            sources: answer.sources,
            usage: (!answer.usage.is_empty()).then_some(answer.usage),
            duration: answer.duration.as_secs_f64(),
            run: answer.run,
        }
    }
}
