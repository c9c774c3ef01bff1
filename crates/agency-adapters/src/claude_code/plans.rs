//! The plans that Claude Code makes. It asks whether a plan is right without repeating it.

use agency_model::Event;
use serde_json::Value;

/// The tool by which it shows a plan.
pub(super) const PLAN: &str = "ExitPlanMode";
/// A longer plan is not remembered.
const MAX_PLAN_BYTES: usize = 1024 * 1024;

/// The last plan, and where it was seen.
#[derive(Debug, Default)]
pub(super) struct Plans {
    /// By the id of the tool use that shows it.
    shown: Option<(String, String)>,
    /// In the file in which it keeps its plan.
    written: Option<String>,
}

impl Plans {
    /// Remembers the plan that a tool is given.
    pub(super) fn observe(&mut self, event: &Event) {
        let Event::ToolUse { tool_name, input, tool_id, .. } = event else { return };
        let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| text.len() <= MAX_PLAN_BYTES);
        if let (PLAN, Some(plan), Some(id)) = (tool_name.as_str(), text("plan"), tool_id) {
            self.shown = Some((id.clone(), plan.to_owned()));
        }
        let in_plan_file = text("file_path").is_some_and(|path| path.contains("/.claude/plans/"));
        match (tool_name.as_str(), in_plan_file) {
            ("Write", true) => self.written = text("content").map(str::to_owned),
            ("Edit", true) => {
                let edit = text("old_string").zip(text("new_string"));
                if let (Some(plan), Some((old, new))) = (&mut self.written, edit) {
                    *plan = plan.replacen(old, new, 1);
                }
            }
            _ => {}
        }
    }

    /// The plan that a request is about.
    pub(super) fn of_request(&self, tool_use_id: Option<&str>, input: &Value) -> Option<String> {
        let told = input.get("plan").and_then(Value::as_str);
        let shown = || self.shown.as_ref().filter(|(id, _)| Some(id.as_str()) == tool_use_id).map(|(_, plan)| plan);
        told.or_else(|| shown().map(String::as_str)).or(self.written.as_deref()).map(str::to_owned)
    }
}
