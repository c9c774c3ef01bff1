//! What a planned run's worktree gets beside the files of its commit.
//!
//! The one rule: the project file that counts is the one in the user's own checkout, never the copy of an agent.

use std::collections::{BTreeMap, BTreeSet};

use agency_model::WorkspaceKind;
use agency_workspace::Repository;
use sha2::{Digest, Sha256};

use super::execute::Creation;
use super::origin::RunOrigin;
use super::{CreateError, SetupChoice};
use crate::agency::Agency;
use crate::store::{PortRange, RunRow};
use crate::worktree::{FIRST_PORT, PORTS, PreparedState, WorktreeOrders, WorktreeSettings, is_free};

impl Agency {
    /// What the worktree gets. An error where the user has to approve it first.
    pub(super) fn worktree_setup(
        &self,
        origin: &RunOrigin,
        repository: &Repository,
        choice: SetupChoice,
    ) -> Result<Option<WorktreeOrders>, CreateError> {
        let is_due = match origin {
            RunOrigin::NewWorktree { .. } => true,
            RunOrigin::Resumes(resume) if resume.parent.workspace == WorkspaceKind::Worktree => {
                PreparedState::read(&self.home.run(&resume.parent.worktree_owner()))?.is_some_and(|state| !state.done)
            }
            RunOrigin::Resumes(_) | RunOrigin::InPlace | RunOrigin::Beside(_) | RunOrigin::Ask(_) => false,
        };
        if !is_due {
            return Ok(None);
        }
        let project = self.project(repository.root());
        let (project, settings) = match (project, choice) {
            (Ok(Some(project)), SetupChoice::Project) => {
                let settings = project.worktree()?.clone();
                (project, settings)
            }
            (Ok(Some(project)), SetupChoice::None) => {
                let ports = project.proposed_worktree().ports.clone();
                (project, WorktreeSettings { ports, ..WorktreeSettings::default() })
            }
            (Ok(None), _) | (Err(_), SetupChoice::None) => return Ok(None),
            (Err(error), SetupChoice::Project) => return Err(error.into()),
        };
        let sha256 = project.sha256().to_owned();
        Ok(Some(WorktreeOrders { checkout: repository.root().to_owned(), settings, sha256 }))
    }
}

impl Creation<'_> {
    /// Gives the worktree its ports; those of a run that is continued stay the same.
    pub(super) fn claim_ports(&mut self) -> Result<BTreeMap<String, u16>, CreateError> {
        let Some(worktree) = self.plan.worktree(&self.agency.home).map(|path| path.display().to_string()) else {
            return Ok(BTreeMap::new());
        };
        let names: BTreeSet<String> = match &self.plan.worktree_setup {
            Some(orders) => orders.settings.ports.keys().cloned().collect(),
            None if self.plan.origin.host_of_worktree().is_none() => return Ok(BTreeMap::new()),
            None => BTreeSet::new(),
        };
        if names.is_empty() {
            return Ok(self.agency.store.ports(&worktree)?);
        }
        // Homes on one machine begin at different places.
        let digest = Sha256::digest(self.agency.home.root().as_os_str().as_encoded_bytes());
        let seed = digest.iter().take(4).fold(0_u32, |seed, byte| seed << 8 | u32::from(*byte));
        let offset = u16::try_from(seed % u32::from(PORTS)).unwrap_or_default();
        let range = PortRange { first: FIRST_PORT, count: PORTS, offset };
        // A connection of its own: this one is shared.
        let claimed = self.agency.store.clone().claim_ports(&worktree, &names, range, is_free)?;
        claimed.ok_or(CreateError::Ports(names.len()))
    }

    /// Notes that the worktree is to be prepared, so that a run that continues after a crash does it again.
    pub(super) fn note_setup(&self) -> Result<Option<WorktreeOrders>, CreateError> {
        let Some(orders) = self.plan.worktree_setup.clone().filter(|orders| orders.settings.prepare_anything()) else {
            return Ok(None);
        };
        let owner = self.plan.origin.host_of_worktree().map_or(self.plan.id.clone(), RunRow::worktree_owner);
        let state = PreparedState { sha256: orders.sha256.clone(), done: false };
        state.write(&self.agency.home.run(&owner))?;
        Ok(Some(orders))
    }
}
