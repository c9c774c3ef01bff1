//! The tools `list_sources` and `ask_sources`.

use agency_engine::ask::AskRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::tool::{Call, Nothing};
use crate::output::activity_words;
use crate::problem::Problem;
use crate::view::{Answered, SourceList};

/// What `ask_sources` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// The names of the sources, as list_sources has them; at least one.
    sources: Vec<String>,
    /// What is asked, with everything that the agent has to know.
    question: String,
}

/// The sources by name.
pub(super) fn list(call: &Call) -> Result<Reply, Problem> {
    let Nothing {} = call.input()?;
    Reply::new(&SourceList::read(&call.context)?)
}

/// Asks, and waits for the answer.
pub(super) fn ask(call: &Call) -> Result<Reply, Problem> {
    let Question { sources, question } = call.input()?;
    let mut runner = call.context.subagent_runner()?;
    let request = AskRequest {
        sources,
        question,
        current_directory: call.context.current_directory()?,
        // An agent that answers an ask has this in its environment, and may not ask another.
        environment: std::env::vars_os().collect(),
        ..AskRequest::default()
    };
    call.tell("asking".to_owned());
    let mut hear = |event: &agency_model::Event| {
        if let Some(words) = activity_words(event) {
            call.tell(words);
        }
    };
    let answered = Answered::new(runner.ask(&request, &mut hear, &call.unwanted)?);
    let words = answered.answer.clone();
    Reply::describe_fact(&answered, words)
}
