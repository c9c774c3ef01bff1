//! `agency source sync`: fetches repositories, several at a time.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agency_engine::sources::{SourceError, Sources, SyncEvent, Synced};
use agency_model::ErrorCode;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::completions::source_candidates;
use crate::command::run::listen_for_interrupts;
use crate::context::Context;
use crate::problem::Problem;

/// Fetch repositories anew: all of them, or those that are named
#[derive(Debug, clap::Args)]
#[command(after_help = "One that fails does not keep the others from being fetched.\n\nExamples:\n  \
    agency source sync\n  agency source sync langchain langgraph")]
pub(crate) struct Args {
    /// The sources [default: every repository]
    #[arg(add = source_candidates())]
    names: Vec<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncedSources {
    sources: Vec<SyncedView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SyncedView {
    name: String,
    /// The commit whose files it has now.
    commit: Option<String>,
    /// Whether it was fetched for the first time.
    new: bool,
    /// Whether only that commit was fetched.
    shallow: bool,
    /// Why it could not be fetched.
    error: Option<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let sources = context.sources()?;
    let synced = fetch(&sources, &args.names, context)?;
    let views = SyncedSources { sources: synced.iter().map(SyncedView::new).collect() };
    let failed = views.sources.iter().filter(|view| view.error.is_some()).count();
    if let (1.., true) = (failed, context.json()) {
        return Err(problem(failed, synced)?.detail("sources", views.sources));
    }
    let code = context.answer(&views, |out| {
        if views.sources.is_empty() {
            return writeln!(out, "No repositories. Add one with agency source add NAME --git URL.");
        }
        views.sources.iter().try_for_each(|view| match (&view.commit, &view.error) {
            (Some(commit), _) => writeln!(out, "{}  {}", view.name, commit.get(..12).unwrap_or(commit)),
            (None, error) => writeln!(out, "{}  failed: {}", view.name, error.as_deref().unwrap_or_default()),
        })
    })?;
    if failed > 0 { Err(problem(failed, synced)?) } else { Ok(code) }
}

/// One failure is reported as it is, several by their number.
fn problem(failed: usize, synced: Vec<Synced>) -> Result<Problem, Problem> {
    let all = synced.len();
    match (failed, first_failure(synced)) {
        (1, Some(error)) => Ok(error.into()),
        (_, Some(SourceError::Interrupted)) => Err(SourceError::Interrupted.into()),
        (_, _) => Ok(Problem::new(ErrorCode::SyncFailed, format!("{failed} of {all} sources could not be fetched"))),
    }
}

/// Why the first one could not be fetched.
pub(super) fn first_failure(synced: Vec<Synced>) -> Option<SourceError> {
    synced.into_iter().find_map(|synced| synced.outcome.err())
}

/// Fetches, with a line for each source on a terminal.
pub(super) fn fetch(sources: &Sources, names: &[String], context: &Context) -> Result<Vec<Synced>, Problem> {
    let interrupted = listen_for_interrupts()?;
    let bars = Bars::new(context.is_watched());
    Ok(sources.sync(names, &|event| bars.show(&event), &interrupted)?)
}

impl SyncedView {
    fn new(synced: &Synced) -> Self {
        let fetched = synced.outcome.as_ref().ok();
        Self {
            name: synced.name.clone(),
            commit: fetched.map(|fetched| fetched.commit.to_string()),
            new: fetched.is_some_and(|fetched| fetched.new),
            shallow: fetched.is_some_and(|fetched| fetched.shallow),
            error: synced.outcome.as_ref().err().map(ToString::to_string),
        }
    }
}

/// A line with a spinner for each source.
struct Bars {
    all: Option<MultiProgress>,
    bars: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Bars {
    fn new(watched: bool) -> Self {
        Self { all: watched.then(MultiProgress::new), bars: Mutex::default() }
    }

    fn show(&self, event: &SyncEvent<'_>) {
        let Some(all) = &self.all else { return };
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            SyncEvent::Begun { name } => {
                let bar = all.add(ProgressBar::new_spinner().with_style(style()).with_message((*name).to_owned()));
                bar.enable_steady_tick(Duration::from_millis(120));
                bars.insert((*name).to_owned(), bar);
            }
            SyncEvent::Progress { name, words } => {
                if let Some(bar) = bars.get(*name) {
                    bar.set_message(format!("{name}  {words}"));
                }
            }
            SyncEvent::Ended { name } => {
                if let Some(bar) = bars.remove(*name) {
                    bar.finish_and_clear();
                }
            }
        }
    }
}

/// What is fetched, for how long, and what git says.
fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}
