//! How each built-in agent is kept to reading the sources: one file per agent.
//!
//! The one rule: what an agent cannot be kept from is stated in `docs/ask.md`, and a test shows each of its limits.

mod claude;
mod codex;
mod gemini;
mod opencode;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::command::{Purpose, Subject};
use crate::adapter::StreamFormat;
use crate::config::Seclusion;
use crate::create::CreateError;
use crate::workspace::{ScratchEntry, Workspace};

/// An agent that is to be kept to reading.
pub(super) struct Secluded<'a> {
    pub(super) subject: &'a Subject<'a>,
    /// What the agent gets, its own variables of the configuration included.
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
    pub(super) program: &'a Path,
}

/// What keeps an agent to reading.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// All arguments.
    pub(super) args: Vec<String>,
    /// Variables that no other setting replaces.
    pub(super) env: BTreeMap<String, String>,
    /// What it needs in its scratch directory.
    pub(super) entries: Vec<(String, ScratchEntry)>,
    /// Where it finds the sources, relative to the directory in which it works.
    pub(super) sources_below: SourcesBelow,
}

/// Where an agent finds the links to the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SourcesBelow {
    /// In its own directory.
    #[default]
    Here,
    /// Beside its own directory.
    Parent,
}

impl SourcesBelow {
    /// The beginning of the path of every source.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Here => "./",
            Self::Parent => "../",
        }
    }
}

impl Secluded<'_> {
    /// What keeps the agent to reading, and what it prints.
    pub(super) fn limits(&self, seclusion: Seclusion) -> Result<(Limits, StreamFormat), CreateError> {
        Ok(match seclusion {
            Seclusion::Claude => (self.claude(), StreamFormat::Claude),
            Seclusion::Codex => (self.codex()?, StreamFormat::Codex),
            Seclusion::Gemini => (self.gemini(), StreamFormat::Gemini),
            Seclusion::Opencode => (self.opencode()?, StreamFormat::Opencode),
            Seclusion::Unknown => (Limits::default(), StreamFormat::Text),
        })
    }

    fn is_ask(&self) -> bool {
        self.subject.purpose == Purpose::Ask
    }

    /// A name that no file or server of the user or of a source has.
    fn unused_name(&self) -> String {
        self.subject.scratch.directory().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The sources that are directories, without links in their paths.
    fn directories(&self) -> impl Iterator<Item = PathBuf> {
        self.targets().map(|(_, target)| target).filter(|target| target.is_dir())
    }

    /// The sources that are files, with their names.
    fn files(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.targets().filter(|(_, target)| !target.is_dir())
    }

    fn targets(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let links = self.subject.scratch.links().iter();
        links.map(|(name, target)| (name.as_str(), target.canonicalize().unwrap_or_else(|_| target.clone())))
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.get(OsStr::new(name)).filter(|value| !value.is_empty())
    }
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}
