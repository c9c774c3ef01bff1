//! `agency land --all-ready`: shows the plan, then lands in its order.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::land::{HeldRun, LandRequest, ReadyPlan};
use agency_model::{RunId, escaped_line};

use super::{Wanted, land};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;
use crate::run_names::called;

/// What is done with the plan.
#[derive(Clone, Copy)]
pub(super) struct AllReadyOptions {
    /// It is only shown.
    pub(super) dry_run: bool,
    /// Runs that landed are removed.
    pub(super) rm: bool,
}

pub(super) fn run(
    agency: &mut Agency,
    first: &[RunId],
    request: &LandRequest,
    options: AllReadyOptions,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let repository = repository(agency, first)?;
    let plan = agency.plan_all_ready(&repository, request.into.as_deref(), first)?;
    if options.dry_run {
        return context.answer(&plan, |out| print(out, &plan, agency));
    }
    let mut text = vec![];
    print(&mut text, &plan, agency).map_err(|error| Problem::output(&error))?;
    context.say(String::from_utf8_lossy(&text).trim_end());
    let runs: Vec<RunId> = plan.order.iter().map(|run| run.id.clone()).collect();
    let interrupts = Interrupts::listen_for_hangup_too()?;
    land(agency, Wanted { runs: &runs, plan: Some(plan), rm: options.rm }, request, &interrupts, context)
}

/// That of the runs that are named, or of the current directory.
fn repository(agency: &Agency, first: &[RunId]) -> Result<PathBuf, Problem> {
    Ok(match first.first() {
        Some(id) => agency.repository_of(&agency.run(id)?)?,
        None => agency.repository_at(".".as_ref())?.root().to_owned(),
    })
}

fn print(out: &mut dyn Write, plan: &ReadyPlan, agency: &Agency) -> io::Result<()> {
    let targets: BTreeSet<&str> = plan.order.iter().map(|run| run.target.as_str()).collect();
    if plan.order.is_empty() {
        writeln!(out, "Nothing is ready to land.")?;
    } else {
        let targets: Vec<String> = targets.into_iter().map(escaped_line).collect();
        writeln!(out, "Ready to land on {}, in this order:", targets.join(", "))?;
    }
    for (number, run) in plan.order.iter().enumerate() {
        writeln!(out, "  {} {}", number + 1, called(agency, &run.id))?;
    }
    held(out, "Ready, but in conflict with what lands first:", &plan.rework, agency)?;
    held(out, "Not ready:", &plan.not_ready, agency)
}

fn held(out: &mut dyn Write, title: &str, runs: &[HeldRun], agency: &Agency) -> io::Result<()> {
    if !runs.is_empty() {
        writeln!(out, "{title}")?;
    }
    runs.iter().try_for_each(|run| writeln!(out, "  {}: {}", called(agency, &run.id), escaped_line(&run.why)))
}
