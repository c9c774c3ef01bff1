//! `agency workflow run`: begins a session.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::orchestrator::StartRequest;
use agency_engine::workflow::{Loaded, Project, load, read_task};

use super::{TaskArgs, answer, orchestrator, watching};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::Spinner;
use crate::problem::Problem;

/// Do the work of a workflow file, over a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency workflow run implement --title \"Fix the login\" --body \"It fails on Mondays\"\n  \
    agency workflow run .agency/workflows/review.yaml --task-file task.json\n  \
    agency workflow run implement --bead bd-42 --detach")]
pub(crate) struct Args {
    /// The workflow: a file, or the name of one in .agency/workflows
    file: PathBuf,
    #[command(flatten)]
    task: TaskArgs,
    /// The task [default: the workflow's own]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    goal: Option<String>,
    /// The repository [default: the one of the current directory]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// What the work begins with [default: where you are]
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    /// Do not follow the session
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let caller_env = context.caller_env()?;
    let repo = caller_env.current_directory.join(args.repo.clone().unwrap_or_default());
    let project = Project::around(&repo);
    let file = project.workflow_file(&args.file)?;
    let task = read_task(&project, &args.task.from())?;
    let Loaded { plan, spells, system_prompt } = load(&project, &file, &context.config()?, Some(&task))?;
    let (base_ref, goal) = (args.base, args.goal);
    let request = StartRequest { plan, spells, system_prompt, repo, base_ref, goal, task, caller_env };
    let interrupts = Interrupts::listen()?;
    let session = {
        let _spinner = Spinner::begin("beginning".to_owned(), context.is_watched());
        interrupts.while_creating(|asked| orchestrator.start(request, asked))?
    };
    if args.detach {
        return answer(&mut orchestrator, &session, context);
    }
    context.say(&format!("{} began; Ctrl-C leaves it running", session.id()));
    watching::watch(&mut orchestrator, session.id(), 0, interrupts.asked(), context)
}
