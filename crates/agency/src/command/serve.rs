//! `agency serve`: the long-lived reconciler.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agency_model::ErrorCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Watch all runs and reconcile those whose supervisor dies; no run depends on it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// The answer, when it is ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Served {
    reconciled: usize,
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
    }
    context.say("agency serve: watching; Ctrl-C ends it and harms no run");
    let reconciled = AtomicUsize::new(0);
    agency.serve(&stop, |run| {
        reconciled.fetch_add(1, Ordering::Relaxed);
        context.say(&format!("{}  {} → {}: {}", run.id, run.from, run.to, run.why));
    })?;
    let served = Served { reconciled: reconciled.into_inner() };
    context.answer(&served, |_| Ok(()))
}
