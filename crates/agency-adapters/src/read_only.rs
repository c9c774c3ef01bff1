//! Starting an agent so that it can only read the sources of a question.
//!
//! The one rule: what an agent cannot be kept from is stated in `docs/ask.md`, and a test shows each of its limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{AdapterError, ServerListing, StreamFormat, Variables};

/// How an agent is started so that it can only read.
#[derive(Debug, Clone, Copy)]
pub struct ReadOnlyMode {
    /// How it is asked for the MCP servers that have to be switched off; none where that is not necessary.
    pub servers: Option<ServerListing>,
    /// Puts together how it is started.
    pub launch: fn(&ReadOnlyRequest<'_>) -> Result<ReadOnlyLaunch, AdapterError>,
}

/// Which agent to restrict to reading, and where.
#[derive(Debug, Clone, Copy)]
pub struct ReadOnlyRequest<'a> {
    /// Whether it answers one question and ends; otherwise the user talks with it on a terminal.
    pub one_question: bool,
    /// The scratch directory.
    pub directory: &'a Path,
    /// A file that names no MCP server.
    pub mcp_config: &'a Path,
    /// The sources.
    pub sources: &'a [ReadOnlySource],
    /// The environment of the agent, its own variables of the configuration included.
    pub environment: &'a Variables,
    /// What it printed for [`ReadOnlyMode::servers`]; none where it failed or was not asked.
    pub listed_servers: Option<&'a Value>,
}

/// A source that the agent reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnlySource {
    /// The name of its link in the scratch directory.
    pub name: String,
    /// Its path, without links.
    pub path: PathBuf,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// How an agent is started that can only read.
#[derive(Debug)]
pub struct ReadOnlyLaunch {
    /// All arguments.
    pub args: Vec<String>,
    /// Variables that no other setting replaces.
    pub env: BTreeMap<String, String>,
    /// Entries that it needs in its scratch directory.
    pub entries: Vec<(String, ReadOnlyEntry)>,
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

/// Something that an agent needs in its scratch directory, in place of a link or a file of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnlyEntry {
    /// A file with this content.
    File(String),
    /// An empty directory.
    Directory,
    /// A link to the first of these files that exists; an empty file if none does.
    LinkToFirst(Vec<PathBuf>),
    /// A copy of a file, which cannot be written to.
    Copy(PathBuf),
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

    /// The sources that are directories.
    pub(super) fn directories(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter(|source| source.is_directory).map(|source| source.path.as_path())
    }

    /// The sources that are files, as copies under their names.
    pub(super) fn copied_files(&self) -> impl Iterator<Item = (String, ReadOnlyEntry)> {
        let files = self.sources.iter().filter(|source| !source.is_directory);
        files.map(|source| (source.name.clone(), ReadOnlyEntry::Copy(source.path.clone())))
    }
}

/// Owned arguments.
pub(super) fn strings<const N: usize>(strings: [&str; N]) -> Vec<String> {
    strings.map(str::to_owned).to_vec()
}

/// Servers that are not known cannot be switched off.
pub(super) fn unlisted(agent: &str, command: &str) -> AdapterError {
    AdapterError::ReadOnly {
        message: format!("{agent} does not say which MCP servers it would start"),
        hint: format!("`{command}` says what is wrong; an `ask` command of your own is started as it is"),
    }
}
