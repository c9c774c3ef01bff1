//! The project file, `.agency/project.toml`: commands that a repository proposes, and that its user approves.
//!
//! The one rule: nothing in the file is executed before the user has approved exactly this content. A change of a single
//! byte voids the approval.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config};
//! # let place = tempfile::tempdir()?;
//! # std::fs::create_dir(place.path().join(".agency"))?;
//! # let root = place.path();
//! std::fs::write(root.join(".agency/project.toml"), "[land]\ncheck = [\"npm test\"]\n")?;
//! # let mut agency = Agency::builder().home(root.join("home")).config(Config::default()).build()?;
//! let project = agency.project(root)?.unwrap();
//! assert!(!project.is_trusted() && project.commands()[0].command == "npm test");
//! agency.trust(&project)?;
//! assert!(agency.project(root)?.unwrap().is_trusted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod question;

use std::fmt::Write;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_model::{ErrorCode, QuestionKey};
use agency_system::files::regular;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use self::file::ProjectFile;
use crate::agency::Agency;
use crate::config::{ConfigError, parse_strictly};
use crate::runs::caller::{CallerError, NotAllowed};
use crate::store::{ApprovedContent, StoreError, TrustedProject, trust_key};

/// Where the file is, below the top of the repository's own checkout.
pub const PROJECT_FILE: &str = ".agency/project.toml";
/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// A project file as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    repository: PathBuf,
    sha256: String,
    file: ProjectFile,
    trusted: bool,
}

/// A command that a project file proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ProjectCommand {
    /// The key that it stands at, such as `land.check`.
    pub key: String,
    /// The command, for `sh -c`.
    pub command: String,
}

/// Why a project file is not used.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ProjectError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It is not right.
    #[error(transparent)]
    Invalid(#[from] ConfigError),
    /// Its user has not approved it.
    #[error("{} is not approved as it is now; its commands: {}", path.display(), commands.join("; "))]
    NotTrusted {
        /// The top of the repository.
        repository: PathBuf,
        /// The file.
        path: PathBuf,
        /// What it would execute.
        commands: Vec<String>,
    },
    /// The caller is an agent.
    #[error("{0}; agents may not approve the commands of a project")]
    NotAllowed(#[from] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CallerError> for ProjectError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::NotAllowed(refusal) => Self::NotAllowed(refusal),
            CallerError::Store(error) => Self::Store(error),
        }
    }
}

impl ProjectError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unreadable { .. } => ErrorCode::InvalidPath,
            Self::Invalid(_) => ErrorCode::InvalidConfig,
            Self::NotTrusted { .. } => ErrorCode::NotTrusted,
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// The project file in the checkout of a repository; `None` where it has none.
    pub fn project(&self, repository: &Path) -> Result<Option<Project>, ProjectError> {
        let path = repository.join(PROJECT_FILE);
        let Some(text) = read(&path)? else { return Ok(None) };
        let sha256 = hexadecimal(&Sha256::digest(text.as_bytes()));
        let file = parse_strictly(&path, &text)?;
        let trusted = self.store.is_trusted(&key_of(repository), &sha256)?;
        Ok(Some(Project { repository: repository.to_owned(), sha256, file, trusted }))
    }

    /// Approves the commands of a project file, as long as the file stays as it is. Agents may not.
    pub fn trust(&mut self, project: &Project) -> Result<(), ProjectError> {
        self.permitted_caller()?;
        let ApprovedContent { repo, sha256, commands } = project.content();
        Ok(self.store.trust(&repo, &sha256, &commands)?)
    }

    /// Every content of a project file that was approved, by repository.
    pub fn trusted_projects(&self) -> Result<Vec<TrustedProject>, ProjectError> {
        Ok(self.store.trusted_projects()?)
    }

    /// Withdraws all approvals for a repository, and returns how many there were. Agents may not.
    pub fn revoke_trust(&mut self, repository: &Path) -> Result<usize, ProjectError> {
        self.permitted_caller()?;
        Ok(self.store.revoke_trust(&key_of(repository))?)
    }
}

impl Project {
    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.repository.join(PROJECT_FILE)
    }

    /// What identifies its content.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// By what a question about its commands is known.
    pub(crate) fn trust_key(&self) -> QuestionKey {
        trust_key(&key_of(&self.repository), &self.sha256)
    }

    /// What an approval of it stores.
    pub(crate) fn content(&self) -> ApprovedContent {
        let commands = self.commands().into_iter().map(|command| command.command).collect();
        ApprovedContent { repo: key_of(&self.repository), sha256: self.sha256.clone(), commands }
    }

    /// Whether the user approved exactly this content.
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Everything that it would execute.
    #[must_use]
    pub fn commands(&self) -> Vec<ProjectCommand> {
        let command = |command: &String| ProjectCommand { key: "land.check".to_owned(), command: command.clone() };
        self.file.land.check.iter().map(command).collect()
    }

    /// The commands that check what is to land. An error before the user approved the file, unless there are none.
    pub fn checks(&self) -> Result<&[String], ProjectError> {
        if self.trusted || self.file.land.check.is_empty() {
            return Ok(&self.file.land.check);
        }
        let commands = self.commands().into_iter().map(|command| command.command).collect();
        Err(ProjectError::NotTrusted { repository: self.repository.clone(), path: self.path(), commands })
    }

    /// How long a check may take.
    #[must_use]
    pub fn check_limit(&self) -> Duration {
        Duration::from_secs(u64::from(self.file.land.check_minutes) * 60)
    }

    /// Whether work lands only after a user approved it.
    #[must_use]
    pub const fn requires_approval(&self) -> bool {
        self.file.land.require_approval
    }
}

/// The text of the file; `None` where there is none.
fn read(path: &Path) -> Result<Option<String>, ProjectError> {
    let unreadable = |source| ProjectError::Unreadable { path: path.to_owned(), source };
    let file = match regular(OpenOptions::new().read(true), path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unreadable(io::Error::other(format!("it is larger than {MAX_BYTES} bytes"))));
    }
    Ok(Some(text))
}

/// What approvals are stored under, whichever link leads to the repository.
fn key_of(repository: &Path) -> String {
    repository.canonicalize().unwrap_or_else(|_| repository.to_owned()).display().to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
