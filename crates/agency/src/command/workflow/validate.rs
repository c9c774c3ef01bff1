//! `agency workflow validate`: every problem of workflow files, before anything runs.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::workflow::{WorkflowError, load};
use agency_model::ErrorCode;
use agency_model::document::Mistake;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::{Problem, problems};

/// The answer, if nothing is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Validation {
    workflows: Vec<Valid>,
}

/// A workflow that can be run.
#[derive(Debug, Serialize, JsonSchema)]
struct Valid {
    file: String,
    name: String,
    description: Option<String>,
    /// How many steps it has, those inside others too.
    steps: usize,
}

pub(crate) fn run(files: &[PathBuf], context: &Context) -> Result<ExitCode, Problem> {
    let project = super::project()?;
    let config = context.config()?;
    let files = if files.is_empty() {
        project.workflow_files()?
    } else {
        files.iter().map(|file| project.workflow_file(file)).collect::<Result<_, _>>()?
    };
    if files.is_empty() {
        let message = format!("there are no workflows in {}", project.root().display());
        return Err(Problem::new(ErrorCode::InvalidPath, message).hint("agency init writes two to begin with"));
    }
    let (mut workflows, mut wrong): (Vec<Valid>, Vec<Mistake>) = (vec![], vec![]);
    for file in files {
        match load(&project, &file, &config, None) {
            Ok(loaded) => workflows.push(Valid {
                file: loaded.plan.file.clone(),
                name: loaded.plan.name.clone(),
                description: loaded.plan.description.clone(),
                steps: loaded.plan.all_steps().count(),
            }),
            Err(WorkflowError::Invalid(found)) => wrong.extend(found),
            Err(other) => return Err(other.into()),
        }
    }
    if !wrong.is_empty() {
        return Err(problems(&wrong));
    }
    let validation = Validation { workflows };
    context.answer(&validation, |out| {
        validation.workflows.iter().try_for_each(|Valid { file, name, steps, .. }| {
            let word = if *steps == 1 { "step" } else { "steps" };
            writeln!(out, "{file}: {name}, {steps} {word}, no mistakes")
        })
    })
}
