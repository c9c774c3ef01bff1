//! A forecast of conflicts as text: a matrix of runs, and what does not merge.

use std::fmt::Write;

use agency_engine::forecast::{Forecast, ForecastFile, ForecastPair, ForecastRun, ForecastVerdict};
use agency_model::{RunId, escaped_line};
use jiff::tz::TimeZone;

use crate::output::columns;

/// How many columns of runs fit beside a name on a terminal of 80 columns.
const MAX_COLUMNS: usize = 10;
/// A longer name is cut.
const MAX_NAME_CHARS: usize = 24;
/// How many files of a conflict are named; JSON has all of them.
const MAX_NAMED_FILES: usize = 8;

/// The text where there is nothing to compare.
const NOTHING: &str = "No work to land: every run with a worktree has landed, was removed, or changed nothing.\n";

/// The whole forecast, with the runs numbered as in the matrix.
pub(crate) fn forecast_text(forecast: &Forecast) -> String {
    if forecast.runs.is_empty() {
        return NOTHING.to_owned();
    }
    let mut text = heading(forecast);
    for block in crossing(forecast).chunks(MAX_COLUMNS) {
        text.push('\n');
        text.push_str(&matrix(forecast, block));
    }
    if crossing(forecast).is_empty() {
        text.push('\n');
        text.push_str(&matrix(forecast, &[]));
    }
    text.push_str("\n. merges   X conflicts   ? not known   - nothing to merge\n");
    let of_runs = |verdict: ForecastVerdict| forecast.runs.iter().filter(move |run| run.verdict == verdict);
    let of_pairs = |verdict: ForecastVerdict| forecast.pairs.iter().filter(move |pair| pair.verdict == verdict);
    for (title, verdict) in [("Conflicts", ForecastVerdict::Conflict), ("Not known", ForecastVerdict::Unknown)] {
        let mut lines: Vec<String> = of_runs(verdict).map(|run| run_line(forecast, run)).collect();
        lines.extend(of_pairs(verdict).filter_map(|pair| pair_line(forecast, pair)));
        if !lines.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{title}\n{}", lines.concat());
        }
    }
    text
}

fn heading(forecast: &Forecast) -> String {
    let time = forecast.computed_at.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string();
    let runs = if forecast.runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", forecast.runs.len()) };
    let targets: Vec<String> = forecast
        .targets
        .iter()
        .map(|target| match &target.commit {
            Some(commit) => format!("{} ({commit:.12})", target.branch),
            None => format!("{} (missing)", target.branch),
        })
        .collect();
    format!("{runs} into {}, as of {time}\n", targets.join(", "))
}

/// The positions of runs that do not merge with another one.
fn crossing(forecast: &Forecast) -> Vec<usize> {
    let is_in_a_pair = |id: &RunId| forecast.pairs.iter().any(|pair| pair.first == *id || pair.second == *id);
    (0..forecast.runs.len()).filter(|position| is_in_a_pair(&forecast.runs[*position].id)).collect()
}

/// All runs as rows, and some of them as columns.
fn matrix(forecast: &Forecast, block: &[usize]) -> String {
    let numbers: Vec<String> = block.iter().map(|position| (position + 1).to_string()).collect();
    let mut header = vec!["", "RUN", "TARGET"];
    header.extend(numbers.iter().map(String::as_str));
    let row = |(number, run): (usize, &ForecastRun)| {
        let mut row = vec![(number + 1).to_string(), cut(label(run)), sign(run.verdict).to_owned()];
        row.extend(block.iter().map(|other| match forecast.runs.get(*other) {
            Some(other) if other.id == run.id => String::new(),
            Some(other) => {
                let pair = forecast.pair(&run.id, &other.id);
                sign(pair.map_or(ForecastVerdict::Clean, |pair| pair.verdict)).to_owned()
            }
            None => String::new(),
        }));
        row
    };
    columns(&header, forecast.runs.iter().enumerate().map(row).collect())
}

fn run_line(forecast: &Forecast, run: &ForecastRun) -> String {
    let target = if run.target.is_empty() { "its target" } else { &run.target };
    format!(
        "  {} with {}: {}\n",
        numbered(forecast, run),
        escaped_line(target),
        said(&run.files, run.reason.as_deref())
    )
}

fn pair_line(forecast: &Forecast, pair: &ForecastPair) -> Option<String> {
    let (first, second) = (forecast.run(&pair.first)?, forecast.run(&pair.second)?);
    let (first, second) = (numbered(forecast, first), numbered(forecast, second));
    Some(format!("  {first} with {second}: {}\n", said(&pair.files, pair.reason.as_deref())))
}

fn numbered(forecast: &Forecast, run: &ForecastRun) -> String {
    let number = forecast.runs.iter().position(|other| other.id == run.id).map_or(0, |position| position + 1);
    format!("{number} {}", escaped_line(label(run)))
}

/// The files with their kinds of conflict, or why it is not known.
fn said(files: &[ForecastFile], reason: Option<&str>) -> String {
    if let Some(reason) = reason {
        return escaped_line(reason);
    }
    let named = files.iter().take(MAX_NAMED_FILES);
    let mut named: Vec<String> =
        named.map(|file| format!("{} ({})", escaped_line(&file.path), escaped_line(&file.kind))).collect();
    if files.len() > MAX_NAMED_FILES {
        named.push(format!("and {} more", files.len() - MAX_NAMED_FILES));
    }
    named.join(", ")
}

fn label(run: &ForecastRun) -> &str {
    run.name.as_deref().unwrap_or(run.id.as_str())
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect()
}

const fn sign(verdict: ForecastVerdict) -> &'static str {
    match verdict {
        ForecastVerdict::Clean => ".",
        ForecastVerdict::Nothing => "-",
        ForecastVerdict::Conflict => "X",
        ForecastVerdict::Unknown => "?",
    }
}
