//! What landing would do, with `--dry-run`.

use std::io::{self, Write};
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::land::{LandPlan, LandRequest, PlannedOutcome};
use agency_model::{RunId, escaped_line};
use schemars::JsonSchema;
use serde::Serialize;

use super::report::counted;
use crate::context::Context;
use crate::problem::Problem;
use crate::run_names::called;

/// The answer of `land --dry-run`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandPlans {
    /// What each run would do, alone, on the branch as it is now.
    runs: Vec<LandPlan>,
}

pub(super) fn print(
    agency: &mut Agency,
    runs: &[RunId],
    request: &LandRequest,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let mut plans = vec![];
    for id in runs {
        let row = agency.run(id)?;
        plans.push(agency.plan_landing(&row, request)?);
    }
    let answer = LandPlans { runs: plans };
    context.answer(&answer, |out| answer.runs.iter().try_for_each(|plan| print_one(out, plan, agency)))
}

fn print_one(out: &mut dyn Write, plan: &LandPlan, agency: &Agency) -> io::Result<()> {
    let name = called(agency, &plan.id);
    let (target, strategy) = (&plan.target, &plan.strategy);
    match plan.outcome {
        PlannedOutcome::Clean => {
            writeln!(out, "{name}  would land on {target} ({strategy}), {}", counted(plan.files.len()))?;
        }
        PlannedOutcome::Conflicts => writeln!(out, "{name}  does not merge into {target}")?,
        PlannedOutcome::AlreadyLanded => writeln!(out, "{name}  is on {target} already")?,
        PlannedOutcome::Nothing => writeln!(out, "{name}  has changed nothing")?,
    }
    if let Some(obstacle) = &plan.obstacle {
        writeln!(out, "  not now: {obstacle}")?;
    }
    if plan.uncommitted > 0 {
        writeln!(out, "  {} would be committed first", counted(plan.uncommitted))?;
    }
    for conflict in &plan.conflicts {
        writeln!(out, "  conflict ({}): {}", escaped_line(&conflict.kind), escaped_line(&conflict.path))?;
    }
    for command in &plan.checks {
        writeln!(out, "  would be checked by: {}", escaped_line(command))?;
    }
    writeln!(out, "  message: {}", escaped_line(plan.message.lines().next().unwrap_or_default()))
}
