//! `agency ls`: the runs, newest first.

use std::process::ExitCode;

use agency_engine::runs::adopt::Unadopted;
use agency_engine::store::RunFilter;
use agency_model::RunKind;
use agency_model::run::State;
use agency_system::process::own_terminal_size;
use agency_workspace::Repository;
use clap::builder::PossibleValuesParser;
use jiff::Timestamp;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::{RunView, Runs, run_table};

/// How many runs are listed unless more are asked for.
const USUAL: u32 = 50;

/// List runs, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency ls\n  agency ls --state running --repo .\n  agency ls --all --json")]
pub(crate) struct Args {
    /// Only runs in this state; may be repeated
    #[arg(long, value_parser = PossibleValuesParser::new(["queued", "running", "completed", "failed", "killed"]))]
    state: Vec<String>,
    /// Only runs of this repository
    #[arg(long, value_name = "DIR")]
    repo: Option<std::path::PathBuf>,
    /// Only runs with this name
    #[arg(long)]
    name: Option<String>,
    /// Also removed runs and asks, and not only the newest 50
    #[arg(long)]
    all: bool,
    /// At most so many, the newest
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    // A repository that is gone is still named by its path.
    let repo = args.repo.map(|path| {
        Repository::open(&path).or_else(|error| Repository::kept_by_jj(&path).ok_or(error)).map_or_else(
            |_| std::path::absolute(&path).unwrap_or(path.clone()).display().to_string(),
            |repository| repository.root().display().to_string(),
        )
    });
    let filter = RunFilter {
        states: args.state.iter().filter_map(|word| word.parse::<State>().ok()).collect(),
        repo,
        kind: None,
        except: (!args.all).then_some(RunKind::Ask),
        name: args.name,
        session: None,
        removed: args.all,
        limit: args.limit.or_else(|| (!args.all).then_some(USUAL)),
    };
    let rows = agency.list(&filter)?;
    let Unadopted { adoptable, unadoptable } = agency.unadopted()?;
    if adoptable > 0 {
        let runs = if adoptable == 1 { "a run that has" } else { "runs that have" };
        context.say(&format!(
            "The database does not know {runs} files ({adoptable}): agency reconcile adopts what it can."
        ));
    }
    if unadoptable > 0 {
        context.say(&format!(
            "{unadoptable} of the directories in {} cannot become runs again: agency doctor says why, and how to move them \
             aside.",
            agency.home().runs().display()
        ));
    }
    let runs = Runs { runs: rows.into_iter().map(|row| RunView::new(row, agency.home())).collect() };
    context.answer(&runs, |out| {
        if runs.runs.is_empty() {
            return writeln!(out, "No runs. Start one with agency run, or see agency demo.");
        }
        let width = own_terminal_size(std::io::stdout()).map(|size| size.columns.get());
        write!(out, "{}", run_table(&runs.runs, Timestamp::now(), width))
    })
}
