//! The tools `list_runs`, `show_run`, `run_output` and `stop_run`.

use agency_engine::runner::AnsiStripper;
use agency_engine::store::{Purpose, RunFilter};
use agency_engine::watch::{Tail, offset_of_last_lines};
use agency_model::run::State;
use agency_model::{ErrorCode, RunId, RunKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::Reply;
use super::tool::Call;
use crate::problem::Problem;
use crate::view::{RunView, Runs, shown};

/// How many runs are listed unless a number is given.
const USUAL_RUNS: u32 = 20;
/// A model reads no longer list.
const MAX_RUNS: u32 = 200;
/// How many lines are returned unless a number is given.
const USUAL_LINES: usize = 100;
/// How much of a log is read, however long its lines are.
const MAX_OUTPUT_BYTES: u64 = 64 * 1024;

/// What `list_runs` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// Only runs in this state.
    state: Option<State>,
    /// At most so many, the newest: 20 if absent, never more than 200.
    limit: Option<u32>,
}

/// What `show_run`, `stop_run` and `list_checkpoints` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    /// The run: its id, the beginning of its id, or its name.
    pub(super) run: String,
}

/// What `run_output` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// The run: its id, the beginning of its id, or its name.
    run: String,
    /// The last so many lines: 100 if absent, and never more than 64 KB.
    tail: Option<u32>,
}

/// What an agent printed at last.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The run.
    id: RunId,
    /// Its state.
    state: State,
    /// The text, without colours and cursor movements.
    text: String,
    /// Whether there is more before it.
    cut: bool,
}

/// The runs, newest first.
pub(super) fn list(call: &Call) -> Result<Reply, Problem> {
    let Which { state, limit } = call.input()?;
    let mut agency = call.context.agency()?;
    let filter = RunFilter {
        states: state.into_iter().collect(),
        except: Some(RunKind::Ask),
        limit: Some(limit.unwrap_or(USUAL_RUNS).min(MAX_RUNS)),
        ..RunFilter::default()
    };
    let rows = agency.list(&filter)?;
    Reply::new(&Runs { runs: rows.into_iter().map(|row| RunView::new(row, agency.home())).collect() })
}

/// Everything about one run.
pub(super) fn show(call: &Call) -> Result<Reply, Problem> {
    let One { run } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select(&mut agency, &run)?;
    Reply::new(&shown(&agency, row))
}

/// The end of a log, as text.
pub(super) fn output(call: &Call) -> Result<Reply, Problem> {
    let Lines { run, tail } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select(&mut agency, &run)?;
    let path = agency.home().run(&row.id).combined_log();
    let broken = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    let lines = tail.map_or(USUAL_LINES, |lines| usize::try_from(lines).unwrap_or(usize::MAX));
    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let from = offset_of_last_lines(&path, lines).map_err(broken)?.max(size.saturating_sub(MAX_OUTPUT_BYTES));
    let mut cleaner = AnsiStripper::new();
    let (mut text, mut left) = (String::new(), size - from);
    let mut keep = |piece: &[u8]| {
        // What is printed meanwhile is for the next call.
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        left -= wanted as u64;
        text += &cleaner.feed(piece.get(..wanted).unwrap_or_default());
        Ok(())
    };
    Tail::at(&path, from).and_then(|mut cursor| cursor.read(&mut keep)).map_err(broken)?;
    text += &cleaner.finish();
    let answer = Output { id: row.id, state: row.state, text: text.clone(), cut: from > 0 };
    Reply::describe_fact(&answer, text)
}

/// Ends a run.
pub(super) fn stop(call: &Call) -> Result<Reply, Problem> {
    let One { run } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select_for(&mut agency, &run, Purpose::ChangeLive)?;
    call.tell(format!("stopping {}", row.id));
    let row = agency.stop(&row)?;
    Reply::new(&RunView::new(row, agency.home()))
}
