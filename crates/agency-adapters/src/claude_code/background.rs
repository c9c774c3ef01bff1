//! What Claude Code does beside its conversation: sub-agents and commands that it does not wait for.

use agency_model::{Event, TaskStatus};
use serde::Deserialize;

use crate::StreamItem;
use crate::json_lines::NotUnderstood;

#[derive(Deserialize)]
struct Changed {
    tasks: Vec<ListedTask>,
}

#[derive(Deserialize)]
struct ListedTask {}

#[derive(Deserialize)]
struct BackgroundTask {
    task_id: String,
    tool_use_id: Option<String>,
    description: Option<String>,
    summary: Option<String>,
    status: Option<String>,
}

/// The list of what still runs.
pub(super) fn changed(object: &str) -> Result<StreamItem, NotUnderstood> {
    let Changed { tasks } = serde_json::from_str(object)?;
    Ok(StreamItem::BackgroundTasks(tasks.len()))
}

/// One task: `task_started`, `task_progress` or `task_notification`, which is its end.
pub(super) fn task(subtype: &str, object: &str) -> Result<StreamItem, NotUnderstood> {
    let BackgroundTask { task_id, tool_use_id, description, summary, status } = serde_json::from_str(object)?;
    let status = match (subtype, status.as_deref()) {
        ("task_started", _) => TaskStatus::Started,
        ("task_progress", _) => TaskStatus::Running,
        (_, Some("completed")) => TaskStatus::Completed,
        (_, Some("failed")) => TaskStatus::Failed,
        (_, Some("stopped" | "killed")) => TaskStatus::Stopped,
        _ => return Err(NotUnderstood),
    };
    let description = summary.or(description).unwrap_or_default();
    Ok(StreamItem::Event(Event::Task { task_id, status, description, tool_id: tool_use_id }))
}
