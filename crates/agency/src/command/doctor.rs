//! `agency doctor`: what works, what does not, and what to do about it.

use std::process::ExitCode;

use agency_engine::doctor::{Check, Health, examine_surroundings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Examine git, jj, tmux, the home, the database, the agents and the runs, and name a fix for each problem
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 1 if something keeps runs from working, else 0; warnings are no failure.")]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Examination {
    /// Whether nothing keeps runs from working.
    healthy: bool,
    checks: Vec<Check>,
}

/// What is wrong with the runs; what keeps us from looking is a problem too.
fn examine_runs(context: &Context) -> Vec<Check> {
    let found = context.agency().and_then(|mut agency| Ok(agency.examine_runs()?));
    found.unwrap_or_else(|problem| vec![Check::problem("runs", &problem.into_words().0)])
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let home = context.home()?;
    let config = context.config()?;
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let mut checks = examine_surroundings(&home, &config, &search_path);
    // A home or a database that cannot be used is among the checks already.
    let usable = !checks.iter().any(|check| check.is_problem_of(&["home", "database"]));
    if usable {
        checks.extend(examine_runs(context));
    }
    let healthy = checks.iter().all(|check| check.health != Health::Problem);
    let answer = Examination { healthy, checks };
    context.answer(&answer, |out| {
        for check in &answer.checks {
            let mark = match check.health {
                Health::Ok => "ok     ",
                Health::Warning => "warning",
                Health::Problem => "PROBLEM",
            };
            writeln!(out, "{mark}  {}: {}", check.name, check.message)?;
            if let (Some(fix), true) = (&check.fix, check.health != Health::Ok) {
                writeln!(out, "         fix: {fix}")?;
            }
        }
        Ok(())
    })?;
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
