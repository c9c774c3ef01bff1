//! `agency cost`: what agents used, by agent, repository, day or workflow session.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::store::{RunFilter, RunRow};
use agency_model::{ErrorCode, Usage};
use clap::builder::PossibleValuesParser;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, civil};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::{columns, dollars, parse_duration};
use crate::problem::Problem;

/// How many days a sparkline shows at most.
const SPARKLINE_DAYS: usize = 14;
const SPARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Show the tokens and the cost that agents reported
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Agents report their usage themselves; one that reports none counts as a run without cost. Removed runs \
    count, too.\n\nExamples:\n  agency cost\n  agency cost --since 7d --by day\n  agency cost --by repo --json"
)]
pub(crate) struct Args {
    /// Only runs that were created in this time, such as 7d
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    since: Option<Duration>,
    /// What the sums are for
    #[arg(long, default_value = "agent", value_parser = PossibleValuesParser::new(["agent", "repo", "day", "workflow"]))]
    by: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Cost {
    by: String,
    /// Runs that were created then or later; absent for all.
    since: Option<Timestamp>,
    groups: Vec<Group>,
    total: Group,
}

/// What the runs of one agent, repository, day or workflow session used.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
struct Group {
    /// The agent, the path of the repository, the day, or the session; empty for runs without one, and for the total.
    key: String,
    runs: u64,
    usage: Usage,
    /// The cost of each of the last days, the oldest first; today is the last one.
    daily_cost_usd: Vec<f64>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let cost = sums(&mut agency, args)?;
    context.answer(&cost, |out| {
        if cost.total.runs == 0 {
            let when = if args.since.is_some() { " in this time" } else { "" };
            return writeln!(out, "No runs{when}, so nothing was used.");
        }
        write!(out, "{}", table(&cost))
    })
}

fn sums(agency: &mut Agency, args: &Args) -> Result<Cost, Problem> {
    let now = Timestamp::now();
    let since = args.since.map(|since| now.checked_sub(since)).transpose();
    let since = since.map_err(|error| Problem::new(ErrorCode::Usage, format!("--since: {error}")))?;
    let rows = agency.list(&RunFilter { removed: true, since, ..RunFilter::default() })?;
    let zone = TimeZone::system();
    let today = now.to_zoned(zone.clone()).date();
    let day_of = |row: &RunRow| row.created_at.to_zoned(zone.clone()).date();
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let mut total = Group::default();
    for row in &rows {
        let key = match args.by.as_str() {
            "repo" => row.repo_path.clone(),
            "day" => day_of(row).to_string(),
            "workflow" => row.workflow_session.as_ref().map(ToString::to_string).unwrap_or_default(),
            _ => row.runner_kind.replace('_', "-"),
        };
        let group = groups.entry(key.clone()).or_insert_with(|| Group { key, ..Group::default() });
        for sum in [group, &mut total] {
            sum.add(row, days_ago(day_of(row), today));
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    if args.by != "day" {
        groups.sort_by(|one, other| other.cost().total_cmp(&one.cost()));
    }
    Ok(Cost { by: args.by.clone(), since, groups, total })
}

fn days_ago(day: civil::Date, today: civil::Date) -> Option<usize> {
    (0..SPARKLINE_DAYS)
        .find(|days| today.checked_sub(i64::try_from(*days).unwrap_or(0).days()).is_ok_and(|then| then == day))
}

impl Group {
    fn add(&mut self, row: &RunRow, days_ago: Option<usize>) {
        self.runs += 1;
        self.usage = self.usage.plus(row.usage);
        self.daily_cost_usd.resize(SPARKLINE_DAYS, 0.0);
        if let (Some(days), Some(cost)) = (days_ago, row.usage.cost_usd)
            && let Some(day) = self.daily_cost_usd.get_mut(SPARKLINE_DAYS - 1 - days)
        {
            *day += cost;
        }
    }

    fn cost(&self) -> f64 {
        self.usage.cost_usd.unwrap_or(0.0)
    }

    fn cells(&self, key: String) -> Vec<String> {
        let tokens = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), short);
        vec![
            key,
            self.runs.to_string(),
            tokens(self.usage.input_tokens),
            tokens(self.usage.output_tokens),
            tokens(self.usage.cached_tokens),
            self.usage.cost_usd.map_or_else(|| "-".to_owned(), dollars),
            sparkline(&self.daily_cost_usd),
        ]
    }
}

fn table(cost: &Cost) -> String {
    let first = match cost.by.as_str() {
        "repo" => "REPO",
        "day" => "DAY",
        "workflow" => "SESSION",
        _ => "AGENT",
    };
    let key = |group: &Group| if group.key.is_empty() { "(none)".to_owned() } else { group.key.clone() };
    let rows = cost.groups.iter().map(|group| group.cells(key(group)));
    let rows = rows.chain([cost.total.cells("total".to_owned())]).collect();
    columns(&[first, "RUNS", "INPUT", "OUTPUT", "CACHED", "COST", "14 DAYS"], rows)
}

/// A number of tokens in a few characters.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// One character for each value, as high as its part of the largest one.
fn sparkline(values: &[f64]) -> String {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return String::new();
    }
    let spark = |value: &f64| {
        let mut steps = SPARKS.iter().enumerate().filter(|(index, _)| {
            let step = f64::from(u8::try_from(*index).unwrap_or(0)) / 8.0;
            *value > 0.0 && value / largest >= step
        });
        steps.next_back().map_or(' ', |(_, spark)| *spark)
    };
    values.iter().map(spark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_is_as_high_as_the_values_are() {
        assert_eq!(sparkline(&[0.0, 1.0, 4.0, 8.0]), " ▂▅█");
        assert_eq!(sparkline(&[0.0, 0.0]), "");
        assert_eq!((short(999), short(1_234), short(12_345_678)), ("999".into(), "1.2k".into(), "12.3M".into()));
    }

    #[test]
    fn a_day_outside_of_the_sparkline_has_no_place_in_it() {
        let today = civil::date(2026, 3, 1);
        assert_eq!(days_ago(today, today), Some(0));
        assert_eq!(days_ago(civil::date(2026, 2, 28), today), Some(1));
        assert_eq!(days_ago(civil::date(2025, 2, 28), today), None);
    }
}
