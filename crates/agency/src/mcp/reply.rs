//! What a call is answered: facts for programs and words for models, or what went wrong.

use agency_model::ErrorCode;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::problem::Problem;

/// The answer to a call that went well.
#[derive(Debug)]
pub(super) struct Reply {
    facts: Value,
    words: String,
}

impl Reply {
    /// An answer whose words are its facts.
    pub(super) fn new(facts: &impl Serialize) -> Result<Self, Problem> {
        let facts = serde_json::to_value(facts)
            .map_err(|error| Problem::new(ErrorCode::Io, format!("the answer cannot be written: {error}")))?;
        Ok(Self { words: facts.to_string(), facts })
    }

    /// An answer that is better read as text.
    pub(super) fn describe_fact(facts: &impl Serialize, words: String) -> Result<Self, Problem> {
        Ok(Self { words, ..Self::new(facts)? })
    }
}

/// The same as the protocol has it. A problem has no structured content: that would have to be of the tool's schema.
pub(super) fn result(reply: Result<Reply, Problem>) -> CallToolResult {
    match reply {
        Ok(reply) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(reply.words)]);
            result.structured_content = Some(reply.facts);
            result
        }
        Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem.error_object().to_string())]),
    }
}
