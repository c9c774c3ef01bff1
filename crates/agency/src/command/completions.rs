//! `agency completions`: lets the shell complete commands, options and runs.

use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::store::RunFilter;
use agency_model::ErrorCode;
use clap::builder::PossibleValuesParser;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Print a script that completes agency's commands, options and runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    echo 'source <(agency completions bash)' >> ~/.bashrc\n  \
    agency completions fish > ~/.config/fish/completions/agency.fish")]
pub(crate) struct Args {
    /// The shell that is to complete
    #[arg(value_parser = PossibleValuesParser::new(["bash", "zsh", "fish", "elvish", "powershell"]))]
    shell: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Script {
    shell: String,
    script: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let broken = || Problem::new(ErrorCode::Usage, format!("there are no completions for {}", args.shell));
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell).ok_or_else(broken)?;
    let mut script = vec![];
    shell.write_registration("COMPLETE", "agency", "agency", "agency", &mut script).map_err(|_| broken())?;
    let script = String::from_utf8_lossy(&script).into_owned();
    let answer = Script { shell: args.shell.clone(), script };
    context.answer(&answer, |out| write!(out, "{}", answer.script))
}

/// The runs that an argument may name.
pub(super) fn run_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let context = Context::new(false, None);
        let listed = context
            .agency()
            .ok()
            .and_then(|mut agency: Agency| agency.list(&RunFilter { limit: Some(100), ..RunFilter::default() }).ok());
        listed
            .unwrap_or_default()
            .into_iter()
            .map(|row| {
                let help = format!("{} {}", row.state, row.name.as_deref().unwrap_or(&row.runner_kind));
                CompletionCandidate::new(row.id.to_string()).help(Some(help.into()))
            })
            .collect()
    })
}
