//! A directory for one question: links to sources, the prompt, and files that name no MCP server.
//!
//! The one rule: it is there whole and locked, or not at all; and when it goes, nothing goes that it links to.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::clear::clear;
use super::link::Identity;
use super::{
    Changes, FilesNow, Patch, PatchContext, Removal, RemoveOptions, Result, SavedWork, Workspace, WorkspaceError,
    WorktreeOutcome,
};
use agency_system::lock::Lock;

/// What every such directory is called, before its UUID.
pub const PREFIX: &str = "lctx-";
/// The file that names its owner, locked as long as the directory is in use.
pub const LOCK: &str = ".lctx.lock";
/// What an agent reads to know of no MCP server. Claude Code refuses an empty object.
const MCP_FILES: &[(&str, &str)] = &[
    (MCP_CONFIG, "{\"mcpServers\":{}}\n"),
    (".gemini/settings.json", "{}\n"),
    (".cursor/mcp.json", "{}\n"),
    ("opencode.json", "{}\n"),
];
/// What makes it the root of a repository of its own, without hooks: agents that look for settings and instructions in
/// the directories above stop at such a root.
const REPOSITORY_FILES: &[(&str, &str)] = &[
    (".git/HEAD", "ref: refs/heads/none\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];
const REPOSITORY_DIRECTORIES: &[&str] = &[".git/objects", ".git/refs"];
const MCP_CONFIG: &str = ".mcp.json";
const PROMPT: &str = "prompt.md";
/// A path is never longer.
const MAX_OWNER_BYTES: u64 = 8 * 1024;

/// The workspace of an ask or a chat.
#[derive(Debug, Clone)]
pub struct Scratch {
    path: PathBuf,
    owner: PathBuf,
    links: Vec<(String, PathBuf)>,
    entries: Vec<(String, ScratchEntry)>,
    prompt: Option<String>,
    held: Arc<Mutex<Option<Held>>>,
}

/// Something that one agent needs in the directory, in place of a link or a file of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScratchEntry {
    /// A file with this content.
    File(String),
    /// An empty directory.
    Directory,
    /// A link to a file of the user's.
    Link(PathBuf),
    /// A copy of a file, which cannot be written to.
    Copy(PathBuf),
}

/// What proves that the directory is the one that was made.
#[derive(Debug)]
struct Held {
    lock: Lock,
    identity: Identity,
}

impl Scratch {
    /// A directory below `place` that is not made yet. `owner` is the run directory it belongs to, or empty.
    #[must_use]
    pub fn below(place: &Path, uuid: &str, owner: &Path) -> Self {
        let path = place.join(format!("{PREFIX}{uuid}"));
        Self { path, owner: owner.to_owned(), links: vec![], entries: vec![], prompt: None, held: Arc::default() }
    }

    /// The directory that a run had, to be removed.
    #[must_use]
    pub fn of_run(path: &Path, owner: &Path) -> Self {
        let path = path.to_owned();
        Self { path, owner: owner.to_owned(), links: vec![], entries: vec![], prompt: None, held: Arc::default() }
    }

    /// Adds a link to a source.
    #[must_use]
    pub fn link(mut self, name: &str, target: &Path) -> Self {
        self.links.push((name.to_owned(), target.to_owned()));
        self
    }

    /// Adds what one agent needs.
    #[must_use]
    pub fn with(mut self, entries: Vec<(String, ScratchEntry)>) -> Self {
        self.entries.extend(entries);
        self
    }

    /// Sets what `prompt.md` says.
    #[must_use]
    pub fn prompt(mut self, text: String) -> Self {
        self.prompt = Some(text);
        self
    }

    /// What `prompt.md` says.
    #[must_use]
    pub fn prompt_text(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// The links, by name.
    #[must_use]
    pub fn links(&self) -> &[(String, PathBuf)] {
        &self.links
    }

    /// Where the prompt is.
    #[must_use]
    pub fn prompt_file(&self) -> PathBuf {
        self.path.join(PROMPT)
    }

    /// Where the file that names no MCP server is.
    #[must_use]
    pub fn mcp_config(&self) -> PathBuf {
        self.path.join(MCP_CONFIG)
    }

    /// The lock that the owner holds.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.path.join(LOCK)
    }

    /// Lets a command hold the lock too, so that the directory stays as long as it lives.
    pub fn share_lock(&self, command: &mut std::process::Command) {
        if let Some(held) = self.held().as_ref() {
            held.lock.share_with(command);
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything under a hidden name, so that it appears whole and locked.
    fn fill(&self, draft: &Path) -> io::Result<Held> {
        DirBuilder::new().mode(0o700).create(draft)?;
        let lock = Lock::take(&draft.join(LOCK), Duration::ZERO).map_err(|error| error.source)?;
        let lock = lock.ok_or_else(|| io::Error::other("another process holds its lock"))?;
        // Written under the lock: where the note is and the lock is free, this process has died.
        fs::write(draft.join(LOCK), self.owner.as_os_str().as_encoded_bytes())?;
        for name in REPOSITORY_DIRECTORIES {
            private_directory(&draft.join(name))?;
        }
        let replaced = |name: &str| self.entries.iter().any(|(other, _)| other == name);
        for (name, content) in REPOSITORY_FILES.iter().chain(MCP_FILES).filter(|(name, _)| !replaced(name)) {
            private_directory(draft.join(name).parent().unwrap_or(draft))?;
            write(&draft.join(name), content.as_bytes())?;
        }
        if let Some(prompt) = &self.prompt {
            write(&draft.join(PROMPT), prompt.as_bytes())?;
        }
        for (name, target) in self.links.iter().filter(|(name, _)| !replaced(name)) {
            symlink(target, draft.join(name))?;
        }
        for (name, entry) in &self.entries {
            make(&draft.join(name), entry)?;
        }
        Ok(Held { lock, identity: Identity::from(&draft.symlink_metadata()?) })
    }

    /// Renames the directory out of sight and deletes it; returns whether it was there. Safe to repeat, and at once by
    /// several.
    fn take_away(&self) -> Result<bool> {
        let doomed = hidden(&self.path, "gone");
        let found = match self.path.symlink_metadata() {
            Ok(found) if found.is_dir() && self.is_ours(&found) => match fs::rename(&self.path, &doomed) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                other => other.map(|()| true).map_err(WorkspaceError::io("move away", &self.path))?,
            },
            Ok(_) => return Ok(false),
            Err(_) => false,
        };
        agency_system::fault::point("scratch.gone");
        // The process that renamed it may still be deleting it, or may have died.
        clear(&doomed).map_err(WorkspaceError::io("delete", &doomed))?;
        Ok(found)
    }

    /// Its creator knows it; other processes trust the note in it.
    fn is_ours(&self, found: &fs::Metadata) -> bool {
        match self.held().as_ref() {
            Some(held) => held.identity == Identity::from(found),
            None => found.uid() == geteuid().as_raw() && owner_of(&self.path).is_some_and(|owner| owner == self.owner),
        }
    }
}

impl Workspace for Scratch {
    fn directory(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> Result<()> {
        let draft = hidden(&self.path, "new");
        let made = self.fill(&draft).and_then(|held| {
            agency_system::fault::point("scratch.filled");
            fs::rename(&draft, &self.path)?;
            Ok(held)
        });
        match made {
            Ok(held) => {
                *self.held() = Some(held);
                Ok(())
            }
            Err(error) => {
                // What stays is swept later.
                let _ = clear(&draft);
                Err(WorkspaceError::io("make", &self.path)(error))
            }
        }
    }

    fn undo(&self) -> Result<()> {
        self.take_away().map(|_| ())
    }

    /// Changes in it are not counted.
    fn changes(&self) -> Result<Changes> {
        Ok(Changes::default())
    }

    fn patch_with(&self, _: PatchContext) -> Result<Patch> {
        Ok(Patch::default())
    }

    /// No file of it is reviewed.
    fn files_now(&self, _: &[String]) -> Result<FilesNow> {
        Ok(FilesNow::default())
    }

    /// Saves nothing: what an ask is for is its answer.
    fn snapshot(&self) -> Result<Option<SavedWork>> {
        Ok(None)
    }

    fn remove(&self, _options: RemoveOptions) -> Result<Removal> {
        let worktree = match self.take_away()? {
            true => WorktreeOutcome::Removed,
            false => WorktreeOutcome::AlreadyGone,
        };
        Ok(Removal::without_work(worktree))
    }
}

/// The name of a directory that is not there yet, or no more.
pub fn hidden(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{ending}"))
}

/// The run directory that a scratch directory says it belongs to; empty for a chat, `None` for a stranger's.
pub fn owner_of(directory: &Path) -> Option<PathBuf> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(directory.join(LOCK));
    let mut note = vec![];
    file.ok()?.take(MAX_OWNER_BYTES).read_to_end(&mut note).ok()?;
    Some(PathBuf::from(String::from_utf8(note).ok()?))
}

/// Deletes what [`Scratch`] has renamed out of sight.
pub fn clear_hidden(directory: &Path) -> io::Result<()> {
    clear(directory)
}

fn make(path: &Path, entry: &ScratchEntry) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        private_directory(parent)?;
    }
    match entry {
        ScratchEntry::File(content) => write(path, content.as_bytes()),
        ScratchEntry::Directory => private_directory(path),
        ScratchEntry::Link(target) => symlink(target, path),
        ScratchEntry::Copy(source) => {
            let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o400).open(path)?;
            io::copy(&mut fs::File::open(source)?, &mut copy).map(|_| ())
        }
    }
}

fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(content)
}
