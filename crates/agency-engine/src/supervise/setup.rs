//! Prepares the worktree before the agent starts, as the project says.
//!
//! The one rule: a thread of its own does the work, so that requests are handled meanwhile. As long as it lasts the run is
//! starting, can be stopped, and has no agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::conversation::{ActivityChange, Evidence};
use agency_model::run::{Input, Phase, Progress};
use agency_model::{Activity, ErrorCode, Event};
use agency_system::fault;
use rustix::process::Signal;
use tokio::sync::mpsc;
use tracing::info;

use super::Supervisor;
use crate::home::RunDirectory;
use crate::store::Request;
use crate::wire::Environment;
use crate::worktree::{OwnChild, Preparation, PrepareError, PreparedState, WorktreeOrders};

/// The log of the commands, in the run directory.
pub(super) const LOG: &str = "setup.log";
/// How many notices may wait for the supervisor.
const MAX_WAITING: usize = 64;

/// What the thread reports.
pub(super) enum SetupNews {
    Notice(String),
    /// The agent can start, or why it cannot.
    Ended(Result<(), (ErrorCode, String)>),
}

/// The preparation of the worktree of one run.
#[derive(Default)]
pub(super) struct Setup {
    news: Option<mpsc::Receiver<SetupNews>>,
    stop: Arc<AtomicBool>,
    child: OwnChild,
    /// Why the agent was not started.
    failure: Option<String>,
    /// What the agent is to do once it has started, with the number of each request.
    held: Vec<(i64, Request)>,
}

impl Setup {
    /// Whether the worktree is being prepared.
    pub(super) const fn is_running(&self) -> bool {
        self.news.is_some()
    }

    /// Why the agent was not started, if that is why.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The process of a command, which only its thread reaps.
    pub(super) const fn child(&self) -> &OwnChild {
        &self.child
    }

    /// Ends it soon, with all its processes.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Keeps a request that needs an agent; returns any other, and each where nothing is prepared.
    pub(super) fn hold(&mut self, taken: (i64, Request)) -> Option<(i64, Request)> {
        if !self.is_running() || matches!(taken.1, Request::Stop { .. }) {
            return Some(taken);
        }
        self.held.push(taken);
        None
    }

    /// Waits for the next report; forever where nothing is prepared.
    pub(super) async fn next(&mut self) -> SetupNews {
        match &mut self.news {
            // A thread that panicked says nothing more.
            Some(news) => news.recv().await.unwrap_or_else(|| {
                SetupNews::Ended(Err((ErrorCode::SetupFailed, "the setup ended without a result".to_owned())))
            }),
            None => std::future::pending().await,
        }
    }
}

/// What the thread needs.
struct SetupWork {
    orders: WorktreeOrders,
    worktree: std::path::PathBuf,
    environment: Environment,
    log: std::path::PathBuf,
    owner: RunDirectory,
    stop: Arc<AtomicBool>,
    child: OwnChild,
}

impl SetupWork {
    fn run(&self, report: &mut dyn FnMut(String)) -> Result<(), PrepareError> {
        let preparation = Preparation {
            checkout: &self.orders.checkout,
            worktree: &self.worktree,
            settings: &self.orders.settings,
            environment: &self.environment,
            log: &self.log,
            stop: &self.stop,
            child: &self.child,
            is_independent: false,
        };
        preparation.run(report)?;
        fault::point("setup.executed");
        PreparedState { sha256: self.orders.sha256.clone(), done: true }.write(&self.owner)?;
        fault::point("setup.done");
        Ok(())
    }
}

impl Supervisor<'_> {
    /// Begins to prepare the worktree, where that is to be done. Returns whether the agent has to wait for it.
    pub(super) fn begin_setup(&mut self) -> bool {
        let (Some(orders), Some(worktree)) = (self.launch.worktree.take(), &self.row.worktree_path) else {
            return false;
        };
        let work = SetupWork {
            orders,
            worktree: worktree.into(),
            environment: self.process.environment().clone(),
            log: self.home.run(&self.id).file(LOG),
            owner: self.home.run(&self.row.worktree_owner()),
            stop: Arc::clone(&self.setup.stop),
            child: self.setup.child.clone(),
        };
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        self.setup.news = Some(receiver);
        let evidence = Evidence::Fact("the worktree is being prepared".to_owned());
        self.record_activity(ActivityChange { activity: Activity::Setup, evidence });
        self.store_activity();
        let work = move || {
            // The supervisor may have ended meanwhile.
            let mut report = |notice| drop(sender.blocking_send(SetupNews::Notice(notice)));
            let outcome = work.run(&mut report).map_err(|error| (error.code(), error.to_string()));
            let _ = sender.blocking_send(SetupNews::Ended(outcome));
        };
        if let Err(error) = std::thread::Builder::new().name("setup".to_owned()).spawn(work) {
            self.setup_ended(Err((ErrorCode::SetupFailed, format!("the setup could not be started: {error}"))));
        }
        true
    }

    /// Handles a report of the thread.
    pub(super) fn handle_setup(&mut self, news: SetupNews) {
        match news {
            SetupNews::Notice(message) => self.record_event(Event::Notice { message }, true),
            SetupNews::Ended(outcome) => self.setup_ended(outcome),
        }
    }

    fn setup_ended(&mut self, outcome: Result<(), (ErrorCode, String)>) {
        self.setup.news = None;
        info!(succeeded = outcome.is_ok(), "setup ended");
        // Also what changed its environment and its session.
        for process in self.process.leftovers() {
            process.signal(Signal::KILL);
        }
        let attempt = self.run.attempt();
        let stops = matches!(self.run.progress, Progress::Running { phase: Phase::Starting(Some(_)), .. });
        match outcome {
            Ok(()) if !stops => {
                // Its failure is an event and ends the run.
                let _ = self.start_agent();
            }
            Ok(()) => self.feed(&Input::StartFailed { attempt, code: ErrorCode::SetupFailed }),
            Err((code, message)) => {
                if !stops {
                    self.record_event(Event::Error { message: message.clone() }, true);
                    self.setup.failure = Some(message);
                }
                self.feed(&Input::StartFailed { attempt, code });
            }
        }
        let is_over = self.run.state().is_terminal();
        for (number, request) in std::mem::take(&mut self.setup.held) {
            match is_over {
                true => self.finish_request(number, Err("the run ended before its agent started".into())),
                false => self.handle_request(number, request),
            }
        }
    }
}
