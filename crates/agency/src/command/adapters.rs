//! `agency adapters`: the agents that can be run, and what each can do.

use std::process::ExitCode;

use agency_engine::runs::create::Adapter;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;

/// List the agents that can be run: whether each is installed, its version, and what it can do
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency adapters\n  agency adapters --json")]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Adapters {
    adapters: Vec<Adapter>,
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let agency = context.agency()?;
    let here = std::env::current_dir().unwrap_or_default();
    let adapters = {
        let _spinner = Spinner::begin("asking the agents for their versions".to_owned(), context.is_watched());
        agency.adapters(&here, &std::env::vars_os().collect())
    };
    let answer = Adapters { adapters };
    context.answer(&answer, |out| {
        for adapter in &answer.adapters {
            let version = adapter.version.as_deref().unwrap_or("version unknown");
            match (&adapter.program, &adapter.install) {
                (Some(program), _) => writeln!(out, "{}  {version}  {program}", adapter.name)?,
                (None, Some(install)) => writeln!(out, "{}  not installed: {install}", adapter.name)?,
                (None, None) => writeln!(out, "{}  '{}' is not on the PATH", adapter.name, adapter.command)?,
            }
            let untested = adapter
                .tested_version
                .as_ref()
                .filter(|tested| adapter.version.as_ref().is_some_and(|version| version != *tested));
            if let Some(tested) = untested {
                writeln!(out, "    agency was tested with {tested}; another version may be misread")?;
            }
            writeln!(out, "    {}", adapter.abilities().join(", "))?;
        }
        Ok(())
    })
}
