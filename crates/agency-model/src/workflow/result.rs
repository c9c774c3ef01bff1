//! What came of a step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::launch::words;
use schemars::JsonSchema;

/// So much of what a step printed is kept for templates and checkpoints, its end.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;

words! {
    /// How a step ended.
    StepStatus {
        /// Well.
        Succeeded = "success",
        /// Badly.
        Failed = "failed",
        /// It was not its turn.
        Skipped = "skipped",
    }
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// How it ended.
    pub status: StepStatus,
    /// What was done, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Values for later steps.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it printed, or the last words of an agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The exit code of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// In which round a loop is, or ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
}

/// The fields of a result that templates can name; a loop has `iteration` too.
pub const RESULT_FIELDS: &[&str] =
    &["success", "failed", "skipped", "status", "summary", "outputs", "error", "output", "exit_code"];

impl StepResult {
    /// A step that ended well.
    #[must_use]
    pub fn success(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..Self::of(StepStatus::Succeeded) }
    }

    /// A step that failed.
    #[must_use]
    pub fn failure(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::of(StepStatus::Failed) }
    }

    /// A result that says nothing but how it ended.
    #[must_use]
    pub fn of(status: StepStatus) -> Self {
        Self {
            status,
            summary: String::new(),
            outputs: Map::new(),
            error: None,
            output: String::new(),
            exit_code: None,
            iteration: None,
        }
    }

    /// The same with the end of what was printed.
    #[must_use]
    pub fn with_output(self, printed: &str) -> Self {
        Self { output: kept(printed), ..self }
    }

    /// As templates see it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "success": self.status == StepStatus::Succeeded,
            "failed": self.status == StepStatus::Failed,
            "skipped": self.status == StepStatus::Skipped,
            "status": self.status.word(),
            "summary": self.summary,
            "outputs": self.outputs,
            "error": self.error,
            "output": self.output,
            "exit_code": self.exit_code,
        });
        if let (Some(iteration), Some(object)) = (self.iteration, value.as_object_mut()) {
            object.insert("iteration".to_owned(), iteration.into());
        }
        value
    }
}

/// The end of a text, from the beginning of a line where there is one.
fn kept(printed: &str) -> String {
    let Some(mut from) = printed.len().checked_sub(MAX_OUTPUT_BYTES) else { return printed.to_owned() };
    while !printed.is_char_boundary(from) {
        from += 1;
    }
    let end = printed.get(from..).unwrap_or_default();
    end.split_once('\n').map_or(end, |(_, whole_lines)| whole_lines).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_those_that_templates_get() {
        let value = StepResult::success("done").to_value();
        let names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, RESULT_FIELDS);
    }

    #[test]
    fn of_much_output_the_end_is_kept() {
        let much = format!("{}\nlast é", "é".repeat(MAX_OUTPUT_BYTES));
        assert_eq!(StepResult::success("").with_output(&much).output, "last é");
        assert_eq!(StepResult::success("").with_output("short\n").output, "short\n");
        let one_line = "é".repeat(MAX_OUTPUT_BYTES);
        assert!(StepResult::success("").with_output(&one_line).output.len() <= MAX_OUTPUT_BYTES);
    }
}
