//! Sources: repositories, directories and files that a question can be about, and groups of them.
//!
//! The one rule: a source is only ever read. What agency writes are its own clones and its own list.
//!
//! ```
//! use agency_engine::sources::{Source, Sources};
//!
//! # let place = tempfile::tempdir()?;
//! # let place = place.path().to_owned();
//! # std::fs::create_dir(place.join("docs"))?;
//! let sources = Sources::beside(&place.join("config.toml"), &place.join("clones"));
//! sources.add(&Source::directory("docs", place.join("docs")).description("How it works"))?;
//! sources.add_group("all", &["docs".to_owned()])?;
//! assert_eq!(sources.resolve(&[], &["all".to_owned()])?[0].path, place.join("docs"));
//! assert!(sources.source("dogs").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod file;
mod import;
mod name;
mod resolve;
mod sync;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use error::SourceError;
pub use import::Imported;
pub use name::masked;
pub use resolve::ResolvedSource;
pub use sync::{SyncEvent, Synced};

use agency_workspace::forget_clone;
pub(crate) use name::check_name;
use name::{check_ref, check_url};

/// Something that a question can be about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// What it is, and where.
    pub kind: SourceKind,
    /// A description.
    pub description: Option<String>,
}

/// What a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SourceKind {
    /// A repository, of which agency keeps a clone.
    Git {
        /// Where it comes from.
        url: String,
        /// A branch, tag or commit; the default branch if absent.
        reference: Option<String>,
    },
    /// A directory of the user's.
    Directory {
        /// Where it is.
        path: PathBuf,
    },
    /// A file of the user's.
    File {
        /// Where it is.
        path: PathBuf,
    },
}

impl Source {
    /// A directory, at an absolute path.
    pub fn directory(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), kind: SourceKind::Directory { path: path.into() }, description: None }
    }

    /// A file, at an absolute path.
    pub fn file(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), kind: SourceKind::File { path: path.into() }, description: None }
    }

    /// The default branch of a repository, of which [`Sources::sync`] makes a clone.
    pub fn git(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self { name: name.into(), kind: SourceKind::Git { url: url.into(), reference: None }, description: None }
    }

    /// With a description, which the agent reads.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }
}

impl SourceKind {
    /// Its name.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Git { .. } => "git",
            Self::Directory { .. } => "dir",
            Self::File { .. } => "file",
        }
    }
}

/// All sources and groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Catalogue {
    /// The sources by name.
    pub sources: BTreeMap<String, Source>,
    /// The groups by name, each with the names of its sources.
    pub groups: BTreeMap<String, Vec<String>>,
}

/// One user's sources.
#[derive(Debug, Clone)]
pub struct Sources {
    file: PathBuf,
    clones: PathBuf,
}

impl Sources {
    /// The sources that are listed in `sources.toml` beside the configuration file, with clones below a directory.
    #[must_use]
    pub fn beside(config_file: &Path, sources_dir: &Path) -> Self {
        let directory = config_file.parent().unwrap_or(Path::new(""));
        Self { file: directory.join("sources.toml"), clones: sources_dir.join("git") }
    }

    /// The list.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Reads the list.
    pub fn catalogue(&self) -> Result<Catalogue, SourceError> {
        file::read(&self.file)
    }

    /// The source with this name.
    pub fn source(&self, name: &str) -> Result<Source, SourceError> {
        let catalogue = self.catalogue()?;
        catalogue.sources.get(name).cloned().ok_or_else(|| catalogue.unknown("source", name))
    }

    /// Adds a source under a name that is free.
    pub fn add(&self, source: &Source) -> Result<(), SourceError> {
        check(source)?;
        file::change(&self.file, |catalogue| {
            if catalogue.sources.contains_key(&source.name) {
                return Err(SourceError::Exists { what: "source", name: source.name.clone() });
            }
            catalogue.sources.insert(source.name.clone(), source.clone());
            Ok(())
        })
    }

