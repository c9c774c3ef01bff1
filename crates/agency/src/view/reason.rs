//! What an agent is doing, and the evidence for it.

use std::path::PathBuf;

use agency_engine::agency::Agency;
use agency_engine::home::HomeError;
use agency_engine::store::RunRow;
use agency_model::run::State;
use agency_model::{Activity, ErrorCode, Event, RunId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{ago, field};

/// The activity of an agent with its evidence.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reason {
    pub(crate) id: RunId,
    name: Option<String>,
    pub(crate) state: State,
    /// What the agent is doing, or did last; absent if nothing was ever seen.
    activity: Option<Activity>,
    /// The event or the rule that led to it.
    because: Option<String>,
    /// The number of the screen line that a rule matched.
    line: Option<u32>,
    /// The number of the event that says so.
    seq: Option<u64>,
    /// Since when.
    since: Option<Timestamp>,
    /// Why the run has finished, if it has.
    error: Option<String>,
    /// The log of a supervisor that died.
    #[serde(skip)]
    supervisor_log: Option<PathBuf>,
}

/// The state of a run, and the evidence for it.
pub(crate) fn reason(agency: &Agency, row: RunRow) -> Result<Reason, HomeError> {
    let last = agency.last_event(&row.id, |line| {
        if let Event::Activity { activity, because, line: screen_line } = line.event {
            return Some((activity, because, screen_line, line.seq, line.at));
        }
        None
    })?;
    let supervisor_log = Some(agency.home().run(&row.id).supervisor_log());
    let has_died = row.error_code() == Some(ErrorCode::RunnerDisappeared);
    Ok(Reason {
        supervisor_log: supervisor_log.filter(|log| has_died && log.is_file()),
        id: row.id,
        name: row.name,
        state: row.state,
        activity: last.as_ref().map(|(activity, ..)| *activity),
        because: last.as_ref().map(|(_, because, ..)| because.clone()),
        line: last.as_ref().and_then(|(_, _, line, ..)| *line),
        seq: last.as_ref().map(|(.., seq, _)| *seq),
        since: last.as_ref().map(|(.., at)| *at),
        error: row.error,
    })
}

impl Reason {
    /// The same in words.
    pub(crate) fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = vec![];
        if let (Some(activity), Some(because), Some(since)) = (self.activity, &self.because, self.since) {
            let verb = if self.state.is_terminal() { "last seen" } else { "is" };
            lines.push(format!("{verb} {activity}, since {since} ({} ago)", ago(now, since)));
            let line = self.line.map_or_else(String::new, |line| format!(" on screen line {line}"));
            lines.push(format!("because {because}{line}"));
        } else {
            lines.push("the agent's activity is not known yet".to_owned());
        }
        lines.extend(self.error.as_ref().map(|error| format!("ended: {error}")));
        lines.extend(self.supervisor_log.as_ref().map(|log| format!("its supervisor's log: {}", log.display())));
        lines.iter().map(|line| field(line)).collect()
    }
}
