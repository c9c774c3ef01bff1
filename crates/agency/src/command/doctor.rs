//! `agency doctor`: what works, what does not, and what to do about it.

use std::process::ExitCode;
use std::thread;

use agency_engine::runs::doctor::{Check, Health, examine_agents, examine_database, examine_surroundings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Examine git, jj, tmux, the home, the database, the agents and the runs, and name a fix for each problem
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 1 if something keeps runs from working, else 0; warnings do not count.")]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Examination {
    /// Whether nothing keeps runs from working.
    healthy: bool,
    checks: Vec<Check>,
}

/// Examines everything. The database is checked, and other programs are waited for, while the runs are examined.
fn examine(context: &Context) -> Result<Vec<Check>, Problem> {
    let home = context.home()?;
    let config = context.config()?;
    // What cannot be opened is among the checks already, if it is the home or the database.
    let agency = context.agency();
    let (mut checks, mut database, runs) = thread::scope(|scope| {
        // The longest work begins first.
        let runs = agency.map(|agency| scope.spawn(|| (agency.examine_runs(), agency)));
        let surroundings = scope.spawn(|| examine_surroundings(&home, &config));
        let database = examine_database(&home, &config);
        let unfinished = |name| Check::problem(name, "the checks did not finish");
        let checks = surroundings.join().unwrap_or_else(|_| vec![unfinished("surroundings")]);
        (checks, database, runs.map(|runs| runs.join().map_err(|_| unfinished("runs"))))
    });
    let usable = !checks.iter().any(|check| check.is_problem_of("home")) && !database.is_problem_of("database");
    let mut found = vec![];
    match runs {
        Ok(Ok((examination, mut agency))) if usable => {
            agency.note_examination(&examination);
            found = examination.checks;
        }
        Ok(Err(unfinished)) if usable => found.push(unfinished),
        Err(problem) if usable => found.push(Check::problem("runs", &problem.into_words().0)),
        Ok(_) | Err(_) => {}
    }
    if let Some(unreadable) = found.extract_if(.., |check| check.is_problem_of("database")).next() {
        database = unreadable;
    }
    checks.push(database);
    checks.extend(examine_agents(&config, &std::env::var_os("PATH").unwrap_or_default()));
    checks.extend(found);
    Ok(checks)
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let checks = examine(context)?;
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
