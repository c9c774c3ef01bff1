//! Workflows: sessions, their drivers, and the commands of users. Everything goes through [`Orchestrator`].
//!
//! `engine` executes the workflow of one session, `state` keeps what is known of all. A session is driven by a run like
//! any other, so nothing of a run's life is written here again.
//!
//! ```standalone_crate
//! use std::sync::atomic::AtomicBool;
//!
//! use agency_engine::agency::Agency;
//! use agency_engine::config::Config;
//! use agency_engine::orchestrator::{FollowEnd, Orchestrator, SessionEvent, StartRequest};
//! use agency_engine::workflow::{Project, load};
//! use agency_model::workflow::{SessionState, Task};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     agency_engine::init();
//!     # let place = tempfile::tempdir()?;
//!     # let repository = agency_engine::scripted::sample::create(&place.path().join("repository"))?.path;
//!     # let home = place.path().join("home");
//!     let file = repository.join("release.yaml");
//!     std::fs::write(&file, "name: release\nsteps:\n  - { name: ok, type: approval, message: 'Release it?' }\n")?;
//!     let config = Config::default();
//!     let workflow = load(&Project::around(&repository), &file, &config, None)?;
//!
//!     let mut orchestrator = Orchestrator::new(Agency::builder().home(home).config(config).build()?);
//!     let request = StartRequest::new(workflow, &repository, Task::new("Release 1.2", ""));
//!     let session = orchestrator.start(request, &AtomicBool::new(false))?;
//!     let mut events = orchestrator.session_events(session.id(), 0)?;
//!     for event in &mut events {
//!         if let SessionEvent::Interaction(_question) = event? {
//!             orchestrator.approve(session.id(), None, "a program")?;
//!         }
//!     }
//!     assert_eq!(events.end(), Some(FollowEnd::Over(SessionState::Completed)));
//!     Ok(())
//! }
//! ```

mod commands;
mod engine;
mod error;
mod follow;
mod logging;
mod overview;
mod sessions_in_use;
mod start;
mod state;

use agency_model::{RunKind, SessionId};

pub use engine::{DriveError, DriverContext, DriverProtocol, DriverStream, WorkflowExecutor, describe_fact};
pub use error::OrchestratorError;
pub use follow::{FollowEnd, SessionEvent, SessionEvents};
pub use logging::StepLog;
pub use overview::{Overview, StepOverview};
#[doc(hidden)]
pub use sessions_in_use::SessionsInUse;
pub use sessions_in_use::needing_session;
pub use start::{CallerEnv, StartRequest};
#[doc(hidden)]
pub use state::{Journal, KeptSpell, NewSession, SESSION_VERSION, SessionDirectory};
pub use state::{SessionError, SessionManager, SessionRecord, StepNode, StepState, WorkflowSession};

use crate::agency::Agency;
use crate::store::{RunFilter, RunRow, StoreError};

/// A session in a list.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ListedSession {
    /// Which one.
    pub id: SessionId,
    /// What it is, if it can be read.
    pub session: Result<WorkflowSession, SessionError>,
}

/// Starts, shows and ends workflow sessions. A clone has a database connection of its own, and can be used in another
/// thread.
#[derive(Debug, Clone)]
pub struct Orchestrator {
    agency: Agency,
    sessions: SessionManager,
}

impl Orchestrator {
    /// The sessions of this place.
    #[must_use]
    pub fn new(agency: Agency) -> Self {
        let sessions = SessionManager::new(agency.home.clone());
        Self { agency, sessions }
    }

    /// The place.
    pub const fn agency(&mut self) -> &mut Agency {
        &mut self.agency
    }

    /// Where sessions are kept.
    #[must_use]
    pub const fn sessions(&self) -> &SessionManager {
        &self.sessions
    }

    /// The one session that an id, the beginning of one, or `last` stands for.
    pub fn select(&self, text: &str) -> Result<SessionId, OrchestratorError> {
        Ok(self.sessions.select(text)?)
    }

    /// A session as it is now.
    pub fn show(&self, id: &SessionId) -> Result<WorkflowSession, OrchestratorError> {
        Ok(self.sessions.load(id)?)
    }

    /// Every session, newest first; one that cannot be read says why.
    pub fn list(&self) -> Result<Vec<ListedSession>, OrchestratorError> {
        let ids = self.sessions.ids()?;
        Ok(ids.into_iter().map(|id| ListedSession { session: self.sessions.load(&id), id }).collect())
    }

    /// The run that drives a session now, reconciled.
    fn driver(&mut self, id: &SessionId) -> Result<Option<RunRow>, OrchestratorError> {
        self.agency.reconcile_live()?;
        Ok(self.agency.drivers_of(id)?.pop().filter(|driver| !driver.state.is_terminal()))
    }
}

impl Agency {
    /// The runs that drove a session, oldest first.
    pub(crate) fn drivers_of(&self, id: &SessionId) -> Result<Vec<RunRow>, StoreError> {
        let mut drivers = self.store.list(&RunFilter {
            kind: Some(RunKind::Workflow),
            session: Some(id.clone()),
            removed: true,
            ..RunFilter::default()
        })?;
        drivers.reverse();
        Ok(drivers)
    }
}
