//! `agency forecast`: which runs would conflict, before any of them lands.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::forecast::{Forecast, ForecastRequest};
use agency_engine::store::{Purpose, RunRow};
use agency_model::{ErrorCode, RunId};

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;
use crate::view::forecast_text;

/// Show which runs conflict with their target branch or with each other
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a run, all runs of the repository in the current directory are compared that have not landed: with \
    the branch that\nthey started from, and with each other. With runs, only what concerns them is shown. Nothing is merged \
    or changed.\n\nThe files of a run are those of its last checkpoint, if it has one; --fresh looks at its worktree.\n\n\
    Examples:\n  agency forecast\n  agency forecast fix-login\n  agency forecast --into release --json\n  agency forecast --fresh"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, value_name = "RUN", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    runs: Vec<String>,
    /// Forecast merges into this branch, not into the one that each run started from
    #[arg(long, value_name = "BRANCH")]
    into: Option<String>,
    /// Look at the files as they are now, also where a checkpoint has them
    #[arg(long)]
    fresh: bool,
    /// The repository, if no run is named [default: that of the current directory]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let rows: Vec<RunRow> = args.runs.iter().map(|text| context.select(&mut agency, text)).collect::<Result<_, _>>()?;
    let repository = repository(&agency, args, &rows)?;
    let request = ForecastRequest::new(repository).into(args.into.clone()).fresh(args.fresh);
    let mut forecast = agency.forecast(&request)?;
    if !rows.is_empty() {
        let ids: Vec<RunId> = rows.iter().map(|row| row.id.clone()).collect();
        check_known(&forecast, &rows)?;
        concerning(&mut forecast, &ids);
    }
    context.answer(&forecast, |out| write!(out, "{}", forecast_text(&forecast)))
}

/// The repository of the runs, which have to be of one, or the one that is meant.
fn repository(agency: &Agency, args: &Args, rows: &[RunRow]) -> Result<PathBuf, Problem> {
    let Some(first) = rows.first() else {
        let place = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
        return Ok(agency.repository_at(&place)?.root().to_owned());
    };
    let root = agency.repository_of(first)?;
    for row in rows {
        if agency.repository_of(row)? != root {
            let message = format!("{} and {} are of different repositories", first.id, row.id);
            return Err(Problem::new(ErrorCode::Usage, message).hint("forecast the runs of one repository at a time"));
        }
    }
    Ok(root)
}

/// Refuses a run that the forecast is not about.
fn check_known(forecast: &Forecast, rows: &[RunRow]) -> Result<(), Problem> {
    let Some(row) = rows.iter().find(|row| forecast.run(&row.id).is_none()) else { return Ok(()) };
    let why = if row.removed_at.is_some() {
        "it was removed"
    } else if row.landed_at.is_some() {
        "it has landed"
    } else if row.worktree_path.is_none() {
        "it has no worktree"
    } else {
        "it changed nothing, or another run continues in its worktree"
    };
    Err(Problem::new(ErrorCode::InvalidState, format!("{} has no work to land: {why}", row.id))
        .hint("agency forecast shows the runs that have"))
}

/// Leaves what concerns some runs: themselves, and those with which they do not merge.
fn concerning(forecast: &mut Forecast, ids: &[RunId]) {
    forecast.pairs.retain(|pair| ids.contains(&pair.first) || ids.contains(&pair.second));
    let pairs = &forecast.pairs;
    let is_shown = |id: &RunId| ids.contains(id) || pairs.iter().any(|pair| pair.first == *id || pair.second == *id);
    forecast.runs.retain(|run| is_shown(&run.id));
}
