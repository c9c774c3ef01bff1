//! `agency completions`: lets the shell complete commands, options and runs.
//!
//! The one rule: bash inserts a candidate without quotes, so only what no shell reads as more than a word is offered.

use std::ffi::OsStr;
use std::process::ExitCode;

use agency_engine::config::AgentConfig;
use agency_engine::orchestrator::SessionManager;
use agency_engine::sources::{Catalogue, Source};
use agency_engine::store::{Purpose, QuestionRow, RaceRow, RunFilter, RunRow};
use agency_model::run::State;
use agency_model::workflow::SessionState;
use agency_model::{ErrorCode, RunKind, escaped_line};
use clap::builder::PossibleValuesParser;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::Status;

/// How many runs or sessions are offered at most, the newest.
const MAX_CANDIDATES: u32 = 100;

/// Only an answer that is a directory is gone to: help and JSON are printed.
const CHANGE_DIRECTORY: &str = r#"
agency() {
    if [ "$1" != cd ]; then
        command agency "$@"
        return
    fi
    local directory
    directory=$(command agency "$@") || return
    if [ -d "$directory" ]; then
        builtin cd -- "$directory"
    else
        printf '%s\n' "$directory"
    fi
}
"#;
const CHANGE_DIRECTORY_IN_FISH: &str = r#"
function agency
    if test "$argv[1]" != cd
        command agency $argv
        return
    end
    set -l directory (command agency $argv | string collect)
    or return
    if test -d "$directory"
        builtin cd -- "$directory"
    else
        printf '%s\n' "$directory"
    end
end
"#;

/// Print a script that completes what is typed, and lets agency cd change directory
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
    let script = String::from_utf8_lossy(&script).into_owned() + function_of(&args.shell);
    let answer = Script { shell: args.shell.clone(), script };
    context.answer(&answer, |out| write!(out, "{}", answer.script))
}

/// The function that lets `agency cd` change the directory; empty for a shell that has none.
fn function_of(shell: &str) -> &'static str {
    match shell {
        "bash" | "zsh" => CHANGE_DIRECTORY,
        "fish" => CHANGE_DIRECTORY_IN_FISH,
        _ => "",
    }
}

/// The agents that an argument may name.
pub(super) fn agent_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let agents = newest_runs(RunFilter { kind: Some(RunKind::Agent), ..RunFilter::default() });
        let mut names: Vec<String> = agents.into_iter().filter_map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().filter_map(|name| candidate(name, None)).collect()
    })
}

/// The sources that an argument may name.
pub(super) fn source_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let sources = catalogue().sources.into_values();
        let offered = |source: Source| {
            let help = source.description.unwrap_or_else(|| source.kind.as_str().to_owned());
            candidate(&source.name, Some(&help))
        };
        sources.filter_map(offered).collect()
    })
}

/// The groups of sources that an argument may name.
pub(super) fn group_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let groups = catalogue().groups.into_iter();
        groups.filter_map(|(name, members)| candidate(&name, Some(&members.join(", ")))).collect()
    })
}

fn catalogue() -> Catalogue {
    let sources = Context::new(false, None).sources().ok();
    sources.and_then(|sources| sources.catalogue().ok()).unwrap_or_default()
}

/// Errors complete nothing: a shell cannot show them.
fn newest_runs(filter: RunFilter) -> Vec<RunRow> {
    let agency = Context::new(false, None).agency().ok();
    let listed = agency.and_then(|mut agency| agency.list(&RunFilter { limit: Some(MAX_CANDIDATES), ..filter }).ok());
    listed.unwrap_or_default()
}

/// Those runs that a command may be able to act on, so that live ones are found among many that have finished.
fn filter_for(purpose: Purpose) -> RunFilter {
    let states = match purpose {
        Purpose::Read | Purpose::Land | Purpose::Restore => vec![],
        Purpose::ChangeLive => vec![State::Queued, State::Running],
        Purpose::ChangeFinished => vec![State::Completed, State::Failed, State::Killed],
    };
    RunFilter { states, removed: purpose == Purpose::Restore, ..RunFilter::default() }
}

/// The orphans that an argument may name.
pub(super) fn orphan_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let agency = Context::new(false, None).agency().ok();
        let orphans = agency.and_then(|mut agency| agency.detect_orphans().ok());
        orphans
            .unwrap_or_default()
            .into_iter()
            .filter_map(|orphan| candidate(&orphan.pid.to_string(), Some(&orphan.command)))
            .collect()
    })
}

