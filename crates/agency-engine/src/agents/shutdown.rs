//! Shutting agents down together: TERM to all at once, the grace period, then KILL.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::run::State;

use super::{AgentError, AgentManager, NamedAgent};
use crate::deadline::capped;
use crate::runs::stop::StopError;
use crate::store::{Request, RunRow};
use crate::wire::wake_supervisor;

/// How often an interrupt by the user is checked for.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a supervisor may take to finish after it has killed its agent.
const FINISH_TIMEOUT: Duration = Duration::from_secs(10);

/// How a shutdown went.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Shutdown {
    /// The agents that were running, each with its run as it ended.
    pub stopped: Vec<StoppedAgent>,
}

/// An agent that was shut down.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StoppedAgent {
    /// The agent.
    pub agent: NamedAgent,
    /// Whether it had to be killed.
    pub killed_by_force: bool,
}

/// The kernel's number of SIGKILL.
const KILL: i32 = 9;

impl AgentManager {
    /// Stops all agents at once: TERM, the shutdown timeout, KILL. Setting `hurry` ends the wait at once.
    pub fn shutdown(&mut self, hurry: &AtomicBool) -> Result<Shutdown, AgentError> {
        let alive: Vec<RunRow> =
            self.list_agents()?.into_iter().map(|agent| agent.run).filter(|run| !run.state.is_terminal()).collect();
        self.end(&alive, hurry)
    }

    /// Stops one agent as [`shutdown`](Self::shutdown) does.
    pub fn shut_down_agent(&mut self, name: &str, hurry: &AtomicBool) -> Result<Shutdown, AgentError> {
        let run = self.agent(name)?.run;
        let alive = if run.state.is_terminal() { vec![] } else { vec![run] };
        self.end(&alive, hurry)
    }

    fn end(&mut self, alive: &[RunRow], hurry: &AtomicBool) -> Result<Shutdown, AgentError> {
        let timeout = self.config.shutdown_timeout;
        self.ask_all(alive, timeout)?;
        let until = Instant::now() + capped(timeout) + FINISH_TIMEOUT;
        let mut hurried = false;
        while let Some(run) = self.first_alive(alive)? {
            if hurry.load(Ordering::Relaxed) && !std::mem::replace(&mut hurried, true) {
                self.ask_all(alive, Duration::ZERO)?;
            }
            if Instant::now() >= until {
                // Its supervisor does not answer; this one goes with everything it owns.
                self.stop_unless_over(&run)?;
            }
            self.agency.wait(&run.id, Some(INTERRUPT_POLL_INTERVAL), State::is_terminal).map_err(StopError::Wait)?;
        }
        let mut stopped = vec![];
        for run in alive {
            let run = self.agency.store.run(&run.id)?;
            let killed_by_force = run.signal == Some(KILL);
            stopped.push(StoppedAgent { agent: NamedAgent::of(run), killed_by_force });
        }
        Ok(Shutdown { stopped })
    }

    /// Stops a run and says how it ended; one that ended meanwhile is as good as stopped.
    pub(super) fn stop_unless_over(&mut self, run: &RunRow) -> Result<RunRow, AgentError> {
        match self.agency.stop(run) {
            Ok(row) => Ok(row),
            Err(StopError::NotRunning { id, .. }) => Ok(self.agency.store.run(&id)?),
            Err(error) => Err(error.into()),
        }
    }

    fn ask_all(&mut self, runs: &[RunRow], grace: Duration) -> Result<(), AgentError> {
        for run in runs {
            self.agency.store.request(&run.id, &Request::Stop { grace: Some(grace) })?;
            wake_supervisor(&self.agency.home.run(&run.id));
        }
        Ok(())
    }

    fn first_alive(&mut self, runs: &[RunRow]) -> Result<Option<RunRow>, AgentError> {
        for run in runs {
            let run = self.agency.store.run(&run.id)?;
            if run.state == State::Queued {
                // It has no supervisor that takes requests, or one that waits: the database decides.
                self.stop_unless_over(&run)?;
            } else if !run.state.is_terminal() && self.agency.settle(&run)?.is_none() {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}
