//! What an agent keeps in files of the user's, described as data.
//!
//! The one rule: a description names files and programs, and functions that understand their bytes. The caller reads,
//! writes and runs them.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Variables;

/// The user's settings in which an agent keeps the directories that it trusts. The agent itself locks the file by a
/// directory beside it, `<file>.lock`.
#[derive(Debug, Clone, Copy)]
pub struct TrustSettings {
    /// The file; none without a home directory.
    pub file: fn(&Variables) -> Option<PathBuf>,
    /// The settings with the directory as trusted.
    pub grant: EditTrust,
    /// The settings without the directory.
    pub revoke: EditTrust,
}

/// Changes settings, which are none where the file does not exist; returns none where nothing changes.
pub type EditTrust = fn(Option<&[u8]>, &str) -> Result<Option<Vec<u8>>, serde_json::Error>;

/// The user's settings that say what an agent's sandbox may write to.
#[derive(Debug, Clone, Copy)]
pub struct SandboxSettings {
    /// The file; none without a home directory.
    pub file: fn(&Variables) -> Option<PathBuf>,
    /// The directories that its text names.
    pub roots: fn(&str) -> Vec<PathBuf>,
}

/// The user's settings that MCP servers are added to, where a process reads ours instead of them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum McpSettings {
    /// There are none, or they are read besides ours.
    #[default]
    None,
    /// This text.
    Text(String),
    /// A file. Everything else in its directory is linked into the run's own.
    File {
        /// The directory.
        directory: PathBuf,
        /// The file in it.
        name: &'static str,
        /// Directories in it that are made if they are missing, so that all runs share them.
        shared: &'static [&'static str],
    },
}

/// Where an agent keeps its conversations.
#[derive(Debug, Clone)]
pub enum Conversations {
    /// In files.
    Files(ConversationFiles),
    /// Its program lists them.
    Listing(ConversationListing),
}

/// Conversations in files, one each.
#[derive(Debug, Clone)]
pub struct ConversationFiles {
    /// The directory above all of them.
    pub root: PathBuf,
    /// The names of the directories below it, and last those of the files. A `*` stands for any text. Where it stands, the
    /// names sort by time.
    pub levels: &'static [&'static str],
    /// Reads the lines of a file; none where it is not a conversation of the run.
    pub read: fn(&SearchedRun<'_>, &mut dyn Iterator<Item = String>) -> Option<FoundConversation>,
}

/// Conversations that a program lists.
#[derive(Debug, Clone)]
pub struct ConversationListing {
    /// The arguments of the agent's program, which is started in the directory of the run.
    pub args: &'static [&'static str],
    /// The id of the newest conversation in the run's directory, by what the program printed.
    pub newest: fn(&[u8], &Path) -> Option<String>,
}

/// The run whose conversation is searched.
#[derive(Debug, Clone, Copy)]
pub struct SearchedRun<'a> {
    /// Its directory.
    pub directory: &'a Path,
    /// The same without links in its path, if it exists.
    pub resolved_directory: Option<&'a Path>,
    /// When the run began, and when it ended if it has.
    pub during: (Timestamp, Option<Timestamp>),
}

/// A conversation of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundConversation {
    /// The agent's own id of it.
    pub id: String,
    /// When it began; none where the names of the files tell which is the newest.
    pub started_at: Option<Timestamp>,
}

/// How an agent is asked which MCP servers it would start. It runs where no project is.
#[derive(Debug, Clone, Copy)]
pub struct ServerListing {
    /// The arguments of the agent's program, which prints JSON.
    pub args: &'static [&'static str],
    /// Variables besides those of the agent.
    pub env: &'static [(&'static str, &'static str)],
}
