//! `agency import`: adopts the worktrees of other programs as finished runs.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::runs::import::{ImportSource, Planned};
use agency_model::{ErrorCode, escaped_line};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::RunView;

/// Adopt the worktrees of another program as finished runs; neither they nor its files are changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`agency rm` of an imported run only forgets it: the worktree and the branch stay as they are.\n\n\
    Examples:\n  agency import claude-squad --dry-run\n  agency import vibe-kanban\n  agency import workmux --from ~/src/shop"
)]
pub(crate) struct Args {
    /// The program
    program: Program,
    /// Its state file or database, or for workmux the repository [default: the usual place, the current directory]
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Program {
    ClaudeSquad,
    VibeKanban,
    Workmux,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Imported {
    /// Whether nothing was done.
    dry_run: bool,
    /// Where the state of the other program was read.
    from: String,
    /// The runs that were imported, or would be.
    runs: Vec<RunView>,
    /// The worktrees that are left out.
    left_out: Vec<LeftOut>,
}

/// A worktree that is left out.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeftOut {
    /// What the other program calls it.
    title: String,
    worktree: String,
    why: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let source = match args.program {
        Program::ClaudeSquad => ImportSource::ClaudeSquad,
        Program::VibeKanban => ImportSource::VibeKanban,
        Program::Workmux => ImportSource::Workmux,
    };
    let here = context.current_directory()?;
    // Without a home, nothing is read from the repository that the user happens to be in.
    let user_home = std::env::home_dir().filter(|home| home.is_absolute()).unwrap_or_else(|| PathBuf::from("/"));
    let from = args.from.clone().unwrap_or_else(|| source.usual_place(&user_home, &here));
    let mut agency = context.agency()?;
    let failed = |error: agency_engine::runs::import::ImportError| {
        Problem::new(ErrorCode::Io, error.to_string()).hint(format!(
            "agency import {} --from PATH reads the state of {} at another place",
            source.as_str(),
            source.as_str()
        ))
    };
    let plan = agency.import_plan(source, &from).map_err(failed)?;
    let rows = match args.dry_run {
        true => plan.iter().filter_map(|planned| planned.outcome.as_deref().ok().cloned()).collect(),
        false => agency.import(&plan).map_err(failed)?,
    };
    let answer = Imported {
        dry_run: args.dry_run,
        from: from.display().to_string(),
        runs: rows.into_iter().map(|row| RunView::new(row, agency.home())).collect(),
        left_out: plan.iter().filter_map(left_out).collect(),
    };
    context.answer(&answer, |out| {
        for planned in &plan {
            let title = escaped_line(&planned.title);
            let worktree = escaped_line(&planned.worktree.display().to_string());
            match &planned.outcome {
                Ok(row) => writeln!(out, "{}  {title}  {worktree}", row.id)?,
                Err(why) => writeln!(out, "left out  {title}  {worktree}: {}", escaped_line(why))?,
            }
        }
        let (count, from) = (answer.runs.len(), escaped_line(&answer.from));
        match (count, answer.dry_run) {
            (0, _) => writeln!(out, "Nothing to import in {from}."),
            (_, true) => writeln!(out, "{count} would be imported from {from}; without --dry-run they are."),
            (_, false) => writeln!(out, "{count} imported from {from}: agency ls"),
        }
    })
}

fn left_out(planned: &Planned) -> Option<LeftOut> {
    let why = planned.outcome.as_ref().err()?.clone();
    Some(LeftOut { title: planned.title.clone(), worktree: planned.worktree.display().to_string(), why })
}
