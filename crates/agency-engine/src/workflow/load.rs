//! Reads a workflow with everything it uses.

use std::path::Path;
use std::sync::Arc;

use agency_model::template::{Spell, Spellbook};
use agency_model::workflow::{MAX_WORKFLOW_BYTES, Partly, Plan, Surrounding, Task, check_workflow, parse_partly};

use super::WorkflowError;
use super::project::{Project, read};
use crate::config::Config;

/// A workflow that can be run.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Loaded {
    /// What is done.
    pub plan: Arc<Plan>,
    /// The spells of the project.
    pub spells: Arc<Spellbook>,
    /// The system prompt.
    pub system_prompt: Spell,
}

/// Reads a workflow file and checks it and all that it uses; a task may have more fields than every task has.
pub fn load(project: &Project, file: &Path, config: &Config, task: Option<&Task>) -> Result<Loaded, WorkflowError> {
    let bytes = read(file, MAX_WORKFLOW_BYTES)?;
    let shown = project.shown(file);
    let spells = project.spells()?;
    let system_prompt = project.system_prompt()?;
    let Partly { plan, mut mistakes, unread } = parse_partly(&shown, &bytes);
    let adapters: Vec<&str> = config.agents.keys().map(String::as_str).collect();
    let task_fields: Vec<&str> = task.map(|task| task.fields().collect()).unwrap_or_default();
    let surrounding = Surrounding {
        adapters: &adapters,
        spells: &spells,
        system_prompt: &system_prompt,
        task_fields: &task_fields,
        unread: &unread,
    };
    if let Some(plan) = &plan {
        mistakes.extend(check_workflow(plan, &String::from_utf8_lossy(&bytes), &surrounding));
        mistakes.sort();
    }
    match plan {
        Some(plan) if mistakes.is_empty() => {
            Ok(Loaded { plan: Arc::new(plan), spells: Arc::new(spells), system_prompt })
        }
        Some(_) | None => Err(WorkflowError::Invalid(mistakes.into())),
    }
}
