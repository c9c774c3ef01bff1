//! `agency workflow`: work that is done in steps, one file per verb below it.

pub(crate) mod approve;
pub(crate) mod cancel;
pub(crate) mod complete_task;
mod continuing;
pub(crate) mod logs;
pub(crate) mod ls;
mod render;
pub(crate) mod resume;
pub(crate) mod retry;
pub(crate) mod run;
pub(crate) mod show;
mod tree;
mod validate;
mod watching;

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::orchestrator::{Orchestrator, WorkflowSession};
use agency_engine::workflow::{Project, TaskFrom};
use agency_model::{ErrorCode, SessionId};

pub(crate) use render::Prompt;
pub(crate) use validate::Validation;

use crate::context::Context;
use crate::problem::Problem;

/// The help of every argument that names a session.
const SESSION_HELP: &str = "The session: its id, the beginning of its id, or `last`";

/// Execute workflow files: agents, commands, loops, reviews, merges
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency init\n  \
    agency workflow validate\n  \
    agency workflow run implement-test-merge --title \"Fix the login\"\n  \
    agency workflow approve last")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Check workflow files and list every problem with its line
    Validate {
        /// Workflow files, or names of workflows of this project; without any, all of them
        files: Vec<PathBuf>,
    },
    /// Print the prompt of a step without running anything
    Render {
        /// A workflow file, or the name of a workflow of this project
        file: PathBuf,
        /// The step
        #[arg(long, value_name = "NAME")]
        step: String,
        /// The goal, instead of the goal of the file
        #[arg(long, value_name = "TEXT")]
        goal: Option<String>,
        #[command(flatten)]
        task: TaskArgs,
    },
    Run(Box<run::Args>),
    Ls(ls::Args),
    Show(show::Args),
    Logs(logs::Args),
    Resume(resume::Args),
    Retry(retry::Args),
    Approve(approve::Args),
    Reject(approve::RejectArgs),
    CompleteTask(complete_task::Args),
    Cancel(cancel::Args),
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

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.verb {
        Verb::Validate { files } => validate::run(&files, context),
        Verb::Render { file, step, goal, task } => {
            let request = render::RenderRequest { file: &file, step: &step, goal: goal.as_deref(), task: &task.from() };
            render::run(&request, context)
        }
        Verb::Run(args) => run::run(*args, context),
        Verb::Ls(args) => ls::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Logs(args) => logs::run(&args, context),
        Verb::Resume(args) => resume::run(&args, context),
        Verb::Retry(args) => retry::run(&args, context),
        Verb::Approve(args) => approve::run(&args, context),
        Verb::Reject(args) => approve::reject(&args, context),
        Verb::CompleteTask(args) => complete_task::run(&args, context),
        Verb::Cancel(args) => cancel::run(&args, context),
    }
}

/// The project around the current directory.
pub(super) fn project() -> Result<Project, Problem> {
    let here = std::env::current_dir()
        .map_err(|error| Problem::new(ErrorCode::Io, format!("the current directory was not found: {error}")))?;
    Ok(Project::around(&here))
}

/// The sessions of this user.
fn orchestrator(context: &Context) -> Result<Orchestrator, Problem> {
    Ok(Orchestrator::new(context.agency()?))
}

/// The session that an argument stands for.
fn selected(orchestrator: &Orchestrator, text: &str) -> Result<SessionId, Problem> {
    Ok(orchestrator.select(text)?)
}

/// Prints a session as it is now.
fn answer(orchestrator: &mut Orchestrator, session: &WorkflowSession, context: &Context) -> Result<ExitCode, Problem> {
    let overview = orchestrator.overview(session)?;
    context.answer(&overview, |out| tree::print(out, &overview))
}