/// The sessions that an argument may name: those that the command can act on.
pub(super) fn session_candidates(fits: fn(SessionState) -> bool) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let Ok(home) = Context::new(false, None).home() else { return vec![] };
        let sessions = SessionManager::new(home);
        let mut candidates = vec![];
        for id in sessions.ids().unwrap_or_default().into_iter().take(MAX_CANDIDATES as usize) {
            let Ok(session) = sessions.load(&id) else { continue };
            if fits(session.state()) {
                let (state, workflow) = (session.state(), &session.record.plan.name);
                let help = format!("{state}, {workflow}: {}", session.record.task.title());
                candidates.extend(candidate(id.as_str(), Some(&help)));
            }
        }
        candidates
    })
}

/// Any session.
pub(super) const fn any_session(_: SessionState) -> bool {
    true
}

/// A session that executes steps or waits for an answer.
pub(super) const fn active_session(state: SessionState) -> bool {
    !state.is_settled()
}

/// A session that is not finished.
pub(super) const fn open_session(state: SessionState) -> bool {
    state.can_continue()
}

/// The runs that an argument may name: those that the command can act on, by name where that is enough, and by id where
/// the beginning of one is typed.
pub(super) fn run_candidates(purpose: Purpose) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let rows = newest_runs(filter_for(purpose));
        let fitting: Vec<RunRow> = rows.into_iter().filter(|row| purpose.fits(row)).collect();
        let is_only = |row: &RunRow| fitting.iter().filter(|other| other.name == row.name).count() == 1;
        fitting
            .iter()
            .filter_map(|row| {
                let is_name = is_only(row) && !typed.starts_with("r_") && is_one_word(row.label());
                let value = if is_name { row.label() } else { row.id.as_str() };
                let status = Status::of(row.state, row.phase.as_deref(), row.activity).as_str();
                let help = format!("{status}, {}, {}", row.runner_kind.replace('_', "-"), repository(row));
                value.starts_with(&*typed).then(|| candidate(value, Some(&help))).flatten()
            })
            .collect()
    })
}

/// The last part of the path of a run's repository.
fn repository(row: &RunRow) -> &str {
    row.repo_path.rsplit('/').next().unwrap_or(&row.repo_path)
}

/// The open questions.
pub(super) fn question_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let agency = Context::new(false, None).agency().ok();
        let Some(mut agency) = agency else { return vec![] };
        let questions = agency.inbox().unwrap_or_default();
        let offered = |row: &QuestionRow| {
            let run = agency.run_name(&row.run_id).unwrap_or_else(|| row.run_id.to_string());
            let title = row.question.title.lines().next().unwrap_or_default();
            candidate(&row.id.to_string(), Some(&format!("{run}: {title}")))
        };
        questions.iter().filter_map(offered).collect()
    })
}

/// The races, newest first.
pub(super) fn race_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let races = Context::new(false, None).agency().ok().and_then(|agency| agency.races().ok()).unwrap_or_default();
        let offered = |race: &RaceRow| candidate(&race.id, race.verify.as_deref());
        races.iter().filter_map(offered).collect()
    })
}

/// The agents that a run can be started with: built-in ones and those of the configuration.
pub(in crate::command) fn runner_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(config) = Context::new(false, None).config() else { return vec![] };
        let offered = |(name, agent): (&String, &AgentConfig)| {
            let usual = if *name == config.default_agent { ", the default" } else { "" };
            candidate(&name.replace('_', "-"), Some(&format!("{}{usual}", agent.command)))
        };
        config.agents.iter().filter_map(offered).collect()
    })
}

/// What is offered to a shell; nothing for a value that would not be one word.
fn candidate(value: &str, help: Option<&str>) -> Option<CompletionCandidate> {
    let help = help.map(|help| escaped_line(help).into());
    is_one_word(value).then(|| CompletionCandidate::new(value).help(help))
}

/// Whether every shell reads a text as one word and nothing more; agents name runs, too.
fn is_one_word(value: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !value.is_empty() && !value.starts_with('-') && value.chars().all(is_plain)
}

/// The pages of the documentation.
pub(super) fn topic_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let pages = super::help::PAGES.iter();
        pages.map(|(name, about, _)| CompletionCandidate::new(*name).help(Some((*about).into()))).collect()
    })
}
