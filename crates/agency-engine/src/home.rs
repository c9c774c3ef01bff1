//! Where everything is kept: `~/.agency`, or wherever `$AGENCY_HOME` points.
//!
//! The one rule: directories are 0700 and files 0600, because prompts and logs hold secrets.
//!
//! ```
//! use agency_engine::home::Home;
//! use agency_model::RunId;
//!
//! let home = Home::new("/srv/agency".into());
//! let id: RunId = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?;
//! assert!(home.run(&id).events().ends_with("runs/r_01ARZ3NDEKTSV4RRFFQ69G5FAV/events.ndjson"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io;
use std::path::{Path, PathBuf};

use agency_model::RunId;
use serde::Serialize;

pub use agency_system::files::FileError as HomeError;
#[doc(hidden)]
pub use agency_system::files::{
    create_private_directory, open_for_append, open_to_read, read_text, read_whole, write_atomically,
};
pub(crate) use agency_system::files::{read_private_file, sync_directory};

/// In the directory of a run: the branch that its user had checked out when it was created.
pub(crate) const BASE_BRANCH_FILE: &str = "base_branch.txt";

/// The path from the current directory, once and for all.
pub(crate) fn absolute(path: PathBuf) -> Result<PathBuf, HomeError> {
    std::path::absolute(&path).map_err(|source| HomeError::new("use", path, source))
}

/// The root of everything agency stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The home at an absolute path; opening it makes a relative one absolute. Nothing is created yet.
    #[must_use]
    pub const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn absolute(self) -> Result<Self, HomeError> {
        absolute(self.root).map(Self::new)
    }

    /// The home of this user: `$AGENCY_HOME`, else `.agency` in `$HOME`.
    #[expect(clippy::disallowed_methods, reason = "these variables say where the user keeps everything")]
    pub fn of_process() -> Result<Self, HomeError> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = variable("AGENCY_HOME").or_else(|| variable("HOME").map(|home| home.join(".agency")));
        let missing = || HomeError::new("find", "$AGENCY_HOME or $HOME", io::ErrorKind::NotFound.into());
        let root = root.ok_or_else(missing)?;
        absolute(root).map(Self::new)
    }

    /// Its path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("agency.db")
    }

    /// The parent of all run directories.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The parent of all worktrees.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.root.join("worktrees")
    }

    /// Where clones of sources are, unless the configuration names another place.
    #[must_use]
    pub fn sources(&self) -> PathBuf {
        self.root.join("sources")
    }

    /// Where scratch directories of asks are made if the user has no runtime directory.
    #[must_use]
    pub fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    /// The versions of agents that were asked for before.
    #[must_use]
    pub fn agent_versions(&self) -> PathBuf {
        self.root.join("agent-versions.json")
    }

    /// Replaces them.
    pub fn write_agent_versions(&self, text: &[u8]) -> Result<(), HomeError> {
        write_atomically(&self.agent_versions(), text)
    }

    /// What the TUI stores between two starts.
    #[must_use]
    pub fn tui_memory(&self) -> PathBuf {
        self.root.join("tui.json")
    }

    /// Replaces it.
    pub fn write_tui_memory(&self, text: &[u8]) -> Result<(), HomeError> {
        write_atomically(&self.tui_memory(), text)
    }

    /// The parent of all directories of workflow sessions.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// The diagnostics of commands that have no terminal for them.
    #[must_use]
    pub fn diagnostics_log(&self) -> PathBuf {
        self.root.join("diagnostics.log")
    }

    /// Where worktrees go while they are being deleted.
    #[must_use]
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// Where the forecasts of repositories are kept.
    #[must_use]
    pub fn forecasts(&self) -> PathBuf {
        self.root.join("forecasts")
    }

    /// Where working trees are in which merges are checked before they are visible.
    #[must_use]
    pub fn trials(&self) -> PathBuf {
        self.root.join("trials")
    }

    /// Where a user moves what belongs to no run. Nothing in it is looked at.
    #[must_use]
    pub fn kept(&self) -> PathBuf {
        self.root.join("kept")
    }

    /// Where the work of a run is that `agency rm --force` could not save to a ref.
    #[must_use]
    pub fn kept_of(&self, id: &RunId) -> PathBuf {
        self.kept().join(id.as_str())
    }

    /// Where pid files are kept: `configured`, or a place of our own.
    #[must_use]
    pub fn pid_dir(&self, configured: Option<&Path>) -> PathBuf {
        configured.map_or_else(|| self.root.join("pids"), Path::to_owned)
    }

    /// Held by the process that executes `agency gc`.
    #[must_use]
    pub fn gc_lock(&self) -> PathBuf {
        self.root.join("gc.lock")
    }

    /// The file that is touched whenever a slot may have become free.
    #[must_use]
    pub fn slot_signal(&self) -> PathBuf {
        self.root.join("slots").join("bell")
    }

    /// The directory of one run.
    #[must_use]
    pub fn run(&self, id: &RunId) -> RunDirectory {
        RunDirectory { path: self.runs().join(id.as_str()) }
    }

    /// Creates what is missing of the home.
    pub fn ensure(&self) -> Result<(), HomeError> {
        for directory in [self.root.clone(), self.runs(), self.worktrees(), self.root.join("slots")] {
            create_private_directory(&directory)?;
        }
        Ok(())
    }

    /// Wakes queued runs: a slot may be free.
    pub fn signal_slots(&self) -> Result<(), HomeError> {
        write_atomically(&self.slot_signal(), b"")
    }
}