    /// Takes a source off the list and out of its groups, and deletes its clone. Says which groups it was in.
    pub fn remove(&self, name: &str) -> Result<(Source, Vec<String>), SourceError> {
        let removed = file::change(&self.file, |catalogue| {
            let Some(source) = catalogue.sources.remove(name) else {
                return Err(catalogue.unknown("source", name));
            };
            let mut left = vec![];
            for (group, members) in &mut catalogue.groups {
                if members.iter().any(|member| member == name) {
                    members.retain(|member| member != name);
                    left.push(group.clone());
                }
            }
            catalogue.groups.retain(|_, members| !members.is_empty());
            Ok((source, left))
        })?;
        let _lock = self.lock_clone(name)?;
        forget_clone(&self.clone_of(name))?;
        Ok(removed)
    }

    /// Makes a group of sources under a name that is free.
    pub fn add_group(&self, name: &str, members: &[String]) -> Result<(), SourceError> {
        check_name(name)?;
        file::change(&self.file, |catalogue| {
            if catalogue.groups.contains_key(name) {
                return Err(SourceError::Exists { what: "group", name: name.to_owned() });
            }
            if let Some(unknown) = members.iter().find(|member| !catalogue.sources.contains_key(*member)) {
                return Err(catalogue.unknown("source", unknown));
            }
            let mut once: Vec<String> = vec![];
            for member in members {
                if !once.contains(member) {
                    once.push(member.clone());
                }
            }
            catalogue.groups.insert(name.to_owned(), once);
            Ok(())
        })
    }

    /// Takes a group off the list; its sources stay.
    pub fn remove_group(&self, name: &str) -> Result<Vec<String>, SourceError> {
        file::change(&self.file, |catalogue| {
            catalogue.groups.remove(name).ok_or_else(|| catalogue.unknown("group", name))
        })
    }

    /// Where the clone of a git source is.
    #[must_use]
    pub fn clone_of(&self, name: &str) -> PathBuf {
        self.clones.join(name)
    }

    /// Where the files of a source are.
    #[must_use]
    pub fn path_of(&self, source: &Source) -> PathBuf {
        match &source.kind {
            SourceKind::Git { .. } => self.clone_of(&source.name),
            SourceKind::Directory { path } | SourceKind::File { path } => path.clone(),
        }
    }
}

impl Catalogue {
    /// The error for a name that nothing has, with those that were probably meant.
    pub(crate) fn unknown(&self, what: &'static str, name: &str) -> SourceError {
        let names: Vec<&str> = match what {
            "group" => self.groups.keys().map(String::as_str).collect(),
            _ => self.sources.keys().map(String::as_str).collect(),
        };
        let first = agency_model::nearest(name, names.iter().copied());
        let others = names.iter().copied().filter(|other| Some(*other) != first);
        let second = first.and_then(|_| agency_model::nearest(name, others));
        let nearest = [first, second].into_iter().flatten().map(str::to_owned).collect();
        SourceError::NotFound { what, name: name.to_owned(), nearest }
    }
}

/// Checks a source to add.
fn check(source: &Source) -> Result<(), SourceError> {
    check_name(&source.name)?;
    let missing = |path: &Path, why| SourceError::Gone {
        name: source.name.clone(),
        path: path.to_owned(),
        why,
        hint: "name one that is there".to_owned(),
    };
    let words = source.description.as_deref().unwrap_or_default();
    if words.chars().any(char::is_control) {
        let why = "it has a line break or another control character";
        return Err(SourceError::Invalid { what: "the description", value: words.to_owned(), why });
    }
    if let SourceKind::Directory { path } | SourceKind::File { path } = &source.kind
        && !path.is_absolute()
    {
        let value = path.display().to_string();
        return Err(SourceError::Invalid { what: "the path", value, why: "it is not absolute" });
    }
    match &source.kind {
        SourceKind::Git { url, reference } => {
            check_url(url)?;
            reference.as_deref().map_or(Ok(()), check_ref)
        }
        SourceKind::Directory { path } if path.is_dir() => Ok(()),
        SourceKind::Directory { path } => Err(missing(path, "is not a directory")),
        SourceKind::File { path } if path.is_file() => Ok(()),
        SourceKind::File { path } => Err(missing(path, "is not a file")),
    }
}
