//! `agency trust`: approves the content of a project file. Agents may not.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config};
//! # let place = tempfile::tempdir()?;
//! # let root = place.path();
//! # std::fs::create_dir(root.join(".agency"))?;
//! # std::fs::write(root.join(".agency/project.toml"), "[land]\ncheck = [\"npm test\"]\n")?;
//! # let mut agency = Agency::builder().home(root.join("home")).config(Config::default()).build()?;
//! let project = agency.project(root)?.unwrap();
//! agency.trust(&project)?;
//! assert_eq!(agency.revoke_trust(root)?, 1);
//! assert!(!agency.project(root)?.unwrap().is_trusted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod question;

use std::path::Path;

use agency_model::ErrorCode;

use super::caller::{CallerError, NotAllowed};
use crate::agency::Agency;
use crate::project::{Project, key_of};
use crate::store::{ApprovedContent, StoreError};

/// Why nothing was approved or withdrawn.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TrustError {
    /// The caller is an agent.
    #[error("{0}; agents may not approve the commands of a project")]
    NotAllowed(#[from] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CallerError> for TrustError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::NotAllowed(refusal) => Self::NotAllowed(refusal),
            CallerError::Store(error) => Self::Store(error),
        }
    }
}

impl TrustError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// Approves what a project file proposes, as long as the file stays as it is. Agents may not.
    pub fn trust(&mut self, project: &Project) -> Result<(), TrustError> {
        self.permitted_caller()?;
        let ApprovedContent { repo, sha256, commands } = project.content();
        Ok(self.store.trust(&repo, &sha256, &commands)?)
    }

    /// Withdraws all approvals for a repository, and returns how many there were. Agents may not.
    pub fn revoke_trust(&mut self, repository: &Path) -> Result<usize, TrustError> {
        self.permitted_caller()?;
        Ok(self.store.revoke_trust(&key_of(repository))?)
    }
}
