//! How far the steps of a plan and the tasks of an agent have come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Event;
use crate::string_enum::string_enum;

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// How far it has come.
    pub status: StepStatus,
}

string_enum! {
    /// How far a step of a plan has come.
    StepStatus {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

string_enum! {
    /// How far a background task has come.
    TaskStatus {
        /// It has just begun.
        Started = "started",
        /// It runs.
        Running = "running",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped before its end.
        Stopped = "stopped",
    }
}

impl Event {
    /// The plan as text, one step per line; none if this is not a plan, or an empty one.
    #[must_use]
    pub fn plan_text(&self) -> Option<String> {
        let Self::Plan { steps, text } = self else { return None };
        let steps = steps.iter().map(|step| {
            let mark = match step.status {
                StepStatus::Pending => ' ',
                StepStatus::InProgress => '>',
                StepStatus::Completed => 'x',
            };
            format!("[{mark}] {}", step.text)
        });
        let lines: Vec<String> = text.iter().map(|text| text.trim_end().to_owned()).chain(steps).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
