//! The project file, `.agency/project.toml`: commands and files that a repository proposes, and that its user approves.
//!
//! The one rule: nothing in the file is executed, copied or linked before the user has approved exactly this content. A
//! change of a single byte voids the approval. `.worktreeinclude` is part of the content.
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
use crate::store::{ApprovedContent, StoreError, TrustedProject, trust_key};
use crate::worktree::WorktreeSettings;

/// Where the file is, below the top of the repository's own checkout.
pub const PROJECT_FILE: &str = ".agency/project.toml";
/// Where the list of other programs for files to copy is, which is read too.
pub const INCLUDE_FILE: &str = ".worktreeinclude";
/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// A project file as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    repository: PathBuf,
    sha256: String,
    file: ProjectFile,
    settings: WorktreeSettings,
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

/// Files of the checkout that a project file proposes for worktrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ProjectPath {
    /// The key that it stands at, such as `worktree.copy`.
    pub key: String,
    /// The path or pattern.
    pub path: String,
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
    #[error("{} is not approved as it is now; {}", path.display(), proposal(commands, paths))]
    NotTrusted {
        /// The top of the repository.
        repository: PathBuf,
        /// The file.
        path: PathBuf,
        /// What it would execute.
        commands: Vec<String>,
        /// What it would copy or link.
        paths: Vec<String>,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a file proposes, in one line.
fn proposal(commands: &[String], paths: &[String]) -> String {
    let commands = (!commands.is_empty()).then(|| format!("its commands: {}", commands.join("; ")));
    let paths = (!paths.is_empty()).then(|| format!("its files: {}", paths.join("; ")));
    [commands, paths].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

impl ProjectError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unreadable { .. } => ErrorCode::InvalidPath,
            Self::Invalid(_) => ErrorCode::InvalidConfig,
            Self::NotTrusted { .. } => ErrorCode::NotTrusted,
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// The project file in the checkout of a repository, or its list of files to copy; `None` where it has neither.
    pub fn project(&self, repository: &Path) -> Result<Option<Project>, ProjectError> {
        let path = repository.join(PROJECT_FILE);
        let text = read(&path)?;
        let include = read(&repository.join(INCLUDE_FILE))?.filter(|text| !patterns(text).is_empty());
        if text.is_none() && include.is_none() {
            return Ok(None);
        }
        let sha256 = digest(text.as_deref().unwrap_or_default(), include.as_deref());
        let file: ProjectFile = text.map_or_else(|| Ok(ProjectFile::default()), |text| parse_strictly(&path, &text))?;
        let settings = file.worktree.settings(include.as_deref().map(patterns).unwrap_or_default());
        let trusted = self.store.is_trusted(&key_of(repository), &sha256)?;
        Ok(Some(Project { repository: repository.to_owned(), sha256, file, settings, trusted }))
    }

    /// Every content of a project file that was approved, by repository.
    pub fn trusted_projects(&self) -> Result<Vec<TrustedProject>, ProjectError> {
        Ok(self.store.trusted_projects()?)
    }
}

impl Project {
    /// The top of the repository.
    #[must_use]
    pub fn repository(&self) -> &Path {
        &self.repository
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let path = self.repository.join(PROJECT_FILE);
        let alone = !self.settings.include.is_empty() && path.symlink_metadata().is_err();
        if alone { self.repository.join(INCLUDE_FILE) } else { path }
    }

    /// What identifies its content.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// By what a question about its approval is known.
    pub(crate) fn trust_key(&self) -> QuestionKey {
        trust_key(&key_of(&self.repository), &self.sha256)
    }

    /// What an approval of it stores.
    pub(crate) fn content(&self) -> ApprovedContent {
        let commands = self.commands().into_iter().map(|command| command.command);
        let paths = self.paths().into_iter().map(|path| format!("{}: {}", path.key, path.path));
        let commands = commands.chain(paths).collect();
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
        let lists = [
            ("land.check", &self.file.land.check),
            ("worktree.setup", &self.settings.setup),
            ("worktree.teardown", &self.settings.teardown),
        ];
        let command =
            |(key, command): (&str, &String)| ProjectCommand { key: key.to_owned(), command: command.clone() };
        entries(&lists).map(command).collect()
    }

    /// Everything that worktrees would get of the checkout.
    #[must_use]
    pub fn paths(&self) -> Vec<ProjectPath> {
        let lists = [
            ("worktree.copy", &self.settings.copy),
            (INCLUDE_FILE, &self.settings.include),
            ("worktree.link", &self.settings.link),
        ];
        let path = |(key, path): (&str, &String)| ProjectPath { key: key.to_owned(), path: path.clone() };
        entries(&lists).map(path).collect()
    }

    /// Whether there is anything that a user has to approve.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        !self.file.land.check.is_empty() || self.settings.need_approval()
    }

    /// What worktrees get. An error before the user approved the file, unless that is nothing but ports.
    pub fn worktree(&self) -> Result<&WorktreeSettings, ProjectError> {
        if self.trusted || !self.settings.need_approval() { Ok(&self.settings) } else { Err(self.not_trusted()) }
    }

    /// What worktrees would get, approved or not, to be shown.
    #[must_use]
    pub const fn proposed_worktree(&self) -> &WorktreeSettings {
        &self.settings
    }

    /// The commands that check what is to land. An error before the user approved the file, unless there are none.
    pub fn checks(&self) -> Result<&[String], ProjectError> {
        if self.trusted || self.file.land.check.is_empty() {
            return Ok(&self.file.land.check);
        }
        Err(self.not_trusted())
    }

    /// The error that nothing of it may be used.
    #[must_use]
    pub fn not_trusted(&self) -> ProjectError {
        ProjectError::NotTrusted {
            repository: self.repository.clone(),
            path: self.path(),
            commands: self.commands().into_iter().map(|command| command.command).collect(),
            paths: self.paths().into_iter().map(|path| path.path).collect(),
        }
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

/// Every entry of some lists, with the key of its list.
fn entries<'a>(lists: &'a [(&'static str, &'a Vec<String>)]) -> impl Iterator<Item = (&'static str, &'a String)> {
    lists.iter().flat_map(|(key, list)| list.iter().map(|entry| (*key, entry)))
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

/// What identifies the content. Approvals of a file without a list hold as they were before lists were read.
fn digest(text: &str, include: Option<&str>) -> String {
    let mut digest = Sha256::new();
    digest.update(text.as_bytes());
    if let Some(include) = include {
        // No file that is read holds a zero byte: TOML refuses it.
        digest.update(b"\0");
        digest.update(include.as_bytes());
    }
    hexadecimal(&digest.finalize())
}

/// The patterns of a list in the syntax of `.gitignore`.
fn patterns(text: &str) -> Vec<String> {
    let trimmed = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let end = line.trim_end_matches(' ').len();
        // A space after a backslash is part of the pattern.
        let keeps = line.get(..end).is_some_and(|start| start.ends_with('\\')) && end < line.len();
        line.get(..end + usize::from(keeps)).unwrap_or(line).to_owned()
    };
    let is_pattern = |line: &String| !line.is_empty() && !line.starts_with('#') && !line.contains('\0');
    text.trim_start_matches('\u{feff}').split('\n').map(trimmed).filter(is_pattern).collect()
}

/// What approvals are stored under, whichever link leads to the repository.
pub(crate) fn key_of(repository: &Path) -> String {
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
