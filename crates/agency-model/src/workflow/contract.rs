//! What an agent says at its end: the last JSON code block of its words.
//!
//! The one rule: whatever it said, there is a result, and a failure says why.

use serde_json::{Map, Value};

use super::{Contract, StepResult, StepStatus};

/// The longest answer of an agent that is read.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// What an agent says of its work.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentOutput {
    /// Whether it did what its prompt asked for.
    pub success: bool,
    /// What it did.
    pub summary: String,
    /// Values for later steps.
    pub outputs: Map<String, Value>,
    /// Why it did not.
    pub error: Option<String>,
}

/// Why an agent's text is not a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// There is no block.
    #[error("the agent's answer did not end with a JSON code block that contains its result")]
    Missing,
    /// There is no block in the part of the answer that is read.
    #[error(
        "the agent's answer is longer than {} MB, and its last {} MB contain no complete JSON code block with \
         its result; let it write large results to a file",
        MAX_ANSWER_BYTES >> 20, MAX_ANSWER_BYTES >> 20
    )]
    TooLong,
    /// The block is not a JSON object of the right shape.
    #[error("the agent's JSON block cannot be used: {0}")]
    Wrong(String),
}

impl AgentOutput {
    /// Reads the last JSON code block of an agent's words.
    pub fn read(words: &str) -> Result<Self, OutputError> {
        let mut from = words.len().saturating_sub(MAX_ANSWER_BYTES);
        while !words.is_char_boundary(from) {
            from += 1;
        }
        let missing = || if words.len() < MAX_ANSWER_BYTES { OutputError::Missing } else { OutputError::TooLong };
        let block = last_block(words.get(from..).unwrap_or_default()).ok_or_else(missing)?;
        let value: Value = serde_json::from_str(&block).map_err(|error| OutputError::Wrong(error.to_string()))?;
        Self::from_value(value)
    }

    fn from_value(value: Value) -> Result<Self, OutputError> {
        let wrong = |message: &str| Err(OutputError::Wrong(message.to_owned()));
        let Value::Object(mut object) = value else { return wrong("it is not an object") };
        let Some(Value::Bool(success)) = object.get("success").cloned() else {
            return wrong("`success` has to be true or false");
        };
        let mut text = |name: &str| match object.remove(name) {
            Some(Value::String(text)) => Ok(Some(text)),
            None | Some(Value::Null) => Ok(None),
            Some(_) => Err(OutputError::Wrong(format!("`{name}` has to be a text"))),
        };
        let summary = text("summary")?.unwrap_or_default();
        let error = text("error")?;
        let outputs = match object.remove("outputs") {
            Some(Value::Object(outputs)) => outputs,
            None | Some(Value::Null) => Map::new(),
            Some(_) => return wrong("`outputs` has to be an object"),
        };
        Ok(Self { success, summary, outputs, error })
    }
}

/// The result of an agent whose process exited with 0, from its last output.
#[must_use]
pub fn judge(words: &str, contract: Contract) -> StepResult {
    let result = match (AgentOutput::read(words), contract) {
        (Ok(said), _) if said.success => {
            StepResult { summary: said.summary, outputs: said.outputs, ..StepResult::of(StepStatus::Succeeded) }
        }
        (Ok(said), _) => {
            let why = said.error.clone().filter(|error| !error.trim().is_empty()).unwrap_or_else(|| {
                if said.summary.is_empty() { "the agent reported a failure".to_owned() } else { said.summary.clone() }
            });
            StepResult { summary: said.summary, outputs: said.outputs, ..StepResult::failure(why) }
        }
        (Err(error), Contract::Required) => StepResult::failure(error.to_string()),
        // The prompt did not ask for a block; what looks like one may be about something else.
        (Err(_), Contract::Optional) => StepResult::of(StepStatus::Succeeded),
    };
    result.with_output(words)
}

/// The content of the last code block that is JSON by its label, or has none and looks like an object. Words that are an
/// object as a whole are one too.
fn last_block(words: &str) -> Option<String> {
    let mut last = None;
    let mut open: Option<Fence> = None;
    for line in words.lines() {
        match open.take() {
            Some(fence) if fence.is_closed_by(line) => last = fence.json().or(last),
            // An earlier block without an end does not hide the one that counts.
            Some(fence) if Fence::opened_by(line).is_some_and(|inner| inner.replaces(&fence)) => {
                open = Fence::opened_by(line);
            }
            Some(mut fence) => {
                fence.content.push_str(line);
                fence.content.push('\n');
                open = Some(fence);
            }
            None => open = Fence::opened_by(line),
        }
    }
    // An agent that was cut off may not have closed it.
    let unclosed = open.and_then(Fence::json);
    let whole = words.trim();
    unclosed.or(last).or_else(|| (whole.starts_with('{') && whole.ends_with('}')).then(|| whole.to_owned()))
}

