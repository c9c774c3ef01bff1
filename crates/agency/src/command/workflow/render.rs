//! `agency workflow render`: the prompt of a step.

use std::path::Path;
use std::process::ExitCode;

use agency_engine::workflow::{TaskFrom, load, read_task, render};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// What to render.
pub(crate) struct RenderRequest<'args> {
    pub(crate) file: &'args Path,
    pub(crate) step: &'args str,
    pub(crate) goal: Option<&'args str>,
    pub(crate) task: &'args TaskFrom,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Prompt {
    file: String,
    step: String,
    /// The prompt of the step.
    text: String,
    /// What only running will know, as it stands in the text.
    unknown: Vec<String>,
}

pub(crate) fn run(request: &RenderRequest<'_>, context: &Context) -> Result<ExitCode, Problem> {
    let project = super::project()?;
    let file = project.workflow_file(request.file)?;
    let task = read_task(&project, request.task)?;
    let loaded = load(&project, &file, &context.config()?, Some(&task))?;
    let rendered = render(&loaded, request.step, &task, request.goal)?;
    if !rendered.unknown.is_empty() {
        context.say(&format!("known only when it runs: {}", rendered.unknown.join(", ")));
    }
    let prompt = Prompt {
        file: loaded.plan.file.clone(),
        step: request.step.to_owned(),
        text: rendered.text,
        unknown: rendered.unknown,
    };
    context.answer(&prompt, |out| writeln!(out, "{}", prompt.text.trim_end_matches('\n')))
}
