//! `agency ls`: the runs, those that need a user first.

mod notes;
mod order;
mod watch;

use std::io::IsTerminal;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::store::RunFilter;
use agency_model::RunKind;
use agency_model::run::State;
use agency_system::process::own_terminal_size;
use clap::builder::PossibleValuesParser;
use jiff::Timestamp;

use self::notes::{empty, header, note_unadopted, shown_of};
use self::order::{SORT_NAMES, Sort};
use crate::context::Context;
use crate::problem::Problem;
use crate::view::{RunColumn, RunView, Runs, Status, run_table};

/// How many runs are listed unless more are asked for.
const USUAL: u32 = 50;

/// What `--state` accepts: the words of the column STATE, and the stored states, of which `running` is several of them.
const STATE_NAMES: [&str; 12] = [
    "waiting",
    "idle",
    "paused",
    "working",
    "starting",
    "stopping",
    "queued",
    "running",
    "failed",
    "stopped",
    "killed",
    "completed",
];

/// List runs, those that need you first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "STATE says what a run is doing: waiting (for an answer), idle (for a message), working, starting, \
    paused (after a crash),\nstopping, queued, failed, stopped, completed. With --json, runs come newest first.\n\nExamples:\n  \
    agency ls\n  agency ls -w\n  agency ls --state running --repo .\n  agency ls --columns name,state,cost --sort name\n  \
    agency stop $(agency ls -q --state running)\n  agency ls --all --json"
)]
pub(crate) struct Args {
    /// Only runs in this state, a word of the column STATE or running, which is all that are live; may be repeated
    #[arg(long, value_parser = PossibleValuesParser::new(STATE_NAMES), hide_possible_values = true)]
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
    /// The order [default: need, which is what needs you first]
    #[arg(long, value_name = "ORDER", value_parser = PossibleValuesParser::new(SORT_NAMES))]
    sort: Option<String>,
    /// The columns, with commas: name, state, age, runner, repo, branch, cost, mode, host, id
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = PossibleValuesParser::new(RunColumn::NAMES))]
    columns: Vec<String>,
    /// Keep the table on the terminal and update it, until Ctrl-C
    #[arg(short, long, conflicts_with = "json")]
    watch: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let filter = filter(args, &agency);
    if args.watch {
        return watch::watch(&mut agency, args, &filter, context);
    }
    let rows = if context.json() {
        let mut runs = agency.list_as(&filter, |home, row| RunView::new(row, home))?;
        narrow(args, &mut runs);
        let mut conflicts = agency.kept_conflicts(runs.iter().map(|run| (&run.id, run.repo.as_str())));
        for run in &mut runs {
            run.forecast = conflicts.remove(&run.id);
        }
        runs
    } else {
        listed(&mut agency, args, &filter)?
    };
    note_unadopted(&mut agency, context)?;
    let runs = Runs { runs: rows };
    if context.is_quiet() && !context.json() {
        context.print(|out| runs.runs.iter().try_for_each(|run| writeln!(out, "{}", run.id)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_seen = std::io::stdout().is_terminal() && !context.json();
    let head = if is_seen { header(agency.overview()?) } else { None };
    let note = if context.json() { None } else { note_below(&agency, args, &filter, runs.runs.len())? };
    let code = context.answer(&runs, |out| {
        if let Some(head) = &head {
            writeln!(out, "{head}")?;
        }
        if !runs.runs.is_empty() {
            let width = own_terminal_size(std::io::stdout()).map(|size| size.columns.get());
            write!(out, "{}", run_table(&runs.runs, &columns(args), Timestamp::now(), width))?;
        }
        note.iter().try_for_each(|note| writeln!(out, "{note}"))
    })?;
    if is_seen {
        // A home that cannot be written to shows the same failures again.
        let _ = agency.note_look();
    }
    // The process ends here, which closes the database and returns all memory at once; doing so piece by piece takes as
    // long as reading the rows.
    std::mem::forget((agency, runs));
    Ok(code)
}

/// What the options leave.
fn filter(args: &Args, agency: &Agency) -> RunFilter {
    RunFilter {
        states: args.state.iter().map(|word| stored_state(word)).collect(),
        repo: args.repo.as_deref().map(|path| super::repository_root(agency, path)),
        except: (!args.all).then_some(RunKind::Ask),
        name: args.name.clone(),
        removed: args.all,
        limit: if is_narrowed(args) { None } else { args.limit.or_else(|| (!args.all).then_some(USUAL)) },
        ..RunFilter::default()
    }
}

/// The stored state of the runs that a word means.
fn stored_state(word: &str) -> State {
    let of_the_column = if word == Status::Stopped.as_str() { State::Killed } else { State::Running };
    word.parse().unwrap_or(of_the_column)
}

/// Whether a state is asked for that the database does not have, so that it gives too many.
fn is_narrowed(args: &Args) -> bool {
    args.state.iter().any(|word| word.parse::<State>().is_err())
}

/// Leaves the runs in the states that are asked for, which come newest first.
fn narrow(args: &Args, runs: &mut Vec<RunView>) {
    if is_narrowed(args) {
        runs.retain(|run| args.state.iter().any(|word| word == run.status.as_str() || word == run.state.as_str()));
        runs.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));
    }
}

/// The runs in the order of the table. Live ones are among them however old they are, unless a limit was given.
fn listed(agency: &mut Agency, args: &Args, filter: &RunFilter) -> Result<Vec<RunView>, Problem> {
    let since = agency.last_look()?;
    let mut rows = agency.list(filter)?;
    if args.limit.is_none() && filter.limit.is_some() && args.state.is_empty() {
        let live = RunFilter { states: vec![State::Queued, State::Running], limit: None, ..filter.clone() };
        let missing: Vec<_> =
            agency.list(&live)?.into_iter().filter(|live| rows.iter().all(|row| row.id != live.id)).collect();
        rows.extend(missing);
    }
    let mut runs: Vec<RunView> = rows.into_iter().map(|row| RunView::new(row, agency.home())).collect();
    narrow(args, &mut runs);
    Sort::named(args.sort.as_deref()).apply(&mut runs, since);
    Ok(runs)
}

fn columns(args: &Args) -> Vec<RunColumn> {
    args.columns.iter().filter_map(|name| RunColumn::named(name)).collect()
}

/// What stands below the table: how many more there are, or why there are none.
fn note_below(agency: &Agency, args: &Args, filter: &RunFilter, shown: usize) -> Result<Option<String>, Problem> {
    if shown > 0 && is_narrowed(args) {
        return Ok(None);
    }
    if shown > 0 {
        return Ok(shown_of(shown, agency.count(filter)?));
    }
    let all = agency.count(&RunFilter { removed: filter.removed, except: filter.except, ..RunFilter::default() })?;
    let removed = agency.count(&RunFilter { removed: true, except: filter.except, ..RunFilter::default() })?;
    Ok(Some(empty(args, all, removed)))
}