struct Fence {
    mark: char,
    length: usize,
    label: String,
    content: String,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let label = line.trim_start_matches(mark);
        let length = line.len() - label.len();
        (length >= 3).then(|| Self { mark, length, label: label.trim().to_lowercase(), content: String::new() })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|letter| letter == self.mark)
    }

    fn replaces(&self, outer: &Self) -> bool {
        self.mark == outer.mark && self.length >= outer.length && self.is_labelled_json()
    }

    fn is_labelled_json(&self) -> bool {
        self.label == "json" || self.label.starts_with("json ")
    }

    fn json(self) -> Option<String> {
        let by_look = self.label.is_empty() && self.content.trim_start().starts_with('{');
        (self.is_labelled_json() || by_look).then_some(self.content)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(json: &str) -> String {
        format!("I am done.\n\n```json\n{json}\n```\n")
    }

    // proves W8
    #[test]
    fn agent_output_format() {
        let said = judge(
            &block(r#"{"success": true, "summary": "Fixed", "outputs": {"files": ["a.rs"]}}"#),
            Contract::Required,
        );
        assert_eq!((said.status, said.summary.as_str()), (StepStatus::Succeeded, "Fixed"));
        assert_eq!(said.outputs["files"][0], "a.rs");
    }

    // proves W8
    #[test]
    fn output_parsing() {
        let words = format!("{}and again\n{}", block(r#"{"success": false}"#), block(r#"{"success": true}"#));
        assert_eq!(judge(&words, Contract::Required).status, StepStatus::Succeeded);
        for words in [
            "```\n{\"success\": true}\n```",
            "  ~~~~ JSON\n{\"success\": true}\n~~~~",
            "```json\n{\"success\": true}",
            " {\"success\": true, \"more\": 1} ",
            "```rust\nfn never_closed() {\n\n```json\n{\"success\": true}\n```",
            "```json\n{\"success\": true}\n```\n```rust\nfn main() {}\n```",
        ] {
            assert_eq!(judge(words, Contract::Required).status, StepStatus::Succeeded, "{words}");
        }
    }

    // proves W8
    #[test]
    fn missing_output() {
        for (words, why) in [
            ("All done!", "did not end with a JSON code block"),
            ("```rust\n{}\n```", "did not end with a JSON code block"),
            ("", "did not end with a JSON code block"),
            ("```json\nnot json\n```", "cannot be used: expected"),
            ("```json\n[]\n```", "it is not an object"),
            ("```json\n{\"success\": \"yes\"}\n```", "`success` has to be true or false"),
            ("```json\n{\"success\": true, \"summary\": 5}\n```", "`summary` has to be a text"),
            ("```json\n{\"success\": true, \"outputs\": []}\n```", "`outputs` has to be an object"),
            ("```json\n{\"success\": true}\n```\n```json\n{oops\n```", "cannot be used"),
        ] {
            let result = judge(words, Contract::Required);
            assert_eq!(result.status, StepStatus::Failed, "{words}");
            let error = result.error.unwrap_or_default();
            assert!(error.contains(why), "{words}: {error}");
        }
    }

    // proves W8
    #[test]
    fn success_false_always_fails_the_step() {
        for contract in [Contract::Required, Contract::Optional] {
            let result = judge(&block(r#"{"success": false, "summary": "s", "error": "no network"}"#), contract);
            assert_eq!((result.status, result.error.as_deref()), (StepStatus::Failed, Some("no network")));
        }
        let silent = judge(&block(r#"{"success": false}"#), Contract::Required);
        assert_eq!(silent.error.as_deref(), Some("the agent reported a failure"));
        assert_eq!(judge("fine", Contract::Optional).status, StepStatus::Succeeded);
    }

    #[test]
    fn a_large_block_is_read_and_one_that_is_too_large_is_refused_with_the_limit() {
        let of = |bytes: usize| block(&format!(r#"{{"success": true, "summary": "{}"}}"#, "x".repeat(bytes)));
        let large = AgentOutput::read(&of(5 << 20)).unwrap();
        assert_eq!(large.summary.len(), 5 << 20);
        let error = AgentOutput::read(&of(MAX_ANSWER_BYTES)).unwrap_err();
        assert_eq!(error, OutputError::TooLong);
        assert!(error.to_string().contains("longer than 64 MB"), "{error}");
        // What comes before the part that is read does not matter.
        let chatty = format!("{}{}", "x\n".repeat(MAX_ANSWER_BYTES / 2), of(10));
        assert_eq!(AgentOutput::read(&chatty).unwrap().summary.len(), 10);
    }

    proptest! {
        #[test]
        fn no_words_stop_it(words in "[`~a-z{}\":, \n]{0,300}") {
            let _ = judge(&words, Contract::Required);
        }
    }
}
