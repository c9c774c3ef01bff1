//! Starting an agent so that it can only read the sources of a question.
//!
//! The one rule: what an agent cannot be kept from is stated in `docs/ask.md`, and a test shows each of its limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{StreamFormat, Variables};
use crate::workspace::ScratchEntry;

/// Which agent is to be kept to reading, and where.
#[derive(Debug, Clone, Copy)]
pub struct ReadOnlyRequest<'a> {
    /// Whether it answers one question and ends; otherwise the user talks with it on a terminal.
    pub one_question: bool,
    /// The scratch directory.
    pub directory: &'a Path,
    /// A file that names no MCP server.
    pub mcp_config: &'a Path,
    /// The sources, by the name of their link in the scratch directory.
    pub links: &'a [(String, PathBuf)],
    /// The environment of the agent, its own variables of the configuration included.
    pub environment: &'a Variables,
    /// Its program.
    pub program: &'a Path,
}

/// How an agent is started that can only read.
#[derive(Debug)]
pub struct ReadOnlyLaunch {
    /// All arguments.
    pub args: Vec<String>,
    /// Variables that no other setting replaces.
    pub env: BTreeMap<String, String>,
    /// Entries that it needs in its scratch directory.
    pub(crate) entries: Vec<(String, ScratchEntry)>,
    /// Where it finds the sources, relative to the directory in which it works.
    pub sources_below: SourcesBelow,
    /// What it prints.
    pub stream: StreamFormat,
}

impl ReadOnlyLaunch {
    pub(super) fn new(stream: StreamFormat) -> Self {
        let (args, env, entries) = (vec![], BTreeMap::new(), vec![]);
        Self { args, env, entries, sources_below: SourcesBelow::Here, stream }
    }
}

/// Where an agent finds the links to the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SourcesBelow {
    /// In its own directory.
    #[default]
    Here,
    /// Beside its own directory.
    Parent,
}

impl SourcesBelow {
    /// The beginning of the path of every source.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Here => "./",
            Self::Parent => "../",
        }
    }
}

impl ReadOnlyRequest<'_> {
    /// A name that no file or server of the user or of a source has.
    pub(super) fn unused_name(&self) -> String {
        self.directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The sources that are directories, without links in their paths.
    pub(super) fn directories(&self) -> impl Iterator<Item = PathBuf> {
        self.targets().map(|(_, target)| target).filter(|target| target.is_dir())
    }

    /// The sources that are files, with their names.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.targets().filter(|(_, target)| !target.is_dir())
    }

    fn targets(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let links = self.links.iter();
        links.map(|(name, target)| (name.as_str(), target.canonicalize().unwrap_or_else(|_| target.clone())))
    }
}

/// Owned arguments.
pub(super) fn strings<const N: usize>(strings: [&str; N]) -> Vec<String> {
    strings.map(str::to_owned).to_vec()
}