/// The directory that holds everything about one run but its worktree.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
}

impl RunDirectory {
    /// The directory of a run that may belong to another home.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates it with its log directory.
    pub fn create(&self) -> Result<(), HomeError> {
        create_private_directory(&self.path)?;
        create_private_directory(&self.path.join("logs"))
    }

    /// A file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The agent's standard output.
    #[must_use]
    pub fn stdout_log(&self) -> PathBuf {
        self.path.join("logs/runner.stdout.log")
    }

    /// The agent's standard error.
    #[must_use]
    pub fn stderr_log(&self) -> PathBuf {
        self.path.join("logs/runner.stderr.log")
    }

    /// Both, in the order of arrival.
    #[must_use]
    pub fn combined_log(&self) -> PathBuf {
        self.path.join("logs/runner.log")
    }

    /// What the terminal of an interactive agent showed when the agent ended.
    #[must_use]
    pub fn last_screen(&self) -> PathBuf {
        self.path.join("logs/last_screen.ansi")
    }

    /// The numbered events of the run.
    #[must_use]
    pub fn events(&self) -> PathBuf {
        self.file("events.ndjson")
    }

    /// The last thing that the supervisor writes: how the run ended.
    #[must_use]
    pub fn done(&self) -> PathBuf {
        self.file("done.json")
    }

    /// The exit code of the last process, as a number in a text file.
    #[must_use]
    pub fn exit_code(&self) -> PathBuf {
        self.file("exit_code.txt")
    }

    /// The diagnostics of its supervisor. Supervisors of earlier versions wrote none.
    #[must_use]
    pub fn supervisor_log(&self) -> PathBuf {
        self.file("supervisor.log")
    }

    /// The configuration of the driver of a workflow session, while the driver's run has not ended.
    #[must_use]
    pub fn driver_config(&self) -> PathBuf {
        self.file("driver-config.json")
    }

    /// Deletes the configuration of a driver, which can hold secrets. Most runs have none.
    pub(crate) fn delete_driver_config(&self) {
        let _ = std::fs::remove_file(self.driver_config());
    }

    /// The lock that its supervisor holds for its whole lifetime.
    #[must_use]
    pub fn supervisor_lock(&self) -> PathBuf {
        self.file("supervisor.lock")
    }

    /// The lock that `agency run` holds until the supervisor has reported.
    #[must_use]
    pub fn creator_lock(&self) -> PathBuf {
        self.file("creator.lock")
    }

    /// The private git directory for reading the agent's files; may be deleted at any time.
    #[must_use]
    pub fn looks(&self) -> PathBuf {
        self.path.join("git")
    }

    /// Where `agency run` waits for the supervisor to fetch its orders.
    #[must_use]
    pub fn launch_socket(&self) -> PathBuf {
        self.file("launch.sock")
    }

    /// The control socket: wakes the supervisor, attaches, watches.
    #[must_use]
    pub fn control_socket(&self) -> PathBuf {
        self.file("control.sock")
    }

    /// Writes a file of the directory so that a reader sees the old or the new content, never half.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), HomeError> {
        write_atomically(&self.file(name), content)
    }

    /// Writes a value as JSON, as [`Self::write`] does.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), HomeError> {
        let path = self.file(name);
        let mut text = serde_json::to_vec_pretty(value)
            .map_err(|error| HomeError::new("encode", &path, io::Error::other(error)))?;
        text.push(b'\n');
        write_atomically(&path, &text)
    }
}
