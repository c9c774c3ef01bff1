//! Keeps a forecast, and reports conflicts that were not there before.
//!
//! The one rule: an event is recorded before the conflict is noted as reported, so that a crash repeats at most one and loses none.

use std::time::Duration;

use agency_model::escaped_line;
use agency_model::run::State;
use agency_model::{RunId, WorkEvent};
use agency_system::fault;
use agency_system::lock::Lock;
use tracing::warn;

use super::kept::{self, KeptForecast, Reported};
use super::{Forecast, ForecastError, ForecastFile, ForecastVerdict};
use crate::agency::Agency;
use crate::home::create_private_directory;

/// How long another process may report.
const REPORT_TIMEOUT: Duration = Duration::from_secs(60);
/// How many files a message to an agent names at most.
const MAX_NAMED_FILES: usize = 20;

/// One new conflict.
struct NewConflict {
    noted: Reported,
    run: RunId,
    /// The other run, if it is not with the target.
    other: Option<RunId>,
    target: Option<String>,
    files: Vec<ForecastFile>,
}

impl Agency {
    /// Replaces the kept forecast, unless that is newer, and reports what is new in it.
    pub(super) fn keep_forecast(&mut self, forecast: &Forecast) -> Result<(), ForecastError> {
        create_private_directory(&self.home.forecasts())?;
        let path = self.forecast_file(&forecast.repo_path);
        let Some(_lock) = Lock::take(&path.with_extension("report.lock"), REPORT_TIMEOUT)? else { return Ok(()) };
        let before = kept::read(&path);
        if before.as_ref().is_some_and(|before| before.forecast.computed_at > forecast.computed_at) {
            return Ok(());
        }
        let conflicts = forecast.conflicts();
        let mut reported = before.map(|before| before.reported).unwrap_or_default();
        reported.retain(|noted| conflicts.contains(noted));
        let mut kept = KeptForecast { forecast: forecast.clone(), reported };
        kept::write(&path, &kept)?;
        fault::point("forecast.kept");
        for conflict in new_conflicts(forecast, &kept) {
            self.report_conflict(&conflict);
            fault::point("forecast.reported");
            kept.reported.insert(conflict.noted);
            kept::write(&path, &kept)?;
        }
        Ok(())
    }

    /// An event for each of the runs, and a message to the agent of the younger one, if it is configured.
    fn report_conflict(&mut self, conflict: &NewConflict) {
        let files: Vec<String> = conflict.files.iter().map(|file| file.path.clone()).collect();
        let event = |run: Option<&RunId>| WorkEvent::ConflictForecast {
            target: conflict.target.clone(),
            run: run.cloned(),
            files: files.clone(),
        };
        let mut events = vec![(&conflict.run, event(conflict.other.as_ref()))];
        events.extend(conflict.other.as_ref().map(|other| (other, event(Some(&conflict.run)))));
        for (id, event) in events {
            if let Err(error) = self.record_work(id, event) {
                warn!(run = %id, %error, "a conflict forecast was not recorded");
            }
        }
        if self.config.forecast.tell_agents {
            self.tell_agent_of(conflict);
        }
    }

    fn tell_agent_of(&mut self, conflict: &NewConflict) {
        let younger = conflict.other.as_ref().unwrap_or(&conflict.run);
        let Ok(row) = self.store.run(younger) else { return };
        if row.state != State::Running {
            return;
        }
        let with = match &conflict.target {
            Some(target) => format!("the branch {target}"),
            None => format!("the work of {}, which is not merged yet", conflict.run),
        };
        if let Err(error) = self.send(&row, &message(&with, &conflict.files)) {
            warn!(run = %younger, %error, "the agent did not get the forecast of a conflict");
        }
    }
}

/// File names come from another agent, so they are escaped, and their number is limited.
fn message(with: &str, files: &[ForecastFile]) -> String {
    let mut named: Vec<String> = files
        .iter()
        .take(MAX_NAMED_FILES)
        .map(|file| format!("- {} ({})", escaped_line(&file.path), escaped_line(&file.kind)))
        .collect();
    if files.len() > MAX_NAMED_FILES {
        named.push(format!("- and {} more", files.len() - MAX_NAMED_FILES));
    }
    format!(
        "Note from agency: your changes would conflict with {}. These files do not merge:\n{}\nKeep your changes to them \
         small. Nothing has to be done now; the conflict is resolved when the work is merged.",
        escaped_line(with),
        named.join("\n")
    )
}

fn new_conflicts(forecast: &Forecast, kept: &KeptForecast) -> Vec<NewConflict> {
    let with_targets = forecast.runs.iter().filter(|run| run.verdict == ForecastVerdict::Conflict);
    let with_targets = with_targets.map(|run| NewConflict {
        noted: Reported { run: run.id.to_string(), with: run.target.clone() },
        run: run.id.clone(),
        other: None,
        target: Some(run.target.clone()),
        files: run.files.clone(),
    });
    let with_runs = forecast.pairs.iter().filter(|pair| pair.verdict == ForecastVerdict::Conflict);
    let with_runs = with_runs.map(|pair| NewConflict {
        noted: Reported { run: pair.first.to_string(), with: pair.second.to_string() },
        run: pair.first.clone(),
        other: Some(pair.second.clone()),
        target: None,
        files: pair.files.clone(),
    });
    with_targets.chain(with_runs).filter(|conflict| !kept.reported.contains(&conflict.noted)).collect()
}
