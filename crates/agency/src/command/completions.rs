//! `agency completions`: lets the shell complete commands, options and runs.

use std::process::ExitCode;

use agency_engine::orchestrator::SessionManager;
use agency_engine::sources::{Catalogue, Source};
use agency_engine::store::{RunFilter, RunRow};
use agency_model::{ErrorCode, RunKind};
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

/// The agents that an argument may name.
pub(super) fn agent_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let agents = newest_runs(RunFilter { kind: Some(RunKind::Agent), ..RunFilter::default() });
        let mut names: Vec<String> = agents.into_iter().filter_map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// The sources that an argument may name.
pub(super) fn source_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let sources = catalogue().sources.into_values();
        let candidate = |source: Source| {
            let help = source.description.unwrap_or_else(|| source.kind.as_str().to_owned());
            CompletionCandidate::new(source.name).help(Some(help.into()))
        };
        sources.map(candidate).collect()
    })
}

/// The groups of sources that an argument may name.
pub(super) fn group_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let groups = catalogue().groups.into_iter();
        groups.map(|(name, members)| CompletionCandidate::new(name).help(Some(members.join(", ").into()))).collect()
    })
}

fn catalogue() -> Catalogue {
    let sources = Context::new(false, None).sources().ok();
    sources.and_then(|sources| sources.catalogue().ok()).unwrap_or_default()
}

/// Errors complete nothing: a shell cannot show them.
fn newest_runs(filter: RunFilter) -> Vec<RunRow> {
    let agency = Context::new(false, None).agency().ok();
    let listed = agency.and_then(|mut agency| agency.list(&RunFilter { limit: Some(100), ..filter }).ok());
    listed.unwrap_or_default()
}

/// The orphans that an argument may name.
pub(super) fn orphan_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let agency = Context::new(false, None).agency().ok();
        let orphans = agency.and_then(|mut agency| agency.detect_orphans().ok());
        orphans
            .unwrap_or_default()
            .into_iter()
            .map(|orphan| CompletionCandidate::new(orphan.pid.to_string()).help(Some(orphan.command.into())))
            .collect()
    })
}

/// The sessions that an argument may name.
pub(super) fn session_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let home = Context::new(false, None).home().ok();
        let ids = home.and_then(|home| SessionManager::new(home).ids().ok()).unwrap_or_default();
        ids.into_iter().take(100).map(|id| CompletionCandidate::new(id.to_string())).collect()
    })
}

/// The runs that an argument may name.
pub(super) fn run_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        newest_runs(RunFilter::default())
            .into_iter()
            .map(|row| {
                let help = format!("{} {}", row.state, row.name.as_deref().unwrap_or(&row.runner_kind));
                CompletionCandidate::new(row.id.to_string()).help(Some(help.into()))
            })
            .collect()
    })
}
