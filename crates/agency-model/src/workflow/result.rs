//! The result of a step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::string_enum::string_enum;

/// How much of what a step printed is kept for templates and checkpoints: its last lines.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// A last line may be longer than that, up to what a template can give.
pub const MAX_LINE_BYTES: usize = crate::template::MAX_RENDERED_BYTES;

string_enum! {
    /// How a step ended.
    StepStatus {
        /// It succeeded.
        Succeeded = "success",
        /// It failed.
        Failed = "failed",
        /// It did not run.
        Skipped = "skipped",
    }
}

/// The result of a step.
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
    /// What it printed, or the final answer of an agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The exit code of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// In which iteration a loop is, or ended.
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
            "status": self.status.as_str(),
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

/// The last whole lines of a text. A last line that is longer than those may be is kept whole, since it is data rather
/// than a log; of one that is too long even for that, its end is kept and says what is missing.
fn kept(printed: &str) -> String {
    if printed.len() <= MAX_OUTPUT_BYTES {
        return printed.to_owned();
    }
    let end = end_of(printed, MAX_OUTPUT_BYTES);
    // The newline at the very end begins no line.
    if let Some((_, whole_lines)) = end.split_once('\n').filter(|(_, lines)| !lines.is_empty()) {
        return whole_lines.to_owned();
    }
    let without_newline = printed.strip_suffix('\n').unwrap_or(printed);
    let last_line = without_newline.rfind('\n').and_then(|newline| printed.get(newline + 1..)).unwrap_or(printed);
    if last_line.len() <= MAX_LINE_BYTES {
        return last_line.to_owned();
    }
    format!("[a line of more than {MAX_LINE_BYTES} bytes; its end:] {end}")
}

/// So many bytes of the end of a text, or a few less.
fn end_of(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
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
        // Exactly as much as is kept loses nothing.
        let full = format!("first\n{}\n", "x".repeat(MAX_OUTPUT_BYTES - 7));
        assert_eq!((full.len(), StepResult::success("").with_output(&full).output), (MAX_OUTPUT_BYTES, full));
    }

    #[test]
    fn a_long_last_line_is_kept_whole_and_one_that_is_too_long_says_so() {
        let output = |text: &str| StepResult::success("").with_output(text).output;
        for end in ["", "\n"] {
            let line = format!("{}{end}", "é".repeat(MAX_OUTPUT_BYTES));
            assert_eq!(output(&line), line);
            assert_eq!(output(&format!("before\n{line}")), line);
            assert_eq!(output(&format!("{}\nafter{end}", line.trim_end())), format!("after{end}"));
            let too_long = format!("{}{end}", "x".repeat(MAX_LINE_BYTES + 1));
            let kept = output(&too_long);
            assert!(kept.starts_with("[a line of more than 4194304 bytes; its end:] xxx"), "{kept:.80}");
            assert!(kept.ends_with(&format!("xxx{end}")) && kept.len() < MAX_OUTPUT_BYTES + 100, "{}", kept.len());
        }
    }
}
