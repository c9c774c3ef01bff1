//! A race as a table: what verifying showed, how large the work is, what it cost.

use std::io::{self, Write};
use std::time::Duration;

use agency_engine::land::Landed;
use agency_engine::race::{Race, RaceEntry};
use agency_engine::store::{RaceResult, RaceRow};
use agency_model::run::State;
use agency_model::{RunId, escaped_line, shell_quoted};
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{columns, dollars, field};

/// The answer of `agency race` and `agency race show`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RaceView {
    #[serde(flatten)]
    race: RaceRow,
    /// Its runs, the best first.
    runs: Vec<RaceRunView>,
    /// The run that `--land` would land; null if none passed.
    winner: Option<RunId>,
    /// What landed, if this call landed a run.
    landed: Option<Landed>,
    /// Agents whose run could not be started by this call, with the reason.
    not_started: Vec<String>,
}

/// One run of a race.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RaceRunView {
    id: RunId,
    name: Option<String>,
    agent: String,
    /// The arguments of the agent, among them its model.
    args: Vec<String>,
    state: State,
    /// What verifying its work showed; null if it was not verified.
    verified: Option<RaceResult>,
    /// Whether its work changed since.
    changed_since: bool,
    /// How many files differ from the base; null where the work is gone.
    files: Option<usize>,
    lines_added: u64,
    lines_removed: u64,
    cost_usd: Option<f64>,
    duration_ms: Option<u64>,
    /// The files that do not merge into the target; null where that is not known.
    conflicts: Option<Vec<String>>,
    landed: bool,
    removed: bool,
}

impl RaceRunView {
    fn new(entry: RaceEntry) -> Self {
        let RaceEntry { run, result, stale, files, lines, cost_usd, duration, conflicts, .. } = entry;
        Self {
            landed: run.landed_at.is_some(),
            removed: run.removed_at.is_some(),
            id: run.id,
            name: run.name,
            agent: run.runner_kind,
            args: run.runner_args,
            state: run.state,
            verified: result,
            changed_since: stale,
            files,
            lines_added: lines.0,
            lines_removed: lines.1,
            cost_usd,
            duration_ms: duration.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            conflicts,
        }
    }

    pub(crate) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.id.as_str())
    }

    fn cells(&self, number: usize, verifies: bool) -> Vec<String> {
        let none = || "-".to_owned();
        let verified = match &self.verified {
            None if verifies => "not yet".to_owned(),
            None => none(),
            Some(_) if self.changed_since => "changed since".to_owned(),
            Some(result) if result.protected.is_empty() => escaped_line(&result.outcome),
            Some(result) => format!("{}, {} protected", escaped_line(&result.outcome), result.protected.len()),
        };
        let state = match (self.landed, self.removed) {
            (true, _) => "landed".to_owned(),
            (false, true) => "removed".to_owned(),
            (false, false) => self.state.to_string(),
        };
        let conflicts = match self.conflicts.as_deref() {
            None => none(),
            Some([]) => "no".to_owned(),
            Some(files) => files.len().to_string(),
        };
        vec![
            number.to_string(),
            self.label().to_owned(),
            escaped_line(&[std::slice::from_ref(&self.agent), &self.args].concat().join(" ")),
            state,
            verified,
            self.files.map_or_else(none, |files| files.to_string()),
            format!("+{} -{}", self.lines_added, self.lines_removed),
            self.cost_usd.map_or_else(none, dollars),
            self.duration_ms.map_or_else(none, |ms| seconds(Duration::from_millis(ms))),
            conflicts,
        ]
    }
}

impl RaceView {
    pub(crate) fn new(race: Race) -> Self {
        Self {
            winner: race.winner().map(|entry| entry.run.id.clone()),
            race: race.row,
            runs: race.entries.into_iter().map(RaceRunView::new).collect(),
            landed: None,
            not_started: vec![],
        }
    }

    pub(crate) fn with_landed(mut self, landed: Option<Landed>) -> Self {
        self.landed = landed;
        self
    }

    pub(crate) fn with_failures(mut self, not_started: Vec<String>) -> Self {
        self.not_started = not_started;
        self
    }

    /// The runs in the order of the table.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&RunId, &str)> {
        self.runs.iter().map(|run| (&run.id, run.label()))
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}  {} runs at {:.12}", self.race.id, self.runs.len(), self.race.base_commit)?;
        if let Some(verify) = &self.race.verify {
            writeln!(out, "  verified by {}", escaped_line(verify))?;
        }
        let header = ["#", "NAME", "AGENT", "STATE", "VERIFY", "FILES", "LINES", "COST", "TIME", "CONFLICTS"];
        let verifies = self.race.verify.is_some();
        let rows = self.runs.iter().enumerate().map(|(index, run)| run.cells(index + 1, verifies)).collect();
        write!(out, "{}", columns(&header, rows))?;
        for failed in &self.not_started {
            writeln!(out, "not started: {}", field(failed))?;
        }
        if let Some(landed) = &self.landed {
            let commit = landed.commit.as_deref().unwrap_or("the same");
            writeln!(out, "landed on {} as {commit:.12}", landed.target)?;
        }
        let best = self.runs().find(|(id, _)| Some(*id) == self.winner.as_ref());
        if let (Some((_, label)), None) = (best, &self.landed) {
            let label = shell_quoted(label);
            writeln!(out, "best: {label}   agency diff {label}   agency land {label}")?;
        }
        Ok(())
    }
}

fn seconds(duration: Duration) -> String {
    let all = duration.as_secs();
    match (all / 60, all % 60) {
        (0, _) => format!("{:.1}s", duration.as_secs_f64()),
        (minutes, seconds) => format!("{minutes}m {seconds:02}s"),
    }
}

/// The answer of `agency race ls`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RaceList {
    pub(crate) races: Vec<RaceRow>,
}

impl RaceList {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.races.is_empty() {
            return writeln!(out, "No races.");
        }
        let cells = |race: &RaceRow| {
            vec![
                race.id.clone(),
                escaped_line(&race.repo_path),
                format!("{:.12}", race.base_commit),
                escaped_line(race.verify.as_deref().unwrap_or("-")),
            ]
        };
        let rows = self.races.iter().map(cells).collect();
        write!(out, "{}", columns(&["RACE", "REPOSITORY", "BASE", "VERIFY"], rows))
    }
}
