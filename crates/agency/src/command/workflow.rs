//! `agency workflow`: checks workflows, and shows what their agents are told.

mod render;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::workflow::{Project, TaskFrom};
use agency_model::ErrorCode;

pub(crate) use render::Prompt;
pub(crate) use validate::Validation;

use crate::context::Context;
use crate::problem::Problem;

/// Check workflows, and show what their agents would be told
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency init\n  \
    agency workflow validate\n  \
    agency workflow render implement-test-merge --step implement --title \"Fix the login\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Name every problem of workflow files, with its line, before anything runs
    Validate {
        /// Workflow files, or names of workflows of this project; without any, all of them
        files: Vec<PathBuf>,
    },
    /// Print what a step would be told, without running anything
    Render {
        /// A workflow file, or the name of a workflow of this project
        file: PathBuf,
        /// The step
        #[arg(long, value_name = "NAME")]
        step: String,
        /// What is to be reached, instead of the goal of the file
        #[arg(long, value_name = "TEXT")]
        goal: Option<String>,
        #[command(flatten)]
        task: TaskArgs,
    },
}

/// The task that a workflow is run over.
#[derive(Debug, clap::Args)]
pub(crate) struct TaskArgs {
    /// The title of the task
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["task_file", "bead"])]
    title: Option<String>,
    /// What else there is to say about it
    #[arg(long, value_name = "TEXT", requires = "title")]
    body: Option<String>,
    /// Read the task from a JSON or YAML file
    #[arg(long, value_name = "FILE", conflicts_with = "bead")]
    task_file: Option<PathBuf>,
    /// Take a bead as the task: from bd, or from .beads/issues.jsonl
    #[arg(long, value_name = "ID")]
    bead: Option<String>,
}

impl TaskArgs {
    /// Where the task comes from.
    pub(crate) fn from(&self) -> TaskFrom {
        match (&self.title, &self.task_file, &self.bead) {
            (Some(title), _, _) => {
                TaskFrom::Words { title: title.clone(), body: self.body.clone().unwrap_or_default() }
            }
            (None, Some(file), _) => TaskFrom::File(file.clone()),
            (None, None, Some(bead)) => TaskFrom::Bead(bead.clone()),
            (None, None, None) => TaskFrom::Nowhere,
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    match &args.what {
        What::Validate { files } => validate::run(files, context),
        What::Render { file, step, goal, task } => {
            let request = render::Request { file, step, goal: goal.as_deref(), task: &task.from() };
            render::run(&request, context)
        }
    }
}

/// The project around the current directory.
pub(super) fn project() -> Result<Project, Problem> {
    let here = std::env::current_dir()
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the current directory is not to be found: {error}")))?;
    Ok(Project::around(&here))
}
